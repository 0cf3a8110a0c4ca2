/** TCP servers that speak first, late, much, or not at all. */
import type { Socket } from 'node:net';

/** Writes a text after a pause. The pauses are part of what these servers do. */
const later = (socket: Socket, ms: number, text: string): void =>
  void setTimeout(() => socket.write(text), ms);

export const tcpServers = {
  reset: (socket) => socket.resetAndDestroy(),
  /** The three bytes of a euro sign come in two packets. */
  splitEuro: (socket) => {
    socket.write(Buffer.from([0xff, 0xfb, 1, 0, 0xe2]));
    setTimeout(() => socket.write(Buffer.from([0x82, 0xac, 10])), 50);
  },
  ticker: (socket) => {
    let count = 0;
    const timer = setInterval(() => socket.write(`tick${++count}\n`), 100);
    socket.on('close', () => clearInterval(timer));
  },
  flood: (socket) => socket.write(`${'x'.repeat(200_000)}NEEDLE`),
  postscreen: (socket) => {
    socket.write('220-mail.test ESMTP\r\n');
    later(socket, 2000, '220 mail.test ESMTP Postfix\r\n');
  },
  irc: (socket) => {
    socket.write(':irc.test NOTICE AUTH :*** Looking up your hostname\r\n');
    later(socket, 1500, ':irc.test NOTICE AUTH :*** Found your hostname\r\nPING :123\r\n');
  },
  lateError: (socket) => {
    socket.write('+OK ready\r\n');
    later(socket, 2000, '-ERR database is down\r\n');
  },
  /** Ends the connection with its last line. */
  lateEnd: (socket) => {
    socket.write('+OK ready\r\n');
    setTimeout(() => socket.end('+OK bye\r\n'), 900);
  },
  /** More than sonde reads. */
  flood2m: (socket) => socket.write('x'.repeat(2_000_000)),
  latin1: (socket) => socket.end(Buffer.from('St\xf6rung\r\n', 'latin1')),
} satisfies Record<string, (socket: Socket) => unknown>;
