/** A process that stands still while it sends or waits for an answer: what was taken meanwhile must not be sent once more. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliverEmail, parseMailUrl } from '../../../../src/service/notify/outbox/deliver/email.ts';
import { deliverHttp } from '../../../../src/service/notify/outbox/deliver/http.ts';
import { eventually } from '../../../support/eventually.ts';

/** The servers answer in a thread of their own while this thread stands still. `answered` tells this thread of it. */
const COMMON = `
const { parentPort, workerData } = require('node:worker_threads');
const answered = () => { Atomics.store(workerData, 0, 1); Atomics.notify(workerData, 0); };`;

const HTTP_SERVER = `${COMMON}
const { createServer } = require('node:http');
createServer((request, response) => {
  const end = () => response.end(answered);
  if (request.url === '/at-once') end();
  if (request.url === '/when-told') parentPort.once('message', end);
  parentPort.postMessage('asked');
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`;

const MAIL_SERVER = `${COMMON}
const { SMTPServer } = require('smtp-server');
const server = new SMTPServer({
  authOptional: true, disabledCommands: ['STARTTLS'], disableReverseLookup: true,
  onData(stream, session, done) {
    stream.resume();
    stream.on('end', () => {
      parentPort.postMessage('asked');
      if (session.envelope.rcptTo[0].address.startsWith('taken')) { done(); setImmediate(answered); }
    });
  },
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.server.address().port));`;

const TIMEOUT_MS = 200;
/** The timeout of deliveries that are answered: a slow machine gives the server enough of it. */
const LONG_TIMEOUT_MS = 500;
const context = { idempotencyKey: 'one', signal: new AbortController().signal };

/** A server in a thread of its own: where it listens, and how often it was asked. */
async function threaded(program: string) {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(program, { eval: true, workerData: answered });
  onTestFinished(async () => void (await thread.terminate()));
  const [port] = (await once(thread, 'message')) as [number];
  let asked = 0;
  thread.on('message', () => {
    asked += 1;
  });
  /** Nothing runs in this thread until the server has answered, and for `ms` more. */
  const standStillAnswered = (ms: number): void => {
    Atomics.wait(answered, 0, 0);
    standStill(ms);
  };
  return { thread, port, asked: () => asked, standStillAnswered };
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
    const { deliver, thread, standStillAnswered } = await server();
    const delivery = deliver('/at-once', LONG_TIMEOUT_MS);
    await once(thread, 'message');
    standStillAnswered(2 * LONG_TIMEOUT_MS);
    expect(await delivery).toEqual({ ok: true });
  });

  it('may be answered for as long as ever from when it left, however late it leaves', async () => {
    const { deliver, asked } = await server();
    const delivery = deliver('/at-once', LONG_TIMEOUT_MS);
    // The request leaves only after that, when a timer from the start would have fired.
    await Promise.resolve();
    standStill(1.2 * LONG_TIMEOUT_MS);
    expect(await delivery).toEqual({ ok: true });
    await eventually(() => expect(asked()).toBe(1));
  });

  it('may be answered later by so long as nobody could have heard the answer', async () => {
    const { thread, deliver } = await server();
    // The receiver may have stood still, too, as it does when the whole machine pauses.
    const delivery = deliver('/when-told', LONG_TIMEOUT_MS);
    await once(thread, 'message');
    await new Promise((resolve) => setTimeout(resolve, LONG_TIMEOUT_MS / 4));
    standStill(1.2 * LONG_TIMEOUT_MS);
    thread.postMessage('answer');
    expect(await delivery).toEqual({ ok: true });
  });

  it('is given up where no answer comes, and not before', async () => {
    const { thread, deliver } = await server();
    const delivery = deliver('/silent');
    await once(thread, 'message');
    const began = performance.now();
    standStill(2 * TIMEOUT_MS);
    expect(await delivery).toMatchObject({ ok: false, mayRetry: true, error: 'no response within 0.2 s' });
    expect(performance.now() - began).toBeGreaterThan(2.5 * TIMEOUT_MS);
  });

  it('is given up where this thread stands still again and again', async () => {
    const { deliver } = await server();
    const stalls = setInterval(() => standStill(25), 1);
    onTestFinished(() => clearInterval(stalls));
    expect(await deliver('/silent', 100)).toMatchObject({ ok: false, error: 'no response within 0.1 s' });
  });
});

describe('an e-mail', () => {
  const patience = { greetingMs: 60_000, messageMs: LONG_TIMEOUT_MS };
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
    const { thread, deliver, standStillAnswered } = await server();
    const delivery = deliver('taken');
    await once(thread, 'message');
    standStillAnswered(2 * LONG_TIMEOUT_MS);
    expect(await delivery).toEqual({ ok: true });
  });

  it('is given up where the server never says that it has taken it', async () => {
    const { deliver } = await server();
    expect(await deliver('silent')).toMatchObject({
      ...{ ok: false, mayRetry: true },
      error: 'the mail server did not accept the message within 0.5 s',
    });
  });
});
