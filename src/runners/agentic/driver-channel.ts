/** Sends commands to the driver in a cell, one at a time, and validates its replies. */
import { createServer, type Socket } from 'node:net';
import { raceWithAbort } from '../../base/abort.ts';
import { type Command, MAX_REPLY_BYTES, parseReply, type Reply } from './protocol.ts';

export class BrowserEnded extends Error {}

export function openDriverChannel() {
  const server = createServer();
  // Only the driver may connect. It connects before a page is opened.
  server.maxConnections = 1;
  let ended: BrowserEnded | undefined;
  let resolveReply: (reply: Reply) => void = () => {};
  let rejectReply: (error: Error) => void = () => {};
  let resolveSocket: (socket: Socket) => void = () => {};
  const connected = new Promise<Socket>((resolve) => {
    resolveSocket = resolve;
  });

  server.on('connection', (socket) => {
    let rest = '';
    socket.setEncoding('utf8').on('error', () => {});
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines)
        resolveReply(
          parseReply(line) ?? { requestedHosts: [], isDone: false, error: 'the browser did not respond' },
        );
      if (rest.length > MAX_REPLY_BYTES) end('the browser sent more data than allowed');
    });
    socket.once('close', () => end('the browser has ended'));
    resolveSocket(socket);
  });

  function end(why: string): void {
    ended ??= new BrowserEnded(why);
    rejectReply(ended);
    server.close();
    void connected.then((socket) => socket.destroySoon());
  }

  return {
    server,
    /** Sends a command. Rejects with the signal's reason, or with BrowserEnded. */
    async send(command: Command, signal: AbortSignal): Promise<Reply> {
      signal.throwIfAborted();
      if (ended) throw ended;
      const reply = new Promise<Reply>((resolve, reject) => {
        resolveReply = resolve;
        rejectReply = reject;
      });
      void connected.then((socket) => socket.write(`${JSON.stringify(command)}\n`));
      return raceWithAbort(reply, signal);
    },
    /** Ends the driver. `why`: the reason for later callers. */
    close: (why = 'the check has ended'): void => end(why),
  };
}
