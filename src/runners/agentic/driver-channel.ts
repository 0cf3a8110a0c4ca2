/** The runner's end of the channel to the driver in a cell: gives commands one at a time, and hears the replies with distrust. */
import { createServer, type Server, type Socket } from 'node:net';
import { type Command, LONGEST_REPLY, type Reply, readReply } from './protocol.ts';

/** The driver can be asked no more, and why. */
export class BrowserGone extends Error {}

export interface Channel {
  readonly server: Server;
  /** Rejects with the signal's reason, and with BrowserGone. */
  ask(command: Command, signal: AbortSignal): Promise<Reply>;
  /** Tells the driver to end. `why`: it has ended. */
  close(why?: string): void;
}

export function openChannel(): Channel {
  const server = createServer();
  // The driver alone: it connects before a page is opened.
  server.maxConnections = 1;
  let gone: BrowserGone | undefined;
  let heard: (reply: Reply) => void = () => {};
  let fail: (error: Error) => void = () => {};
  let take: (socket: Socket) => void = () => {};
  const connected = new Promise<Socket>((resolve) => {
    take = resolve;
  });

  server.on('connection', (socket) => {
    let rest = '';
    socket.setEncoding('utf8').on('error', () => {});
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines)
        heard(readReply(line) ?? { asked: [], isDone: false, error: 'the browser did not respond' });
      if (rest.length > LONGEST_REPLY) end('the browser sent more data than allowed');
    });
    socket.once('close', () => end('the browser has ended'));
    take(socket);
  });

  function end(why: string): void {
    gone ??= new BrowserGone(why);
    fail(gone);
    server.close();
    void connected.then((socket) => socket.destroySoon());
  }

  return {
    server,
    async ask(command, signal) {
      signal.throwIfAborted();
      if (gone) throw gone;
      let onAbort = () => {};
      const reply = new Promise<Reply>((resolve, reject) => {
        heard = resolve;
        fail = reject;
        onAbort = () => reject(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
      });
      void connected.then((socket) => socket.write(`${JSON.stringify(command)}\n`));
      return reply.finally(() => signal.removeEventListener('abort', onAbort));
    },
    close: (why = 'the check has ended') => end(why),
  };
}
