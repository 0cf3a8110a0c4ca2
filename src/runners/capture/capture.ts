/** Diagnoses a network failure: captures the packets of one more connection attempt and traces the route. */

import { connect, createServer, isIPv4 } from 'node:net';
import { createLinkedController, onAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Endpoint } from '../network/fault.ts';
import { type ProgramOutput, type RunningProgram, startProgram } from './start-program.ts';

/** The output lines of the programs, or why there are none. */
export interface CaptureResult {
  readonly packets: Evidence;
  readonly route: Evidence;
  readonly tookMs: number;
}
export interface Evidence {
  readonly lines: readonly string[];
  /** Why the lines are missing or incomplete; null if they are complete. */
  readonly note: string | null;
}

export type Capture = (target: Endpoint, maxMs: number, signal: AbortSignal) => Promise<CaptureResult>;

export interface CaptureOptions {
  readonly clock: Clock;
  /** Default: the names of the programs. */
  readonly programs?: Partial<Programs>;
}
interface Programs {
  readonly tcpdump: string;
  readonly traceroute: string;
  readonly tracepath: string;
}

/** Maximum duration, in ms. */
const MAX_MS = 4000;
/** Minimum remaining time to start a capture, in ms. */
const MIN_MS = 700;
/** Maximum number of concurrent captures: when a network fails, all of its checks fail. */
const MAX_CONCURRENT = 2;
/** Time for tcpdump to start, and time to wait for late packets, in ms. */
const START_TIMEOUT_MS = 800;
const SETTLE_MS = 300;
/** Duration of the connection attempt, in ms: the system retransmits the SYN packet after one second. */
const PROBE_MS = 2200;

export function createCapture({ clock, programs }: CaptureOptions): Capture {
  const programPaths: Programs = {
    tcpdump: 'tcpdump',
    traceroute: 'traceroute',
    tracepath: 'tracepath',
    ...programs,
  };
  let running = 0;
  return async (target, mostMs, signal) => {
    const startedAt = clock.monotonic();
    const ms = Math.min(mostMs, MAX_MS);
    const obstacle =
      ms < MIN_MS
        ? 'no time was left in the run'
        : running >= MAX_CONCURRENT
          ? `${MAX_CONCURRENT} other captures were in progress`
          : undefined;
    if (obstacle !== undefined) return emptyResult(obstacle);
    running += 1;
    const timeUp = createLinkedController(signal);
    const cancelTimer = clock.timer(ms - SETTLE_MS, () => timeUp.abort());
    const scope = { programs: programPaths, clock, signal: timeUp.signal };
    try {
      const [packets, route] = await Promise.all([capturePackets(target, scope), traceRoute(target, scope)]);
      return { packets, route, tookMs: Math.round(clock.monotonic() - startedAt) };
    } finally {
      cancelTimer();
      timeUp.unlink();
      running -= 1;
    }
  };
}

const emptyResult = (note: string): CaptureResult => ({
  packets: { lines: [], note },
  route: { lines: [], note },
  tookMs: 0,
});

interface CaptureScope {
  readonly programs: Programs;
  readonly clock: Clock;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
}

function startUntil(program: string, args: readonly string[], signal: AbortSignal): RunningProgram {
  const running = startProgram(program, args);
  onAbort(signal, running.stop);
  return running;
}

/** Captures only the packets of our own connection, identified by its port, because others may contain secrets. */
async function capturePackets(
  { address, port }: Endpoint,
  { programs, clock, signal }: CaptureScope,
): Promise<Evidence> {
  const localPort = await findFreePort(address);
  const ownPackets = `(host ${address} and tcp port ${port} and tcp port ${localPort})`;
  // ICMP errors contain the header of the undelivered packet with its destination.
  const icmpErrors = isIPv4(address) ? ` or (icmp and icmp[24:4] = ${ipv4ToInteger(address)})` : '';
  const args = ['-n', '-l', '-tt', '-i', 'any', '-c', '40', '-s', '128', `${ownPackets}${icmpErrors}`];
  const dump = startUntil(programs.tcpdump, args, signal);
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => {});
  await Promise.race([dump.started, pause(START_TIMEOUT_MS)]);
  await probe({ address, port }, localPort, clock, signal);
  await pause(SETTLE_MS);
  dump.stop();
  return toEvidence(await dump.finished, 'packets were not captured', 'tcpdump', 'tcpdump');
}

/** Traces the route with traceroute, or with tracepath. */
async function traceRoute({ address }: Endpoint, { programs, signal }: CaptureScope): Promise<Evidence> {
  const args = ['-n', '-q', '1', '-w', '1', '-m', '20', address];
  const traceroute = await startUntil(programs.traceroute, args, signal).finished;
  const output =
    traceroute.problem === 'ENOENT'
      ? await startUntil(programs.tracepath, ['-n', '-m', '20', address], signal).finished
      : traceroute;
  return toEvidence(output, 'the route was not traced', 'traceroute or tracepath', 'traceroute');
}

function toEvidence(
  { lines, stderr, problem }: ProgramOutput,
  what: string,
  program: string,
  debian: string,
): Evidence {
  if (problem === 'ENOENT')
    return { lines: [], note: `${what}: ${program} is not installed (Debian: apt-get install ${debian})` };
  if (problem !== null) return { lines: [], note: `${what}: ${problem}` };
  if (lines.length > 0) return { lines, note: null };
  const complaint = stderr.split('\n').find((line) => ERROR_LINE.test(line));
  if (complaint !== undefined) return { lines: [], note: `${what}: ${complaint.trim().slice(0, 200)}` };
  return { lines: [], note: `${what}: no data` };
}

const ERROR_LINE = /permi(?:tted|ssion)|cannot|can't|not found|no such/i;

/** Attempts the connection once more, without sending data. */
function probe(
  { address, port }: Endpoint,
  localPort: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, ...(localPort === 0 ? {} : { localPort }) });
    const end = () => void socket.destroy();
    const cancelTimer = clock.timer(PROBE_MS, end);
    const removeListener = onAbort(signal, end);
    socket.once('connect', () => socket.end());
    socket.on('error', () => {});
    socket.once('close', () => {
      cancelTimer();
      removeListener();
      resolve();
    });
  });
}

/** Returns a free local port, or 0. */
function findFreePort(address: string): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(0, isIPv4(address) ? '0.0.0.0' : '::', () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === 'object' ? (bound?.port ?? 0) : 0));
    });
  });
}

const ipv4ToInteger = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
