/** Asks a person, on stderr, and never where nobody can answer. */
import { PassThrough } from 'node:stream';
import { CancelledError, UsageError } from '../../base/errors.ts';
import { sanitizeBlock, sanitizeLine } from '../sanitize.ts';
import type { Terminal } from '../terminal.ts';
import type {
  Asker,
  Choice,
  ChoiceQuestion,
  ChoicesQuestion,
  ConfirmQuestion,
  Item,
  MoreChoices,
  Question,
  Scene,
  TextQuestion,
} from './types.ts';

/** Asks yes or no; no is the default. False means that the person declined: the caller throws DeclinedError. */
export function confirm(terminal: Terminal, question: ConfirmQuestion): Promise<boolean> {
  const message = sanitizeBlock(question.message);
  return ask(terminal, question, (asker) => asker.confirm({ message, standard: question.default ?? false }));
}

/** Asks for a line of text. */
export function askText(terminal: Terminal, question: TextQuestion): Promise<string> {
  const { check, default: standard } = question;
  return ask(terminal, question, (asker) =>
    asker.text({
      message: sanitizeLine(question.message),
      standard: standard === undefined ? undefined : sanitizeLine(standard),
      check: check ?? (() => undefined),
    }),
  );
}

/** Asks for a secret; neither it nor its length is left on the screen. */
export function askSecret(terminal: Terminal, question: Omit<TextQuestion, 'default'>): Promise<string> {
  const check = question.check ?? (() => undefined);
  return ask(terminal, question, (asker) => asker.secret({ message: sanitizeLine(question.message), check }));
}

/** Asks for one of several; typing looks for it. */
export async function askChoice<V>(terminal: Terminal, question: ChoiceQuestion<V>): Promise<V> {
  const { default: standard } = question;
  const { choices, more } = growing(question);
  const at = standard === undefined ? -1 : choices.findIndex(({ value }) => value === standard);
  const [chosen = 0] = await ask(terminal, question, (asker) =>
    asker.pick({
      message: sanitizeLine(question.message),
      items: choices.map(cleanChoice),
      more,
      many: false,
      marked: at < 0 ? [] : [at],
      check: () => undefined,
    }),
  );
  return (choices[chosen] as Choice<V>).value;
}

/** Asks for any number of several; typing looks for them. Gives them in the order of the choices. */
export async function askChoices<V>(terminal: Terminal, question: ChoicesQuestion<V>): Promise<V[]> {
  const { chosen = [], required = false, check } = question;
  const { choices, more } = growing(question);
  const valuesOf = (indexes: readonly number[]): V[] =>
    indexes.flatMap((index) => (choices[index] === undefined ? [] : [choices[index].value]));
  const indexes = await ask(terminal, question, (asker) =>
    asker.pick({
      message: sanitizeLine(question.message),
      items: choices.map(cleanChoice),
      more,
      many: true,
      marked: choices.flatMap(({ value }, index) => (chosen.includes(value) ? [index] : [])),
      check: (answer) =>
        required && answer.length === 0 ? 'select at least one' : check?.(valuesOf(answer)),
    }),
  );
  return valuesOf(indexes);
}

/** The choices of a question, to which those that come later are added, in the order in which they are shown. */
function growing<V>({ choices, more }: ChoiceQuestion<V> | ChoicesQuestion<V>) {
  const all = [...choices];
  async function* rest(further: MoreChoices<V>): AsyncGenerator<readonly Item[]> {
    for await (const some of further) {
      all.push(...some);
      yield some.map(cleanChoice);
    }
  }
  return { choices: all, more: more && rest(more) };
}

const cleanChoice = ({ name, description, group, search }: Choice<unknown>) => ({
  name: sanitizeLine(name),
  description: sanitizeLine(description ?? ''),
  group: sanitizeLine(group ?? ''),
  ...(search === undefined ? {} : { search }),
});

interface Unanswered {
  readonly message: string;
  /** The flag that gives the answer without a prompt. */
  readonly flag: string;
  readonly wanted: 'confirmation required' | 'input required';
}

/** Returns the error for a question that nobody can answer here. */
export function unanswered({ stdin }: Terminal, { message, flag, wanted }: Unanswered): UsageError {
  const when = stdin.isTTY === true ? 'prompts are disabled' : 'stdin is not a terminal';
  const rule = `pass ${flag} when ${when}`;
  return new UsageError(`${wanted}: ${rule}`, {
    details: [{ place: flag, message: `is required when ${when}` }],
    hint: `unanswered prompt: ${sanitizeLine(message)}`,
  });
}

/** Throws UsageError (nobody can answer), CancelledError (Ctrl-C), or the signal's reason. */
async function ask<A>(
  terminal: Terminal,
  { message, flag, signal }: Question,
  show: (asker: Asker) => Promise<A>,
): Promise<A> {
  if (!terminal.canAsk) {
    throw unanswered(terminal, {
      message,
      flag,
      wanted: flag === '--yes' ? 'confirmation required' : 'input required',
    });
  }
  signal?.throwIfAborted();
  // What was said before the question is to stand above it.
  await terminal.flush();
  const left = new AbortController();
  const { stdin } = terminal;
  // To end the input is to leave, too: readline would close without a word, and the question never end.
  const leave = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined) => {
    if (key?.ctrl && (key.name === 'c' || key.name === 'd')) left.abort();
  };
  stdin.on('keypress', leave);
  try {
    const [asker, styles] = await Promise.all([loadAsker(terminal.plain), terminal.styles('stderr')]);
    const scene = {
      input: stdin,
      output: asStderr(terminal),
      styles,
      rows: terminal.stderr.rows || 24,
      columns: () => terminal.stderr.columns || 80,
      signal: AbortSignal.any([left.signal, ...(signal ? [signal] : [])]),
    };
    return await show(asker(scene));
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (left.signal.aborted || (error instanceof Error && error.name === 'ExitPromptError')) {
      throw new CancelledError('SIGINT', { cause: error });
    }
    throw error;
  } finally {
    stdin.off('keypress', leave);
  }
}

/** What shows questions; read out, they are lines that stay. */
async function loadAsker(plain: boolean): Promise<(scene: Scene) => Asker> {
  if (plain) return (await import('../lazy/plain-prompts.ts')).openPlainAsker;
  return (await import('../lazy/prompts.ts')).openAsker;
}

const COLOR_SEQUENCE = /\p{Cc}\[[\d;]*m/gu;

/**
 * Stderr for one question, which ends it. The prompts library colours what is its own by what it thinks of this process;
 * here the terminal's decision holds.
 */
function asStderr({ stderr, color }: Terminal): NodeJS.WritableStream {
  const filter = new PassThrough({ decodeStrings: false, encoding: 'utf8' });
  filter.on('data', (text: string) => stderr.write(color.stderr ? text : text.replace(COLOR_SEQUENCE, '')));
  return Object.defineProperties(filter, {
    isTTY: { value: true },
    columns: { get: () => stderr.columns ?? 80 },
  });
}
