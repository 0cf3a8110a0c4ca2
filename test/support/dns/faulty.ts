/** A name server that does what real ones do not: each test says, byte by byte, what comes back. */
import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { type Answer, decode, encode, RECURSION_AVAILABLE } from 'dns-packet';
import { onTestFinished } from 'vitest';

export interface Faulty {
  readonly address: string;
  readonly port: number;
  /** The datagrams that came, oldest first. */
  readonly datagrams: readonly Buffer[];
  /** How many connections are open now. */
  connections(): number;
}

export interface Faults {
  /** Called with each datagram, how many came before it, and a function that sends one back. */
  readonly udp?: (query: Buffer, before: number, reply: (message: Buffer) => void) => void;
  /** Called with each connection. */
  readonly tcp?: (socket: Socket) => void;
}

/** Listens on one port, UDP and TCP, until the test ends. Where a fault is left out the server keeps silent. */
export async function startFaulty(faults: Faults): Promise<Faulty> {
  const { close, ...server } = await listen(faults);
  onTestFinished(close);
  return server;
}

async function listen(faults: Faults): Promise<Faulty & { readonly close: () => Promise<void> }> {
  for (;;) {
    const sockets = new Set<Socket>();
    const datagrams: Buffer[] = [];
    const tcp = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      if (faults.tcp) faults.tcp(socket);
      else socket.resume();
    });
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const bound = tcp.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
    const udp = createSocket('udp4');
    udp.on('message', (query, from) => {
      datagrams.push(query);
      faults.udp?.(query, datagrams.length - 1, (message) => udp.send(message, from.port, from.address));
    });
    const both = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false));
      udp.bind(port, '127.0.0.1', () => resolve(true));
    });
    const close = async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => udp.close(resolve));
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    };
    if (both) return { address: '127.0.0.1', port, datagrams, connections: () => sockets.size, close };
    await close();
  }
}

/** A good reply to a query's bytes, with these answers. */
export function replyTo(query: Buffer, answers: Answer[], flags = RECURSION_AVAILABLE): Buffer {
  const asked = decode(query);
  return encode({
    type: 'response',
    id: query.readUInt16BE(0),
    flags,
    questions: asked.questions ?? [],
    answers,
  });
}

/** A message as TCP carries it, its length in front. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** Calls `answer` with the query of a connection, once all of it has come. */
export function onQuery(socket: Socket, answer: (query: Buffer) => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) answer(received.subarray(2));
  });
}

/** A loopback port that nothing listens at, neither UDP nor TCP. */
export async function closedPort(): Promise<number> {
  const { port, close } = await listen({});
  await close();
  return port;
}
