/** What a storm breaks over: a service, and sessions in it whose end is known before anybody waits for them. */
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { decode } from 'dns-packet';
import { makeCheck, makeEndlessCheck, startSession, type World } from '../../e2e/world.ts';
import { replyTo } from '../dns/faulty.ts';
import { type E2eService, startE2eService } from '../e2e.ts';

/** How a session ends; `endless` ones still run when every gate has given up. */
export type Truth = 'passed' | 'failed' | 'degraded' | 'cancelled' | 'timed out' | 'endless';
const KINDS = ['check', 'test'] as const;
export type Kind = (typeof KINDS)[number];

/** When sessions end that have not ended yet, in ms after their start. */
export const DELAYS = [200, 700, 1000, 1500, 2500] as const;
export type Delay = (typeof DELAYS)[number];

export interface Arena {
  readonly service: E2eService;
  /** The id of a check whose runs end so, as long after their start. */
  checkOf(truth: 'passed' | 'failed' | 'degraded' | 'endless', after: Delay | 0): string;
  /** The id of a session that ends so: `after` ms from now, or ended already where that is left out. */
  sessionOf(kind: Kind, truth: Truth, after?: Delay): Promise<string>;
  /** The ids of many different sessions that have passed. */
  readonly crowd: readonly string[];
  /** What the service itself says of a session, past every proxy. */
  statusOf(kind: Kind, id: string): Promise<string>;
  close(): Promise<void>;
}

const NXDOMAIN = 3;
const RECURSION_AVAILABLE = 0x0080;
const ANSWER = { type: 'A', data: '192.0.2.7' } as const;

/** A name server that takes its time: `passed-700.test` is there, and is answered after 700 ms; `failed-…` is not there. */
async function startSlowNames(): Promise<World['names']> {
  const socket = createSocket('udp4');
  let isOpen = true;
  socket.on('message', (query, from) => {
    const name = decode(query).questions?.[0]?.name ?? '';
    const [, truth, after] = /^(\w+)-(\d+)\./.exec(name) ?? [];
    const reply =
      truth === 'failed'
        ? replyTo(query, [], RECURSION_AVAILABLE | NXDOMAIN)
        : replyTo(query, [{ ...ANSWER, name }]);
    const answer = () => isOpen && socket.send(reply, from.port, from.address, () => {});
    setTimeout(answer, Number(after ?? 0));
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: '127.0.0.1',
    port: socket.address().port,
    close() {
      isOpen = false;
      return new Promise((resolve) => socket.close(() => resolve()));
    },
  };
}

type CheckTruth = 'passed' | 'failed' | 'degraded';
const CHECK_TRUTHS: readonly CheckTruth[] = ['passed', 'failed', 'degraded'];

/** Starts a service and makes what storms need. `crowd`: how many sessions that have passed. */
export async function openArena(crowd: number): Promise<Arena> {
  const names = await startSlowNames();
  const service = await startE2eService('--rate-limit', '1000000', '--concurrency', '300');
  const world: World = { service, names };
  const checks = new Map<string, string>();
  for (const truth of CHECK_TRUTHS) {
    for (const after of [0, ...DELAYS]) {
      const more = truth === 'degraded' ? { degradedResponseTime: 0 } : {};
      const query = `${truth === 'failed' ? 'failed' : 'passed'}-${after}.test`;
      checks.set(`${truth} ${after}`, (await makeCheck(world, query, more)).id);
    }
  }
  const endless = await makeEndlessCheck(world);
  const { privateLocations } = await service.make<{ privateLocations: readonly string[] }>(
    `GET /v1/checks/${endless.id}`,
  );
  const checkOf: Arena['checkOf'] = (truth, after) =>
    truth === 'endless' ? endless.id : (checks.get(`${truth} ${after}`) ?? '');

  const start = async (kind: Kind, checkId: string): Promise<string> => {
    if (kind === 'check') return startSession(world, checkId);
    const runLocation = checkId === endless.id ? privateLocations[0] : 'eu-west-1';
    const body = { name: 'storm', runLocation, target: { checkId: [checkId] } };
    return (await service.make<{ testSessionId: string }>('POST /v1/test-sessions/trigger', body))
      .testSessionId;
  };
  const cancel = (kind: Kind, id: string) =>
    service.make(`POST /v1/${kind === 'check' ? 'check' : 'test'}-sessions/${id}/cancel`);
  const path = (kind: Kind, id: string) => `/v${kind === 'check' ? 2 : 1}/${kind}-sessions/${id}`;
  const statusOf: Arena['statusOf'] = async (kind, id) =>
    (await service.make<{ status: string }>(`GET ${path(kind, id)}`)).status;
  const ended = async (kind: Kind, id: string): Promise<string> => {
    await service.make(`GET ${path(kind, id)}/completion?maxWaitSeconds=30`);
    return id;
  };

  const over = new Map<string, string>();
  for (const kind of KINDS) {
    for (const truth of CHECK_TRUTHS)
      over.set(`${kind} ${truth}`, await ended(kind, await start(kind, checkOf(truth, 0))));
    const cancelled = await start(kind, endless.id);
    await cancel(kind, cancelled);
    over.set(`${kind} cancelled`, await ended(kind, cancelled));
  }
  const passing = Array.from({ length: crowd }, () => startSession(world, checkOf('passed', 0)));
  const ids = await Promise.all((await Promise.all(passing)).map((id) => ended('check', id)));
  over.set('check timed out', await timedOut(world, endless.id));

  return {
    ...{ service, checkOf, statusOf, crowd: ids },
    async sessionOf(kind, truth, after) {
      const isOver = truth === 'timed out' || (after === undefined && truth !== 'endless');
      if (isOver) return over.get(`${kind} ${truth}`) ?? '';
      if (truth !== 'cancelled') return start(kind, checkOf(truth, after ?? 0));
      const id = await start(kind, endless.id);
      void delay(after ?? 0)
        .then(() => cancel(kind, id))
        .catch(() => {});
      return id;
    },
    async close() {
      await service.close();
      await names.close();
    },
  };
}

const EXPIRE = `
  const [, file, id] = process.argv;
  const store = new (require('libsql'))(file);
  store.prepare('update check_sessions set ends_by = ? where id = ?').run(Date.now(), id);
`;

/** A session whose deadline passed: brought forward in the store while the service is away, for it comes after minutes only. */
async function timedOut(world: World, checkId: string): Promise<string> {
  const id = await startSession(world, checkId);
  await world.service.kill();
  // In a process of its own: libsql lets go of a file only with the process.
  await promisify(execFile)(process.execPath, ['-e', EXPIRE, join(world.service.data, 'service.db'), id]);
  await world.service.start();
  await world.service.make(`GET /v2/check-sessions/${id}/completion?maxWaitSeconds=30`);
  return id;
}
