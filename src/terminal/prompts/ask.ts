/** Prompts a person on stderr, if prompts are possible. */
import { PassThrough } from 'node:stream';
import { CancelledError, UsageError } from '../../base/errors.ts';
import { sanitizeBlock, sanitizeLine } from '../../base/sanitize.ts';
import type { Terminal } from '../terminal.ts';
import { openTypedLines } from './typed-lines.ts';
import type {
  Choice,
  ChoiceQuestion,
  ChoicesQuestion,
  ConfirmQuestion,
  MoreChoices,
  PromptContext,
  Prompter,
  Question,
  SelectItem,
  TextQuestion,
} from './types.ts';

/** Asks yes or no; no is the default. Returns false if the person declined: the caller throws DeclinedError. */
export function confirm(terminal: Terminal, question: ConfirmQuestion): Promise<boolean> {
  const message = sanitizeBlock(question.message);
  return ask(terminal, question, (prompter) =>
    prompter.confirm({ message, defaultValue: question.default ?? false }),
  );
}

/** Asks for a line of text. */
export function askText(terminal: Terminal, question: TextQuestion): Promise<string> {
  const { validate, default: defaultValue } = question;
  return ask(terminal, question, (prompter) =>
    prompter.text({
      message: sanitizeLine(question.message),
      defaultValue: defaultValue === undefined ? undefined : sanitizeLine(defaultValue),
      validate: validate ?? (() => undefined),
    }),
  );
}

/** Asks for a secret. Neither the secret nor its length stays on the screen. */
export function askSecret(terminal: Terminal, question: Omit<TextQuestion, 'default'>): Promise<string> {
  const validate = question.validate ?? (() => undefined);
  return ask(terminal, question, (prompter) =>
    prompter.secret({ message: sanitizeLine(question.message), validate }),
  );
}

/** Asks for one of several choices; typing searches them. */
export async function askChoice<V>(terminal: Terminal, question: ChoiceQuestion<V>): Promise<V> {
  const { default: defaultValue } = question;
  const { choices, more } = loadMoreChoices(question);
  const defaultIndex =
    defaultValue === undefined ? -1 : choices.findIndex(({ value }) => value === defaultValue);
  const [chosen = 0] = await ask(terminal, question, (prompter) =>
    prompter.select({
      message: sanitizeLine(question.message),
      items: choices.map(toSelectItem),
      more,
      isMultiple: false,
      selected: defaultIndex < 0 ? [] : [defaultIndex],
      validate: () => undefined,
    }),
  );
  return (choices[chosen] as Choice<V>).value;
}

/** Asks for any number of choices; typing searches them. Returns them in the order of the choices. */
export async function askChoices<V>(terminal: Terminal, question: ChoicesQuestion<V>): Promise<V[]> {
  const { chosen = [], required = false, validate } = question;
  const { choices, more } = loadMoreChoices(question);
  const valuesOf = (indexes: readonly number[]): V[] =>
    indexes.flatMap((index) => (choices[index] === undefined ? [] : [choices[index].value]));
  const indexes = await ask(terminal, question, (prompter) =>
    prompter.select({
      message: sanitizeLine(question.message),
      items: choices.map(toSelectItem),
      more,
      isMultiple: true,
      selected: choices.flatMap(({ value }, index) => (chosen.includes(value) ? [index] : [])),
      validate: (answer) =>
        required && answer.length === 0 ? 'select at least one' : validate?.(valuesOf(answer)),
    }),
  );
  return valuesOf(indexes);
}

/** Returns the choices of a question and a stream of further choices, which are appended in display order. */
function loadMoreChoices<V>({ choices, more }: ChoiceQuestion<V> | ChoicesQuestion<V>) {
  const all = [...choices];
  async function* rest(further: MoreChoices<V>): AsyncGenerator<readonly SelectItem[]> {
    for await (const some of further) {
      all.push(...some);
      yield some.map(toSelectItem);
    }
  }
  return { choices: all, more: more && rest(more) };
}

const toSelectItem = ({ name, description, group, search }: Choice<unknown>) => ({
  name: sanitizeLine(name),
  description: sanitizeLine(description ?? ''),
  group: sanitizeLine(group ?? ''),
  ...(search === undefined ? {} : { search }),
});

interface UnansweredPrompt {
  readonly message: string;
  /** The flag that sets the answer without a prompt. */
  readonly flag: string;
  readonly requirement: 'confirmation required' | 'input required';
}

/** Returns the error for a prompt that is not possible here. */
export function unansweredError(
  { stdin }: Terminal,
  { message, flag, requirement }: UnansweredPrompt,
): UsageError {
  const when = stdin.isTTY === true ? 'prompts are disabled' : 'stdin is not a terminal';
  const rule = `pass ${flag} when ${when}`;
  return new UsageError(`${requirement}: ${rule}`, {
    details: [{ place: flag, message: `is required when ${when}` }],
    hint: `unanswered prompt: ${sanitizeLine(message)}`,
  });
}

/** Throws UsageError (prompts are not possible), CancelledError (Ctrl-C), or the reason of the signal. */
async function ask<A>(
  terminal: Terminal,
  { message, flag, signal }: Question,
  show: (prompter: Prompter) => Promise<A>,
): Promise<A> {
  if (!terminal.canAsk) {
    throw unansweredError(terminal, {
      message,
      flag,
      requirement: flag === '--yes' ? 'confirmation required' : 'input required',
    });
  }
  signal?.throwIfAborted();
  // Previous output must be above the question.
  await terminal.flush();
  const cancelled = new AbortController();
  const { input, close } = openTypedLines(terminal.stdin);
  // Ctrl-D cancels too: readline would close silently, and the question would never end.
  const cancelOnKey = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined) => {
    if (key?.ctrl && (key.name === 'c' || key.name === 'd')) cancelled.abort();
  };
  input.on('keypress', cancelOnKey);
  try {
    const [prompter, styles] = await Promise.all([loadPrompter(terminal.plain), terminal.styles('stderr')]);
    const context = {
      input,
      output: openStderr(terminal),
      styles,
      rows: terminal.stderr.rows || 24,
      columns: () => terminal.stderr.columns || 80,
      signal: AbortSignal.any([cancelled.signal, ...(signal ? [signal] : [])]),
    };
    return await show(prompter(context));
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (cancelled.signal.aborted || (error instanceof Error && error.name === 'ExitPromptError')) {
      throw new CancelledError('SIGINT', { cause: error });
    }
    throw error;
  } finally {
    close();
  }
}

/** Loads the prompter. Screen readers need permanent lines. */
async function loadPrompter(plain: boolean): Promise<(context: PromptContext) => Prompter> {
  if (plain) return (await import('../lazy/plain-prompts.ts')).createPlainPrompter;
  return (await import('../lazy/prompts.ts')).createPrompter;
}

const COLOR_SEQUENCE = /\p{Cc}\[[\d;]*m/gu;

/**
 * Returns a stream to stderr for one question, which ends it. The prompts library makes its own decision on colour;
 * this stream enforces the decision of the terminal.
 */
function openStderr({ stderr, color }: Terminal): NodeJS.WritableStream {
  const filter = new PassThrough({ decodeStrings: false, encoding: 'utf8' });
  filter.on('data', (text: string) => stderr.write(color.stderr ? text : text.replace(COLOR_SEQUENCE, '')));
  return Object.defineProperties(filter, {
    isTTY: { value: true },
    columns: { get: () => stderr.columns ?? 80 },
  });
}
