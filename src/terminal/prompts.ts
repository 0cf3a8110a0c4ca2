/** Asks a person, on stderr, and never where nobody can answer. */
import { PassThrough } from 'node:stream';
import { CancelledError, UsageError } from '../base/errors.ts';
import type { OutputStream } from './channel.ts';
import { sanitizeBlock, sanitizeLine } from './sanitize.ts';
import type { Terminal } from './terminal.ts';

export interface Question {
  /** What is asked; sanitised here. */
  readonly message: string;
  /** What gives the answer without a person (`--yes`, `--name`): named where nobody can be asked. */
  readonly flag: string;
  /** Ends the question; its reason is thrown. */
  readonly signal?: AbortSignal;
}

export interface TextQuestion extends Question {
  readonly default?: string;
  /** A sentence on what is wrong with an answer, or undefined. */
  readonly check?: (answer: string) => string | undefined;
}

export interface Choice<V> {
  readonly value: V;
  readonly name: string;
  readonly description?: string;
}

type Prompts = typeof import('./lazy/prompts.ts');
interface Context {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal?: AbortSignal;
}

/** Asks yes or no; no is the default. False means that the person declined: the caller throws DeclinedError. */
export function confirm(terminal: Terminal, question: Question): Promise<boolean> {
  const message = sanitizeBlock(question.message);
  return ask(terminal, question, (prompts, context) => prompts.confirm({ message, default: false }, context));
}

/** Asks for a line of text. */
export function askText(terminal: Terminal, question: TextQuestion): Promise<string> {
  const { check } = question;
  const config = {
    message: sanitizeLine(question.message),
    ...(question.default === undefined ? {} : { default: question.default }),
    validate: (answer: string) => check?.(answer) ?? true,
  };
  return ask(terminal, question, (prompts, context) => prompts.input(config, context));
}

/** Asks for a secret; it is never shown. */
export function askSecret(terminal: Terminal, question: Omit<TextQuestion, 'default'>): Promise<string> {
  const { check } = question;
  const config = {
    message: sanitizeLine(question.message),
    mask: '*',
    validate: (answer: string) => check?.(answer) ?? true,
  };
  return ask(terminal, question, (prompts, context) => prompts.password(config, context));
}

/** Asks for one of several. */
export function askChoice<V>(
  terminal: Terminal,
  question: Question & { readonly choices: readonly Choice<V>[] },
): Promise<V> {
  const message = sanitizeLine(question.message);
  return ask(terminal, question, (prompts, context) =>
    prompts.select({ message, choices: question.choices.map(cleanChoice) }, context),
  );
}

/** Asks for any number of several. */
export function askChoices<V>(
  terminal: Terminal,
  question: Question & { readonly choices: readonly Choice<V>[]; readonly required?: boolean },
): Promise<V[]> {
  const config = {
    message: sanitizeLine(question.message),
    choices: question.choices.map(cleanChoice),
    required: question.required ?? false,
  };
  return ask(terminal, question, (prompts, context) => prompts.checkbox(config, context));
}

const cleanChoice = <V>({ value, name, description }: Choice<V>) => ({
  value,
  name: sanitizeLine(name),
  ...(description === undefined ? {} : { description: sanitizeLine(description) }),
});

/** Throws UsageError (nobody can answer), CancelledError (Ctrl-C), or the signal's reason. */
async function ask<A>(
  terminal: Terminal,
  { message, flag, signal }: Question,
  show: (prompts: Prompts, context: Context) => Promise<A>,
): Promise<A> {
  if (!terminal.canAsk) {
    throw new UsageError(`nobody can be asked here: ${sanitizeLine(message)}`, {
      details: [{ place: flag, message: 'is needed where there is no terminal, with --no-input or in CI' }],
      hint: `give ${flag}`,
    });
  }
  const output = terminal.color.stderr ? terminal.stderr : withoutColor(terminal.stderr);
  try {
    return await show(await import('./lazy/prompts.ts'), {
      input: terminal.stdin,
      output,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new CancelledError('SIGINT', { cause: error });
    }
    throw error;
  }
}

const COLOR_SEQUENCE = /\p{Cc}\[[\d;]*m/gu;

/** The prompts library colours by what it thinks of this process; here the terminal's decision holds. */
function withoutColor(stream: OutputStream): NodeJS.WritableStream {
  const filter = new PassThrough({ decodeStrings: false, encoding: 'utf8' });
  filter.on('data', (text: string) => stream.write(text.replace(COLOR_SEQUENCE, '')));
  return Object.assign(filter, { isTTY: true, columns: stream.columns ?? 80 });
}
