/** What a receiver has answered counts, however the rest of its answer ends: it is not asked again. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { deliverHttp } from '../../../../src/service/notify/outbox/deliver/http.ts';

const TIMEOUT_MS = 300;
const ENDINGS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'whose answer never ends': () => {},
  'whose connection is reset': ({ socket }) => void setImmediate(() => socket?.resetAndDestroy()),
  'that closes in the middle': ({ socket }) => void setImmediate(() => socket?.destroy()),
};

it.each(Object.keys(ENDINGS))('a receiver %s has taken the message by its status', async (name) => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    request.resume();
    response.writeHead(200, { 'content-length': 100 });
    response.write('{', () => ENDINGS[name]?.(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const context = { idempotencyKey: 'one', signal: new AbortController().signal };
  const request = { url, method: 'POST', headers: {}, body: '{}' } as const;
  expect(await deliverHttp(request, context, { timeoutMs: TIMEOUT_MS })).toMatchObject({ ok: true });
  expect(asked).toBe(1);
});
