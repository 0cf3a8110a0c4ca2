/** A service of its own for end-to-end tests: `sonde service start` as a process, over SQLite in a temporary folder. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { bareEnv, type Env, type Running, startSonde } from './binary.ts';
import { type Answer, send } from './send.ts';

export interface E2eService {
  /** `http://127.0.0.1:PORT`; the same after a restart. */
  readonly url: string;
  readonly key: string;
  readonly accountId: string;
  /** The user's home, where the service has saved its profile. */
  readonly home: string;
  /** Its data folder. */
  readonly data: string;
  /** For commands of the user whose home it is. */
  readonly env: Readonly<Record<string, string>>;
  readonly pid: () => number;
  /** What the service has written to its log so far, over all its starts. */
  readonly log: () => string;
  /** Sends `METHOD /path` past the binary: what a test arranges and looks up. */
  api(line: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends it and gives the body; throws on anything but a success. */
  make<T>(line: string, body?: unknown): Promise<T>;
  /** Ends it with kill -9. */
  kill(): Promise<void>;
  /** Starts it again: on the same port, over the same data. */
  start(): Promise<void>;
  /** Stops it in order and removes its folders. Gives its exit code. */
  close(): Promise<number | null>;
}

interface UserFile {
  readonly profiles: { readonly local: { baseUrl: string; apiKey: string; accountId: string } };
}

/** Starts a service. `flags`: more of `service start`. */
export const startE2eService = (...flags: readonly string[]): Promise<E2eService> =>
  startE2eServiceIn({}, ...flags);

/** The same with more in its environment. */
export async function startE2eServiceIn(more: Env, ...flags: readonly string[]): Promise<E2eService> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-e2e-'));
  const [home, data] = [join(folder, 'home'), join(folder, 'data')];
  await mkdir(home);
  const env = bareEnv(home, more);
  let log = '';
  let process: Running;
  const launch = async (listen: string) => {
    process = startSonde(['service', 'start', '--listen', listen, '--data', data, ...flags], { env });
    process.child.stderr.on('data', (chunk: string) => {
      log += chunk;
    });
    await process.saw('this service');
  };
  await launch('127.0.0.1:0');
  const file = parse(await readFile(join(home, '.config/sonde/config.yaml'), 'utf8')) as UserFile;
  const { baseUrl: url, apiKey: key, accountId } = file.profiles.local;

  const api: E2eService['api'] = (line, body, headers) => send({ url, apiKey: key }, line, body, headers);
  return {
    ...{ url, key, accountId, home, data, env, api },
    pid: () => process.pid,
    log: () => log,
    async make<T>(line: string, body?: unknown) {
      const answer = await api(line, body);
      if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body as T;
    },
    async kill() {
      process.child.kill('SIGKILL');
      await process.ended;
    },
    start: () => launch(new URL(url).host),
    async close() {
      process.child.kill('SIGTERM');
      const { code } = await process.ended;
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}

/** A home with nothing in it. */
export async function emptyHome(): Promise<{ readonly home: string; readonly remove: () => Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'sonde-home-'));
  return { home, remove: () => rm(home, { recursive: true, force: true }) };
}

/** A port that counts who connects and never answers: what proves that nothing was sent. */
export interface SilentPort {
  readonly url: string;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

export async function silentPort(): Promise<SilentPort> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    // Whoever does connect must not hang on it.
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => sockets.length,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
