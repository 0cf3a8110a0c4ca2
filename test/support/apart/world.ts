/** A service, two agents of one location and one of another, each in a network of its own, as processes that are killed and drained. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { BINARY, bareEnv } from '../binary.ts';
import { byHand } from '../by-hand.ts';
import { send } from '../send.ts';
import { type Island, openNetworks } from './network.ts';

const PORT = 4100;
const SLOW_PORT = 4200;
const TARGET_PORT = 8000;
/** A bench is a bundle elsewhere; both are run from the root. */
const PROGRAM = join(process.cwd(), 'test/support/apart/program.cjs');

/** A process in a network. */
interface Member {
  readonly said: () => string;
  saw(text: string): Promise<void>;
  /** Ends it; answers its exit code. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

function startIn(namespace: string, argv: readonly string[], env: Readonly<Record<string, string>>): Member {
  const child: ChildProcess = spawn('ip', ['netns', 'exec', namespace, process.execPath, ...argv], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  let look = () => {};
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    look();
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    said: () => said,
    saw: (text) =>
      new Promise((resolve, reject) => {
        look = () => said.includes(text) && resolve();
        look();
        void ended.then((code) => reject(new Error(`exit ${code} before "${text}": ${said}`)));
      }),
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

export interface ApartAgent {
  readonly name: string;
  readonly island: Island;
  /** How often it was killed, and how it ended each time that it was told to. */
  readonly ends: { kills: number; readonly drains: (number | null)[] };
  start(): void;
  kill(): Promise<void>;
  drain(): Promise<void>;
}

export interface Apart {
  readonly agents: readonly ApartAgent[];
  /** Checks with how many runs a session of each has. */
  readonly checks: readonly { readonly id: string; readonly runs: number }[];
  api<T>(line: string, body?: unknown): Promise<T>;
  killService(): Promise<void>;
  startService(): Promise<void>;
  /** Results that wait in spools. */
  spooled(): Promise<number>;
  close(): Promise<void>;
}

interface Named {
  readonly id: string;
}

/** Makes all of it. Throws where networks cannot be had. */
export async function openApart(): Promise<Apart> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-apart-'));
  const networks = await openNetworks();
  const beside: Member[] = [];
  const home = join(folder, 'service');
  await mkdir(home);
  let service: Member | undefined;
  let apiKey = '';
  const url = `http://${networks.serviceHost}:${PORT}`;

  async function startService(): Promise<void> {
    const flags = [
      '--listen',
      `0.0.0.0:${PORT}`,
      '--allow-private-networks',
      '--data',
      join(home, 'data'),
      '--rate-limit',
      '1000000',
    ];
    service = startIn(networks.namespace, [BINARY, 'service', 'start', ...flags], bareEnv(home));
    await service.saw('this service');
  }
  async function api<T>(line: string, body?: unknown): Promise<T> {
    for (;;) {
      // The service may just have been killed.
      const answer = await send({ url, apiKey }, line, body).catch(() => undefined);
      if (answer === undefined || answer.status === 503) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body as T;
    }
  }

  async function agentOf(name: string, key: string, isSlow: boolean): Promise<ApartAgent> {
    const island = await networks.island();
    const ownHome = join(folder, name);
    await mkdir(ownHome);
    beside.push(startIn(island.namespace, [PROGRAM, 'target', String(TARGET_PORT)], {}));
    const env = bareEnv(ownHome, {
      ...{ API_KEY: key, SONDE_INSECURE: '1', JOB_CONCURRENCY: '5' },
      SONDE_BASE_URL: `http://${island.serviceHost}:${isSlow ? SLOW_PORT : PORT}`,
    });
    let agent: Member | undefined;
    const ends = { kills: 0, drains: [] as (number | null)[] };
    return {
      ...{ name, island, ends },
      start() {
        agent = startIn(island.namespace, [BINARY, 'agent', 'start', '--uptime'], env);
      },
      async kill() {
        ends.kills += 1;
        await agent?.end('SIGKILL');
      },
      async drain() {
        // A process that has not begun is ended by the system itself.
        await agent?.saw('Health probes');
        ends.drains.push((await agent?.end('SIGTERM')) ?? null);
      },
    };
  }

  await startService();
  const config = parse(await readFile(join(home, '.config/sonde/config.yaml'), 'utf8'));
  apiKey = config.profiles.local.apiKey;
  beside.push(
    startIn(networks.namespace, [PROGRAM, 'slow', String(SLOW_PORT), '127.0.0.1', String(PORT)], {}),
  );
  const keys = new Map<string, string>();
  for (const slug of ['harbour', 'island']) {
    const body = { name: slug, slugName: slug };
    const made = await api<{ keys: readonly { rawKey: string }[] }>('POST /v1/private-locations', body);
    keys.set(slug, made.keys[0]?.rawKey ?? '');
  }
  const check = async (name: string, privateLocations: readonly string[]) => {
    const request = { url: `http://127.0.0.1:${TARGET_PORT}/` };
    const { id } = await api<Named>('POST /v1/checks/url', {
      ...{ name, request, ...byHand(), privateLocations, locations: null },
      ...{ retryStrategy: null, runParallel: true },
    });
    return { id, runs: privateLocations.length };
  };
  const checks = [
    await check('at the harbour', ['harbour']),
    await check('on the island', ['island']),
    await check('at both', ['harbour', 'island']),
  ];
  const agents = [
    await agentOf('one', keys.get('harbour') ?? '', false),
    await agentOf('two', keys.get('harbour') ?? '', true),
    await agentOf('three', keys.get('island') ?? '', false),
  ];
  return {
    ...{ agents, checks, api, startService },
    async killService() {
      await service?.end('SIGKILL');
    },
    async spooled() {
      const each = agents.map(({ name }) =>
        readdir(join(folder, name, '.local/share/sonde/agent'), { recursive: true }).catch(() => []),
      );
      return (await Promise.all(each)).flat().filter((file) => file.endsWith('.json')).length;
    },
    async close() {
      await Promise.all(agents.map((agent) => agent.kill()));
      await service?.end('SIGTERM');
      await Promise.all(beside.map((member) => member.end('SIGKILL')));
      await networks.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
