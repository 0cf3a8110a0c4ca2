/** A small pooler in front of Postgres that lends sessions as PgBouncer does, in each of its modes. Without passwords. */
import { connect, createServer, type Socket } from 'node:net';

type Mode = 'session' | 'transaction' | 'statement';

interface Session {
  readonly socket: Socket;
  /** Given each message of the server. */
  hear: (type: string, message: Buffer) => void;
}

/** Calls `each` with every message that arrives; the first of a client has no type. */
function eachMessage(socket: Socket, hasType: boolean, each: (type: string, message: Buffer) => void): void {
  let bytes = Buffer.alloc(0);
  let isTyped = hasType;
  socket.setNoDelay();
  socket.on('error', () => {});
  socket.on('data', (more: Buffer) => {
    bytes = Buffer.concat([bytes, more]);
    for (;;) {
      const at = isTyped ? 1 : 0;
      if (bytes.length < at + 4) return;
      const length = at + bytes.readInt32BE(at);
      if (bytes.length < length) return;
      const message = bytes.subarray(0, length);
      bytes = bytes.subarray(length);
      const type = isTyped ? String.fromCharCode(message[0] ?? 0) : '';
      isTyped = true;
      each(type, message);
    }
  });
}

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int32 = (...values: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) buffer.writeInt32BE(value, at * 4);
  return buffer;
};
const READY = message('Z', Buffer.from('I'));

export async function startPooler(serverSocket: string, mode: Mode) {
  const free: Session[] = [];
  const sockets = new Set<Socket>();

  /** Opens a session of the server with the start message of a client. */
  function openSession(startup: Buffer): Promise<Session> {
    const socket = connect(serverSocket);
    sockets.add(socket);
    return new Promise((resolve) => {
      const session: Session = { socket, hear: (type) => type === 'Z' && resolve(session) };
      eachMessage(socket, true, (type, bytes) => session.hear(type, bytes));
      socket.once('connect', () => socket.write(startup));
    });
  }

  function serve(client: Socket): void {
    sockets.add(client);
    let startup = Buffer.alloc(0);
    let session: Session | undefined;
    let turn = Promise.resolve();

    async function forward(type: string, bytes: Buffer): Promise<void> {
      if (type === '') {
        startup = Buffer.from(bytes);
        client.write(Buffer.concat([message('R', int32(0)), message('K', int32(4711, 0)), READY]));
        return;
      }
      if (type === 'X') return void client.end();
      if (mode === 'statement' && bytes.includes('begin\0')) {
        const text = 'SERROR\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0';
        client.end(Buffer.concat([message('E', Buffer.from(text)), READY]));
        return;
      }
      const own = session ?? free.pop() ?? (await openSession(startup));
      session = own;
      own.hear = (kind, answer) => {
        client.write(answer);
        const isOver = kind === 'Z' && answer[5] === 'I'.charCodeAt(0);
        if (!isOver || mode === 'session') return;
        session = undefined;
        free.push(own);
      };
      own.socket.write(bytes);
    }
    eachMessage(client, false, (type, bytes) => {
      const copy = Buffer.from(bytes);
      turn = turn.then(() => forward(type, copy));
    });
    client.once('close', () => session?.socket.destroy());
  }

  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    urlOf(url: string): string {
      const through = new URL(url);
      through.searchParams.delete('host');
      through.host = `127.0.0.1:${port}`;
      return through.href;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
