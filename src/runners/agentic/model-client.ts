/** Asks a model over an OpenAI-compatible chat completions endpoint. Validates and limits its answers. */

import { UsageError } from '../../base/errors.ts';
import { isUrl } from '../../base/parse-url.ts';
import { trimSlashes } from '../../base/trim-slashes.ts';
import { TOOL_DEFINITIONS } from './tools.ts';

/** A model behind an OpenAI-compatible chat completions endpoint. */
export interface ModelSettings {
  /** Base URL without a trailing slash: `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  readonly model: string;
  /** Sent as `Authorization: Bearer`; undefined: no header is sent. */
  readonly key: string | undefined;
}

export const NO_MODEL =
  'agentic checks need a model, but none is configured: set SONDE_MODEL_URL and SONDE_MODEL, and restart sonde';

/** Returns the configured model; undefined if there is none. Throws UsageError, which never contains the key. */
export function readModelSettings(
  env: Readonly<Record<string, string | undefined>>,
): ModelSettings | undefined {
  const url = env.SONDE_MODEL_URL?.trim() || undefined;
  const model = env.SONDE_MODEL?.trim() || undefined;
  const key = env.SONDE_MODEL_KEY?.trim() || undefined;
  if (url === undefined && model === undefined) return undefined;
  if (url === undefined) throw new UsageError('SONDE_MODEL is set, but SONDE_MODEL_URL is not: set both');
  if (model === undefined) throw new UsageError('SONDE_MODEL_URL is set, but SONDE_MODEL is not: set both');
  if (!/^https?:\/\//.test(url) || !isUrl(url))
    throw new UsageError('SONDE_MODEL_URL must be a URL that starts with http:// or https://');
  const { username, password, search, hash } = new URL(url);
  if (username || password || search || hash)
    throw new UsageError(
      'SONDE_MODEL_URL must not contain a user, a password, a query or a fragment: set the key in SONDE_MODEL_KEY',
    );
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('SONDE_MODEL_KEY must be a single line of ASCII characters without spaces');
  return { url: trimSlashes(url), model, key };
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

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
  readonly tokens: { readonly count: number; readonly isEstimated: boolean };
}

export type AskModel = (messages: readonly Message[], signal: AbortSignal) => Promise<ModelAnswer>;

/** The model or its endpoint failed, so nothing is known about the target. */
export class ModelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModelError';
  }
}

const ANSWER_MS = 90_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_REASON_LENGTH = 300;
const MAX_CALLS = 8;
/** Estimate for endpoints that do not count tokens. */
const CHARACTERS_PER_TOKEN = 4;

/** Creates a function that asks the model. It throws ModelError. `answerMs`: for tests. */
export function createModelClient({ url, model, key }: ModelSettings, answerMs = ANSWER_MS): AskModel {
  return async (messages, signal) => {
    const body = JSON.stringify({ model, messages, tools: TOOL_DEFINITIONS, tool_choice: 'auto' });
    const timeout = AbortSignal.timeout(answerMs);
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
        // Redirects are not followed, so the key is sent to no other host.
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
      text = await readText(answer);
      if (!answer.ok)
        throw new ModelError(
          `the model endpoint answered with status ${answer.status}: ${text.slice(0, MAX_REASON_LENGTH).trim() || 'no reason given'}`,
        );
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError) throw error;
      if (timeout.aborted) throw new ModelError(`the model did not respond within ${answerMs / 1000} s`);
      throw new ModelError(`the model endpoint could not be reached: ${formatReason(error)}`);
    }
    return parseAnswer(text, body.length);
  };
}

async function readText(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new ModelError(`the response of the model is longer than ${MAX_ANSWER_BYTES / 1024} KiB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function formatReason(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const { code, message } = (cause ?? error) as { readonly code?: string; readonly message?: string };
  return code ?? message ?? String(error);
}

type JsonObject = Readonly<Record<string, unknown>>;
const toObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {};

function parseAnswer(text: string, requestLength: number): ModelAnswer {
  const body = toObject(parseJson(text));
  const [choice] = Array.isArray(body.choices) ? body.choices : [];
  const { message } = toObject(choice);
  if (typeof message !== 'object' || message === null)
    throw new ModelError('the response of the model endpoint is not a chat completion');
  const { content, tool_calls: calls } = toObject(message);
  const toolCalls = Array.isArray(calls) ? calls : [];
  if (toolCalls.length > MAX_CALLS)
    throw new ModelError(`the model called ${toolCalls.length} tools at once: ${MAX_CALLS} are allowed`);
  const { total_tokens: total } = toObject(body.usage);
  const hasCount = typeof total === 'number' && Number.isFinite(total) && total > 0;
  return {
    content: typeof content === 'string' ? content : '',
    calls: toolCalls.map((call, index) => parseToolCall(toObject(call), index)),
    tokens: {
      count: hasCount ? total : Math.ceil((requestLength + text.length) / CHARACTERS_PER_TOKEN),
      isEstimated: !hasCount,
    },
  };
}

function parseToolCall({ id, function: called }: JsonObject, index: number): ToolCall {
  const { name, arguments: args } = toObject(called);
  return {
    id: typeof id === 'string' && id !== '' ? id.slice(0, 200) : `call-${index}`,
    name: typeof name === 'string' ? name.slice(0, 100) : '',
    args: typeof args === 'string' ? parseJson(args.trim() || '{}') : args,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
