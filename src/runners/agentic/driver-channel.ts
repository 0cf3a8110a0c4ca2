/** Sends commands to the driver in a cell, one at a time, and validates its replies. */
import { createServer, type Server, type Socket } from 'node:net';
import { type Command, MAX_REPLY_BYTES, parseReply, type Reply } from './protocol.ts';

/** The driver no longer accepts commands. The message says why. */
export class BrowserEnded extends Error {}

export interface DriverChannel {
  readonly server: Server;
  /** Sends a command. Rejects with the signal's reason, or with BrowserEnded. */
  send(command: Command, signal: AbortSignal): Promise<Reply>;
  /** Ends the driver. `why`: the reason for later callers. */
  close(why?: string): void;
}

export function openDriverChannel(): DriverChannel {
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
    async send(command, signal) {
      signal.throwIfAborted();
      if (ended) throw ended;
      let onAbort = () => {};
      const reply = new Promise<Reply>((resolve, reject) => {
        resolveReply = resolve;
        rejectReply = reject;
        onAbort = () => reject(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
      });
      void connected.then((socket) => socket.write(`${JSON.stringify(command)}\n`));
      return reply.finally(() => signal.removeEventListener('abort', onAbort));
    },
    close: (why = 'the check has ended') => end(why),
  };
}
