/** What can befall a connection or a request on its way to the service, as data, and how the proxy plays it. */
import { setTimeout as delay } from 'node:timers/promises';
import { headOf, lie, PAGE, spoilt, twice, whole } from './answers.ts';
import type { ProxiedRequest, Reply } from './requests.ts';

/** One fault. The numbers and the text mean what the fault's own line says. */
export interface Fault {
  readonly name: FaultName;
  /** Milliseconds: how long it lasts, or how late the answer comes. */
  readonly ms?: number | undefined;
  /** From 0 to below 1: where an answer is cut. */
  readonly at?: number | undefined;
  /** A `Retry-After`; `date` stands for the moment in a second and a half. */
  readonly retryAfter?: string | undefined;
}

/** What befalls a connection, before any request. Those of the second list need TLS. */
export const CONNECTION_FAULTS = ['refused', 'hung up', 'silence'] as const;
export const TLS_FAULTS = ['handshake cut', 'wrong host', 'expired', 'self-signed', 'plaintext'] as const;
export type ConnectionFaultName = (typeof CONNECTION_FAULTS)[number] | (typeof TLS_FAULTS)[number];

/** What one request can do to its connection. */
export interface Exchange {
  readonly request: ProxiedRequest;
  /** The service's own answer to it. */
  forward(): Promise<Reply>;
  /** The session that it is about as it is now, without waiting; what starts sessions is forwarded. */
  look(): Promise<Reply>;
  /** Whether the connection must not be used again after this answer. */
  readonly isLast: boolean;
  /** Aborted when the connection is gone. */
  readonly gone: AbortSignal;
  write(bytes: Buffer | string): void;
  /** Ends with FIN. */
  end(): void;
  /** Ends with RST, after what was written has left. */
  reset(): Promise<void>;
}

type Play = (exchange: Exchange, fault: Fault) => Promise<void> | void;

const send = (exchange: Exchange, reply: Reply, more: Readonly<Record<string, string>> = {}): void => {
  exchange.write(whole(reply, exchange.isLast, more));
  if (exchange.isLast) exchange.end();
};
const page =
  (status: number): Play =>
  (exchange, { retryAfter }) =>
    send(
      exchange,
      { status, type: 'text/html', body: Buffer.from(PAGE) },
      retryAfter === undefined
        ? {}
        : { 'retry-after': retryAfter === 'date' ? new Date(Date.now() + 1500).toUTCString() : retryAfter },
    );
/** Answers with the session as it is, changed. */
const changed =
  (change: (reply: Reply) => Reply): Play =>
  async (exchange) =>
    send(exchange, change(await exchange.look()));
/** Writes the first part of the session as it is, and breaks off. */
const broken =
  (part: (reply: Reply, at: number) => Buffer, how: 'end' | 'reset'): Play =>
  async (exchange, { at = 0.5 }) => {
    exchange.write(part(await exchange.look(), at));
    await exchange[how]();
  };
const headPart = (reply: Reply, at: number): Buffer => {
  const head = headOf(reply, { 'content-length': String(reply.body.length) });
  return head.subarray(0, Math.floor(head.length * at));
};
const bodyPart = (reply: Reply, at: number): Buffer =>
  Buffer.concat([headOf(reply, { 'content-length': String(reply.body.length) }), cut(reply, at)]);
const cut = ({ body }: Reply, at: number): Buffer => body.subarray(0, Math.floor(body.length * at));

const PLAYS = {
  pass: async (exchange) => send(exchange, await exchange.forward()),
  late: async (exchange, { ms = 100 }) => {
    const reply = await exchange.forward();
    await delay(ms, undefined, { signal: exchange.gone });
    send(exchange, reply);
  },
  drip: async (exchange, { ms = 1 }) => {
    const bytes = whole(await exchange.forward(), exchange.isLast);
    for (const byte of bytes) {
      exchange.write(Buffer.of(byte));
      await delay(ms, undefined, { signal: exchange.gone });
    }
    if (exchange.isLast) exchange.end();
  },
  'reset before the answer': (exchange) => exchange.reset(),
  'reset in the head': broken(headPart, 'reset'),
  'reset in the body': broken(bodyPart, 'reset'),
  'closed before the answer': (exchange) => exchange.end(),
  'closed in the head': broken(headPart, 'end'),
  'closed in the body': broken(bodyPart, 'end'),
  'closed in a body without a length': broken(
    (reply, at) => Buffer.concat([headOf(reply, { connection: 'close' }), cut(reply, at)]),
    'end',
  ),
  /** The request arrives, and nothing ever comes back. */
  'half-open': async (exchange) => void (await exchange.look()),
  '500 page': page(500),
  '502 page': page(502),
  '503 page': page(503),
  '504 page': page(504),
  '429': page(429),
  'instant 408': page(408),
  '200 page': page(200),
  'empty 200': changed((reply) => ({ ...reply, status: 200, body: Buffer.alloc(0) })),
  '204': (exchange) => {
    exchange.write(headOf({ status: 204, type: '' }, {}));
  },
  '206': changed((reply) => ({ ...lie(reply, { status: 'PASSED' }), status: 206 })),
  '101': (exchange) => {
    exchange.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhello');
    exchange.end();
  },
  '103 before the answer': async (exchange) => {
    exchange.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
    send(exchange, await exchange.forward());
  },
  'cut JSON with its own length': async (exchange, { at = 0.5 }) => {
    const reply = await exchange.look();
    send(exchange, { ...reply, body: cut(reply, at) });
  },
  'cut JSON with too great a length': broken(
    (reply, at) =>
      Buffer.concat([headOf(reply, { 'content-length': String(reply.body.length + 100) }), cut(reply, at)]),
    'end',
  ),
  'JSON longer than its length': async (exchange) => {
    const reply = await exchange.look();
    const head = headOf(reply, { 'content-length': String(Math.floor(reply.body.length / 2)) });
    exchange.write(Buffer.concat([head, reply.body]));
    exchange.end();
  },
  garbage: (exchange) => {
    exchange.write(Buffer.from('\x16\x03\x01\x02\x00 not HTTP at all \r\n\r\n', 'latin1'));
    exchange.end();
  },
  'a huge head': async (exchange) =>
    send(exchange, await exchange.look(), { 'x-padding': 'x'.repeat(64 * 1024) }),
  'redirect elsewhere': (exchange) =>
    send(
      exchange,
      { status: 302, type: 'text/html', body: Buffer.from(PAGE) },
      { location: 'http://127.0.0.2:9/login' },
    ),
  'redirect without end': (exchange) =>
    send(
      exchange,
      { status: 307, type: 'text/html', body: Buffer.from(PAGE) },
      { location: exchange.request.path },
    ),
  'broken chunks': async (exchange) => {
    const reply = await exchange.look();
    const head = headOf(reply, { 'transfer-encoding': 'chunked' });
    exchange.write(Buffer.concat([head, Buffer.from('zz\r\n'), reply.body, Buffer.from('\r\n0\r\n\r\n')]));
    exchange.end();
  },
  'chunks without an end': async (exchange) => {
    const reply = lie(await exchange.look(), { status: 'PASSED' });
    const head = headOf(reply, { 'transfer-encoding': 'chunked' });
    const size = Buffer.from(`${reply.body.length.toString(16)}\r\n`);
    exchange.write(Buffer.concat([head, size, reply.body, Buffer.from('\r\n')]));
    exchange.end();
  },
  'a broken compression': async (exchange) =>
    send(exchange, await exchange.look(), { 'content-encoding': 'gzip' }),
  'an answer too many': async (exchange) => {
    const reply = await exchange.forward();
    const more = whole({ ...lie(reply, { status: 'PASSED' }), status: 200 }, false);
    exchange.write(Buffer.concat([whole(reply, false), more]));
    exchange.end();
  },
  'another session': changed((reply) => lie(reply, { id: true, status: 'PASSED' })),
  'no id': changed((reply) => lie(reply, { id: false, status: 'PASSED' })),
  'a stale answer': changed((reply) => lie(reply, { status: 'PROGRESS' })),
  'an unknown status': changed((reply) => lie(reply, { status: 'PASSED_WITH_NOTES' })),
  'a status in lower case': changed((reply) => lie(reply, { status: 'passed' })),
  'a status that is no text': changed((reply) => lie(reply, { status: ['PASSED'] })),
  'names given twice': changed((reply) => ({ ...reply, status: 200, body: twice(reply.body) })),
  'a list': changed((reply) => spoilt(reply, (session) => [session])),
  'a wrapped session': changed((reply) => spoilt(reply, (session) => ({ data: session, status: 'PASSED' }))),
  'a text': changed((reply) => spoilt(reply, () => 'PASSED')),
} satisfies Readonly<Record<string, Play>>;

export type FaultName = keyof typeof PLAYS | ConnectionFaultName;
/** What befalls a request. */
export const REQUEST_FAULTS = Object.keys(PLAYS) as readonly (keyof typeof PLAYS)[];

export const isOfConnection = (fault: Fault): fault is Fault & { readonly name: ConnectionFaultName } =>
  !(fault.name in PLAYS);

/** Plays a fault of a request. */
export async function play(fault: Fault, exchange: Exchange): Promise<void> {
  await (PLAYS as Readonly<Record<string, Play>>)[fault.name]?.(exchange, fault);
}
