/** A proxy on loopback in front of a service, in which one request of an apply meets a fault. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** `lost`: the service acts, and its answer is lost. `refused …`: the service never sees the request. */
export const FAULTS = [
  'lost',
  'cut',
  'refused 500',
  'refused 429',
  'lost behind 500',
  'lost behind 504',
] as const;
export type ApplyFault = (typeof FAULTS)[number];

export interface ApplyProxy {
  readonly url: string;
  /** Requests so far since `meet`, as `POST /v1/checks/url`. */
  readonly requests: () => readonly string[];
  /**
   * Plays a fault at the nth request from now, or at the first `POST /path`. `onFault` runs when it happened. `isLast`: all
   * later requests are cut.
   */
  meet(
    at: number | string,
    fault: ApplyFault,
    options?: { batches?: boolean; isLast?: boolean; onFault?: () => void },
  ): void;
  close(): Promise<void>;
}

const answer = (response: ServerResponse, status: number, headers: Record<string, string> = {}): void => {
  const body = JSON.stringify({ statusCode: status, error: 'Fault', message: 'a fault of the test' });
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
};

export async function startApplyProxy(target: string): Promise<ApplyProxy> {
  let seen: string[] = [];
  let isGone = false;
  let next:
    | { at: number | string; fault: ApplyFault; hidesBatches: boolean; isLast: boolean; onFault: () => void }
    | undefined;

  async function forward(
    request: IncomingMessage,
  ): Promise<{ status: number; headers: Headers; body: Buffer }> {
    const { method = 'GET', url = '/', headers } = request;
    const { host: _, connection: __, 'content-length': ___, ...sent } = headers as Record<string, string>;
    const body = method === 'GET' ? undefined : new Uint8Array(await buffer(request));
    const found = await fetch(target + url, {
      method,
      headers: sent,
      ...(body === undefined || body.length === 0 ? {} : { body }),
    });
    return { status: found.status, headers: found.headers, body: Buffer.from(await found.arrayBuffer()) };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isGone) {
      request.socket.destroy();
      return;
    }
    const line = `${request.method} ${request.url}`;
    seen.push(line);
    const isHit =
      seen.length === next?.at || (line.split('?')[0] === next?.at && !seen.slice(0, -1).includes(line));
    const hit = isHit ? next : undefined;
    isGone = hit?.isLast ?? false;
    if (hit?.fault === 'cut') {
      hit.onFault();
      request.socket.destroy();
      return;
    }
    if (hit?.fault === 'refused 429') return answer(response, 429, { 'retry-after': '0' });
    if (hit?.fault === 'refused 500') return answer(response, 500);
    const { status, headers, body } = await forward(request);
    if (hit) {
      hit.onFault();
      if (hit.fault === 'lost') request.socket.destroy();
      else answer(response, hit.fault === 'lost behind 500' ? 500 : 504);
      return;
    }
    const shown = Object.fromEntries(
      [...headers].filter(([name]) => !['transfer-encoding', 'connection', 'keep-alive'].includes(name)),
    );
    if (next?.hidesBatches) delete shown['x-batch-limit'];
    response.writeHead(status, shown).end(body);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => seen,
    meet(at, fault, { batches = true, isLast = false, onFault = () => {} } = {}) {
      seen = [];
      isGone = false;
      next = { at, fault, hidesBatches: !batches, isLast, onFault };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
