/** Asks a model over an OpenAI-compatible chat completions endpoint. What it answers is bounded, and read with distrust. */
import type { ModelSettings } from './model-settings.ts';
import { TOOL_DEFINITIONS } from './tools.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Undefined if they are no JSON. */
  readonly args: unknown;
}

/** A message of the conversation, as the endpoint takes it. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly type: 'function';
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface ModelAnswer {
  readonly content: string;
  readonly calls: readonly ToolCall[];
  /** Of the question and the answer. */
  readonly tokens: { readonly count: number; readonly isEstimated: boolean };
}

export type Ask = (messages: readonly Message[], signal: AbortSignal) => Promise<ModelAnswer>;

/** The model or its endpoint failed: nothing is known of the target. */
export class ModelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModelError';
  }
}

/** One answer may take so long, in ms. */
const ANSWER_MS = 90_000;
/** Longer answers are not read to their end, in bytes. */
const LONGEST_ANSWER = 256 * 1024;
const LONGEST_REASON = 300;
const MOST_CALLS = 8;
/** Where an endpoint does not count, so many characters make a token. */
const CHARACTERS_A_TOKEN = 4;

/** `answerMs`: for tests. The function throws ModelError, and the signal's reason. */
export function asker({ url, model, key }: ModelSettings, answerMs = ANSWER_MS): Ask {
  return async (messages, signal) => {
    const body = JSON.stringify({ model, messages, tools: TOOL_DEFINITIONS, tool_choice: 'auto' });
    const late = AbortSignal.timeout(answerMs);
    let text: string;
    try {
      const answer = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body,
        // A redirect is no answer: the key goes to no other host.
        redirect: 'manual',
        signal: AbortSignal.any([signal, late]),
      });
      text = await textOf(answer);
      if (!answer.ok)
        throw new ModelError(
          `the model endpoint answered with status ${answer.status}: ${text.slice(0, LONGEST_REASON).trim() || 'no reason given'}`,
        );
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError) throw error;
      if (late.aborted) throw new ModelError(`the model did not respond within ${answerMs / 1000} s`);
      throw new ModelError(`the model endpoint could not be reached: ${reasonOf(error)}`);
    }
    return readAnswer(text, body.length);
  };
}

async function textOf(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > LONGEST_ANSWER)
      throw new ModelError(`the response of the model is longer than ${LONGEST_ANSWER / 1024} KiB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const { code, message } = (cause ?? error) as { readonly code?: string; readonly message?: string };
  return code ?? message ?? String(error);
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

function readAnswer(text: string, askedLength: number): ModelAnswer {
  const body = fieldsOf(parsed(text));
  const [choice] = Array.isArray(body.choices) ? body.choices : [];
  const { message } = fieldsOf(choice);
  if (typeof message !== 'object' || message === null)
    throw new ModelError('the response of the model endpoint is not a chat completion');
  const { content, tool_calls: calls } = fieldsOf(message);
  const given = Array.isArray(calls) ? calls : [];
  if (given.length > MOST_CALLS)
    throw new ModelError(`the model called ${given.length} tools at once: ${MOST_CALLS} are allowed`);
  const { total_tokens: total } = fieldsOf(body.usage);
  const isCounted = typeof total === 'number' && Number.isFinite(total) && total > 0;
  return {
    content: typeof content === 'string' ? content : '',
    calls: given.map((call, index) => callOf(fieldsOf(call), index)),
    tokens: {
      count: isCounted ? total : Math.ceil((askedLength + text.length) / CHARACTERS_A_TOKEN),
      isEstimated: !isCounted,
    },
  };
}

function callOf({ id, function: called }: Fields, index: number): ToolCall {
  const { name, arguments: args } = fieldsOf(called);
  return {
    id: typeof id === 'string' && id !== '' ? id.slice(0, 200) : `call-${index}`,
    name: typeof name === 'string' ? name.slice(0, 100) : '',
    args: typeof args === 'string' ? parsed(args.trim() || '{}') : args,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
