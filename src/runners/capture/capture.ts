/** Looks at the network where it failed: the packets of one more try to connect, and the way to the target. */
import { connect, createServer, isIPv4 } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import type { Endpoint } from '../network/fault.ts';
import { type Running, type Said, start } from './start-program.ts';

/** Lines as the programs write them, or why there are none. */
export interface Captured {
  readonly packets: Evidence;
  readonly route: Evidence;
  readonly tookMs: number;
}
export interface Evidence {
  readonly lines: readonly string[];
  /** Why there is nothing, or not all; null: nothing to say. */
  readonly note: string | null;
}

export type Capture = (target: Endpoint, mostMs: number, signal: AbortSignal) => Promise<Captured>;

export interface CaptureOptions {
  readonly clock: Clock;
  /** Left out: as the system calls them. */
  readonly programs?: Partial<Programs>;
}
interface Programs {
  readonly tcpdump: string;
  readonly traceroute: string;
  readonly tracepath: string;
}

/** The longest that it takes, in ms; it is told where there is less time. */
const MOST_MS = 4000;
/** With less than that nothing is begun, in ms. */
const LEAST_MS = 700;
/** More are not looked into at once: where a network fails, all of its checks do. */
const MOST_AT_ONCE = 2;
/** How long tcpdump may take to begin, and how long what comes late is waited for, in ms. */
const BEGIN_MS = 800;
const LATE_MS = 300;
/** How long the try to connect is watched, in ms: the second packet that asks for it is sent after a second. */
const PROBE_MS = 2200;

export function createCapture({ clock, programs }: CaptureOptions): Capture {
  const called: Programs = {
    ...{ tcpdump: 'tcpdump', traceroute: 'traceroute', tracepath: 'tracepath' },
    ...programs,
  };
  let underway = 0;
  return async (target, mostMs, signal) => {
    const startedAt = clock.monotonic();
    const ms = Math.min(mostMs, MOST_MS);
    const why =
      ms < LEAST_MS
        ? 'no time was left in the run'
        : underway >= MOST_AT_ONCE
          ? `${MOST_AT_ONCE} other captures were in progress`
          : undefined;
    if (why !== undefined) return nothing(why);
    underway += 1;
    const over = new AbortController();
    const stop = () => over.abort();
    const cancelTimer = clock.timer(ms - LATE_MS, stop);
    signal.addEventListener('abort', stop, { once: true });
    const around = { called, clock, over: over.signal };
    try {
      const [packets, route] = await Promise.all([packetsOf(target, around), routeOf(target, around)]);
      return { packets, route, tookMs: Math.round(clock.monotonic() - startedAt) };
    } finally {
      cancelTimer();
      signal.removeEventListener('abort', stop);
      underway -= 1;
    }
  };
}

const nothing = (note: string): Captured => ({
  ...{ packets: { lines: [], note }, route: { lines: [], note }, tookMs: 0 },
});

interface Around {
  readonly called: Programs;
  readonly clock: Clock;
  /** Aborted when there is no more time. */
  readonly over: AbortSignal;
}

function begin(program: string, args: readonly string[], over: AbortSignal): Running {
  const running = start(program, args);
  if (over.aborted) running.stop();
  over.addEventListener('abort', running.stop, { once: true });
  return running;
}

/** The packets of a connection of our own, told by its port: those of other checks may hold what is secret. */
async function packetsOf({ address, port }: Endpoint, { called, clock, over }: Around): Promise<Evidence> {
  const localPort = await freePort(address);
  const own = `(host ${address} and tcp port ${port} and tcp port ${localPort})`;
  // What routers answer holds the head of what they could not deliver, and in that whom it was for.
  const refused = isIPv4(address) ? ` or (icmp and icmp[24:4] = ${numberOf(address)})` : '';
  const args = ['-n', '-l', '-tt', '-i', 'any', '-c', '40', '-s', '128', `${own}${refused}`];
  const dump = begin(called.tcpdump, args, over);
  const pause = (ms: number) => clock.sleep(ms, over).catch(() => {});
  await Promise.race([dump.started, pause(BEGIN_MS)]);
  await probe({ address, port }, localPort, clock, over);
  await pause(LATE_MS);
  dump.stop();
  return evidenceOf(await dump.over, 'packets were not captured', 'tcpdump', 'tcpdump');
}

/** By traceroute, else by tracepath. */
async function routeOf({ address }: Endpoint, { called, over }: Around): Promise<Evidence> {
  const args = ['-n', '-q', '1', '-w', '1', '-m', '20', address];
  const traced = await begin(called.traceroute, args, over).over;
  const said =
    traced.problem === 'ENOENT'
      ? await begin(called.tracepath, ['-n', '-m', '20', address], over).over
      : traced;
  return evidenceOf(said, 'the route was not traced', 'traceroute or tracepath', 'traceroute');
}

function evidenceOf(
  { lines, stderr, problem }: Said,
  what: string,
  program: string,
  debian: string,
): Evidence {
  if (problem === 'ENOENT')
    return { lines: [], note: `${what}: ${program} is not installed (Debian: apt-get install ${debian})` };
  if (problem !== null) return { lines: [], note: `${what}: ${problem}` };
  if (lines.length > 0) return { lines, note: null };
  const complaint = stderr.split('\n').find((line) => FORBIDDEN.test(line));
  if (complaint !== undefined) return { lines: [], note: `${what}: ${complaint.trim().slice(0, 200)}` };
  return { lines: [], note: `${what}: no data` };
}

const FORBIDDEN = /permi(?:tted|ssion)|cannot|can't|not found|no such/i;

/** Asks for the connection once more, and says nothing over it. */
function probe(
  { address, port }: Endpoint,
  localPort: number,
  clock: Clock,
  over: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, ...(localPort === 0 ? {} : { localPort }) });
    const end = () => void socket.destroy();
    const cancelTimer = clock.timer(PROBE_MS, end);
    over.addEventListener('abort', end, { once: true });
    if (over.aborted) end();
    socket.once('connect', () => socket.end());
    socket.on('error', () => {});
    socket.once('close', () => {
      cancelTimer();
      over.removeEventListener('abort', end);
      resolve();
    });
  });
}

/** A port of this machine that nobody has; 0 where there is none to be had. */
function freePort(address: string): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(0, isIPv4(address) ? '0.0.0.0' : '::', () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === 'object' ? (bound?.port ?? 0) : 0));
    });
  });
}

const numberOf = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
