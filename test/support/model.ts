/** A model for tests: an OpenAI-compatible server on loopback that answers chat completions from a script. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

/** What the model hears when it is asked. */
export interface Heard {
  readonly request: ChatRequest;
  /** The newest message: the result of the last call. */
  readonly last: string;
  /** The reference of an element, by the beginning of its line in the page (`button "Sign in"`). */
  ref(element: string): string;
}
export type CallOf = readonly [name: string, args: unknown];
/** Calls, a text for an answer without one, or an answer of one's own. */
export type Turn =
  | readonly CallOf[]
  | string
  | ((heard: Heard, response: ServerResponse) => readonly CallOf[] | string | undefined);

export interface ScriptedModel {
  /** As SONDE_MODEL_URL has it. */
  readonly url: string;
  readonly requests: readonly ChatRequest[];
  readonly authorizations: readonly (string | undefined)[];
  /** Resolves once so many requests came. */
  asked(count: number): Promise<void>;
  /** Begins a script; the last turn is repeated for ever. */
  play(...turns: readonly Turn[]): void;
  readonly close: () => Promise<void>;
}

export async function openModel(...script: readonly Turn[]): Promise<ScriptedModel> {
  let turns = script;
  let place = 0;
  let requests: ChatRequest[] = [];
  const authorizations: (string | undefined)[] = [];
  const looking = new Set<() => void>();
  const server = createServer(async (message, response) => {
    response.on('error', () => {});
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    const request = JSON.parse(Buffer.concat(parts).toString()) as ChatRequest;
    requests.push(request);
    authorizations.push(message.headers.authorization);
    for (const look of looking) look();
    const turn = turns[Math.min(place, turns.length - 1)] ?? '';
    place += 1;
    const said = typeof turn === 'function' ? turn(heardOf(request), response) : turn;
    if (said !== undefined) response.end(JSON.stringify(completion(said)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get requests() {
      return requests;
    },
    authorizations,
    asked: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length >= count) resolve();
        };
        looking.add(look);
        look();
      }),
    play(...next) {
      turns = next;
      place = 0;
      requests = [];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function heardOf(request: ChatRequest): Heard {
  const last = request.messages.at(-1)?.content ?? '';
  return {
    ...{ request, last },
    ref(element) {
      const line = last.split('\n').find((one) => one.includes(element));
      const found = /\[ref=(\w+)\]/.exec(line ?? '')?.[1];
      if (found === undefined) throw new Error(`no ${element} in:\n${last}`);
      return found;
    },
  };
}

/** As an endpoint answers it. */
const completion = (said: readonly CallOf[] | string) => ({
  choices: [
    {
      message:
        typeof said === 'string'
          ? { role: 'assistant', content: said }
          : {
              role: 'assistant',
              content: null,
              tool_calls: said.map(([name, args], index) => ({
                ...{ id: `call_${index}`, type: 'function' },
                function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
              })),
            },
    },
  ],
  usage: { total_tokens: 100 },
});

export const open = (url: string): CallOf => ['open', { url }];
export const read: CallOf = ['read', {}];
export const assert = (statement: string, holds = true): CallOf => ['assert', { statement, holds }];
export const finish = (verdict: 'pass' | 'fail', summary = 'That is all.'): CallOf => [
  'finish',
  { verdict, summary },
];
