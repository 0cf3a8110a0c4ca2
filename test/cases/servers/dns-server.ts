/** A name server on one port for UDP and TCP. Names without an answer have the address 192.0.2.100. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { a, type Query, type Reply, readQuery, reply, u16 } from './dns-wire.ts';
import { type Endpoint, listenTcp } from './listen.ts';

/** Returns the messages of an answer: none for a lost query, several where others come first. */
export type Responder = (query: Query) => Reply | readonly Reply[];

/** Starts the server. `responders`: by the first label of the name. */
export async function startDnsServer(responders: Readonly<Record<string, Responder>>): Promise<Endpoint> {
  const respond = (bytes: Buffer, overTcp: boolean): readonly Buffer[] => {
    const query = readQuery(bytes, overTcp);
    const replies = responders[query.labels[0] ?? '']?.(query) ?? { answers: [a('192.0.2.100')] };
    return [replies].flat().map((each) => reply(query, each));
  };
  const tcp = await listenTcp((socket) => {
    let received = Buffer.alloc(0) as Buffer;
    socket.on('end', () => socket.end());
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        for (const message of respond(received.subarray(2, end), true))
          socket.write(Buffer.concat([u16(message.length), message]));
        received = received.subarray(end);
      }
    });
  });
  const udp = createSocket('udp4');
  udp.on('message', (bytes, from) => {
    for (const message of respond(bytes, false)) udp.send(message, from.port, from.address);
  });
  udp.bind(tcp.port, '127.0.0.1');
  await once(udp, 'listening');
  return {
    port: tcp.port,
    async close() {
      await Promise.all([tcp.close(), new Promise<void>((resolve) => udp.close(() => resolve()))]);
    },
  };
}
