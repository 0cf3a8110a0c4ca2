/** A process that stands still while it sends or waits for an answer: what was taken meanwhile must not be sent once more. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliverEmail, parseMailUrl } from '../../../src/service/outbox/deliver/email.ts';
import { deliverHttp } from '../../../src/service/outbox/deliver/http.ts';

/** These answer in a thread of their own, so that they do while this one stands still. */
const HTTP_SERVER = `
const { parentPort } = require('node:worker_threads');
const { createServer } = require('node:http');
createServer((request, response) => {
  parentPort.postMessage('asked');
  const afterMs = /\\d+/.exec(request.url);
  if (afterMs) setTimeout(() => response.end(), Number(afterMs[0]));
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`;

const MAIL_SERVER = `
const { parentPort } = require('node:worker_threads');
const { SMTPServer } = require('smtp-server');
const server = new SMTPServer({
  authOptional: true, disabledCommands: ['STARTTLS'], disableReverseLookup: true,
  onData(stream, session, done) {
    stream.resume();
    stream.on('end', () => {
      parentPort.postMessage('asked');
      if (session.envelope.rcptTo[0].address.startsWith('taken')) setTimeout(done, 50);
    });
  },
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.server.address().port));`;

const TIMEOUT_MS = 200;
const context = { idempotencyKey: 'one', signal: new AbortController().signal };

/** A server in a thread of its own: where it listens, and how often it was asked. */
async function threaded(program: string) {
  const thread = new Worker(program, { eval: true });
  onTestFinished(async () => void (await thread.terminate()));
  const [port] = (await once(thread, 'message')) as [number];
  let asked = 0;
  thread.on('message', () => {
    asked += 1;
  });
  return { thread, port, asked: () => asked };
}

/** Nothing runs in this thread meanwhile. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a request', () => {
  async function server() {
    const { port, ...more } = await threaded(HTTP_SERVER);
    const deliver = (path: string, timeoutMs = TIMEOUT_MS) =>
      deliverHttp(
        { url: new URL(`http://127.0.0.1:${port}${path}`), method: 'POST', headers: {}, body: '{}' },
        context,
        { timeoutMs },
      );
    return { ...more, deliver };
  }

  it('was answered in time though the answer is read too late', async () => {
    const { thread, deliver } = await server();
    const delivery = deliver('/50');
    await once(thread, 'message');
    standStill(2 * TIMEOUT_MS);
    expect(await delivery).toEqual({ ok: true });
  });

  it('may be answered for as long as ever from when it left, however late it leaves', async () => {
    const { deliver, asked } = await server();
    const delivery = deliver('/50');
    // It connects only now, and sends what this thread then has no time left to see answered.
    await Promise.resolve();
    standStill(2 * TIMEOUT_MS);
    expect(await delivery).toEqual({ ok: true });
    expect(asked()).toBe(1);
  });

  it('may be answered later by so long as nobody could have heard the answer', async () => {
    const { thread, deliver } = await server();
    // Whoever answers may have stood still, too, as where the whole machine did.
    const delivery = deliver('/700', 400);
    await once(thread, 'message');
    await new Promise((resolve) => setTimeout(resolve, 100));
    standStill(500);
    expect(await delivery).toEqual({ ok: true });
  });

  it('is given up where no answer comes, and not before', async () => {
    const { thread, deliver } = await server();
    const delivery = deliver('/silent');
    await once(thread, 'message');
    const began = performance.now();
    standStill(2 * TIMEOUT_MS);
    expect(await delivery).toMatchObject({ ok: false, mayRetry: true, error: 'no answer within 0.2 s' });
    expect(performance.now() - began).toBeGreaterThan(2.5 * TIMEOUT_MS);
  });

  it('is given up where this thread stands still again and again', async () => {
    const { deliver } = await server();
    const stalls = setInterval(() => standStill(25), 1);
    onTestFinished(() => clearInterval(stalls));
    expect(await deliver('/silent', 100)).toMatchObject({ ok: false, error: 'no answer within 0.1 s' });
  });
});

describe('an e-mail', () => {
  const patience = { greetingMs: 2000, wholeMs: TIMEOUT_MS };
  async function server() {
    const { port, ...more } = await threaded(MAIL_SERVER);
    const settings = parseMailUrl(`smtp://127.0.0.1:${port}`);
    const deliver = (name: string) =>
      deliverEmail(
        { kind: 'email', to: `${name}@example.com`, subject: 's', text: 't', html: '<p>h</p>' },
        settings,
        context,
        patience,
      );
    return { ...more, deliver };
  }

  it('was taken though the answer is read too late', async () => {
    const { thread, deliver } = await server();
    const delivery = deliver('taken');
    await once(thread, 'message');
    standStill(2 * TIMEOUT_MS);
    expect(await delivery).toEqual({ ok: true });
  });

  it('is given up where the server never says that it has taken it', async () => {
    const { deliver } = await server();
    expect(await deliver('silent')).toMatchObject({
      ...{ ok: false, mayRetry: true },
      error: 'the mail server did not take it within 0.2 s',
    });
  });
});
