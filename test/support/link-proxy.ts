/** A proxy on loopback for the TCP link between a service and its Postgres, with the faults that such a link has. */
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * `half-open`: bytes are lost without a word; connections of that time stay dead. `stalled`: bytes wait. `delayed`: bytes are
 * late. `cut`: connections end, new ones are refused. `reset`: connections are reset, new ones, too.
 */
export type LinkFault = 'half-open' | 'stalled' | 'delayed' | 'cut' | 'reset';

export interface LinkProxy {
  readonly port: number;
  /** The URL of the same database through the proxy. */
  urlOf(url: string): string;
  begin(fault: LinkFault): Promise<void>;
  end(): Promise<void>;
  /** Carries the next commit of a connection that sent this text, and drops the connection instead of the answer. */
  loseCommitAfter(text: string): void;
  /** Connections that are open. */
  open(): number;
  close(): Promise<void>;
}

const DELAY_MS = 50;

/** Listens in front of a server that is reached by a Unix socket. */
export async function startLinkProxy(serverSocket: string): Promise<LinkProxy> {
  const pairs = new Set<{ readonly ends: readonly [Socket, Socket]; isDead: boolean }>();
  let fault: LinkFault | undefined;
  let lost: string | undefined;
  let held: (() => void)[] = [];
  let server: Server | undefined;
  let port = 0;

  function accept(client: Socket): void {
    if (fault === 'reset') return void client.resetAndDestroy();
    const upstream = connect(serverSocket);
    let hasSentText = false;
    const pair = { ends: [client, upstream] as const, isDead: fault === 'half-open' };
    pairs.add(pair);
    const carry = (from: Socket, to: Socket) => {
      from.setNoDelay();
      from.on('error', () => {});
      from.on('data', (bytes: Buffer) => {
        if (fault === 'half-open') pair.isDead = true;
        if (pair.isDead) return;
        if (from === client && lost !== undefined) hasSentText ||= bytes.includes(lost);
        if (from === client && hasSentText && bytes.includes('commit\0')) {
          hasSentText = false;
          lost = undefined;
          upstream.removeAllListeners('data').once('data', () => client.destroy());
        }
        const pass = () => void (to.destroyed || to.write(bytes));
        // Behind what waits already, so that no byte overtakes another.
        if (fault === 'stalled') held.push(pass);
        else if (fault === 'delayed') setTimeout(pass, DELAY_MS);
        else pass();
      });
      // The other end hears of it only where the link works.
      from.on('close', () => {
        const tell = () => {
          pairs.delete(pair);
          to.destroy();
        };
        if (fault === 'half-open' || fault === 'stalled') held.push(tell);
        else tell();
      });
    };
    carry(client, upstream);
    carry(upstream, client);
  }

  const listen = () =>
    new Promise<void>((resolve, reject) => {
      const next = createServer(accept).once('error', reject);
      server = next;
      next.listen(port, '127.0.0.1', () => {
        port = (next.address() as { port: number }).port;
        resolve();
      });
    });
  const unlisten = () =>
    new Promise<void>((resolve) => (server?.listening ? server.close(() => resolve()) : resolve()));
  function each(doing: (socket: Socket) => void): void {
    for (const { ends } of pairs) for (const socket of ends) doing(socket);
  }

  await listen();
  return {
    get port() {
      return port;
    },
    urlOf(url) {
      const through = new URL(url);
      through.searchParams.delete('host');
      through.host = `127.0.0.1:${port}`;
      return through.href;
    },
    async begin(next) {
      fault = next;
      if (next === 'reset')
        for (const { ends } of pairs) {
          ends[0].resetAndDestroy();
          ends[1].destroy();
        }
      if (next === 'cut') {
        const closed = unlisten();
        each((socket) => socket.destroy());
        await closed;
      }
    },
    async end() {
      const before = fault;
      fault = undefined;
      const waiting = held;
      held = [];
      for (const one of waiting) one();
      if (before === 'cut') await listen();
    },
    loseCommitAfter(text) {
      lost = text;
    },
    open: () => pairs.size,
    async close() {
      fault = undefined;
      const closed = unlisten();
      each((socket) => socket.destroy());
      await closed;
    },
  };
}
