/** Requests off a bare socket, and what the service behind the proxy answers to them. */
import { request as send } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request as it arrived. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A whole answer of the service. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

const HEAD_END = '\r\n\r\n';

/** Tells of each request of a connection, one after the other: the next is looked at once `answer` has resolved. */
export async function eachRequest(
  stream: Duplex,
  answer: (request: ProxiedRequest) => Promise<void>,
): Promise<void> {
  let received: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    received = Buffer.concat([received, chunk as Buffer]);
    for (;;) {
      const taken = parse(received);
      if (!taken) break;
      received = taken.rest;
      await answer(taken.request);
    }
  }
}

function parse(bytes: Buffer): { readonly request: ProxiedRequest; readonly rest: Buffer } | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const from = end + HEAD_END.length;
  const to = from + Number(headers['content-length'] ?? 0);
  if (bytes.length < to) return undefined;
  const [method = '', path = ''] = first.split(' ');
  return { request: { method, path, headers, body: bytes.subarray(from, to) }, rest: bytes.subarray(to) };
}

/** Asks the service. Rejects where it is away, or once the signal is aborted. */
export function askService(service: URL, request: ProxiedRequest, signal: AbortSignal): Promise<Reply> {
  const { method, path, headers, body } = request;
  return new Promise((resolve, reject) => {
    const options = { method, path, headers: { ...headers, host: service.host }, signal, agent: false };
    const asked = send(service, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'] ?? '',
          body: Buffer.concat(chunks),
        }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
