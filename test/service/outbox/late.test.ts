/** A process that stands still while it waits for an answer: what was taken meanwhile must not be sent once more. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { deliverHttp } from '../../../src/service/outbox/deliver/http.ts';

/** Answers in a thread of its own, so that it does while this one stands still. */
const SERVER = `
const { parentPort } = require('node:worker_threads');
const { createServer } = require('node:http');
createServer((request, response) => {
  parentPort.postMessage('asked');
  if (request.url === '/taken') setTimeout(() => response.end(), 50);
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`;

const TIMEOUT_MS = 200;

async function delivered(path: string) {
  const thread = new Worker(SERVER, { eval: true });
  onTestFinished(async () => void (await thread.terminate()));
  const [port] = await once(thread, 'message');
  const delivery = deliverHttp(
    { url: new URL(`http://127.0.0.1:${port}${path}`), method: 'POST', headers: {}, body: '{}' },
    { idempotencyKey: 'one', signal: new AbortController().signal },
    { timeoutMs: TIMEOUT_MS },
  );
  const [asked] = await once(thread, 'message');
  expect(asked).toBe('asked');
  // Nothing runs in this thread until the time is over.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * TIMEOUT_MS);
  return delivery;
}

it('takes an answer that came in time though it is read too late', async () => {
  expect(await delivered('/taken')).toEqual({ ok: true });
});

it('waits no longer where there is none', async () => {
  expect(await delivered('/silent')).toMatchObject({
    ok: false,
    mayRetry: true,
    error: 'no answer within 0.2 s',
  });
});
