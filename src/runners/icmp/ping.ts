/** Runs the system's `ping`, which has the privilege to open raw sockets, and stops it in time. */
import { execFile } from 'node:child_process';
import { isIP } from 'node:net';
import { CannotRun } from '../core/runner.ts';
import { type Deadline, withTimeout } from '../network/deadline.ts';

/** Interval between packets, in s: the minimum for users other than root. */
const INTERVAL_S = 0.2;
/** Time to wait for the last reply, in ms. */
const LAST_REPLY_MS = 2000;
/** Time for ping to print its statistics after the interrupt, in ms. */
const STOP_MS = 1000;
const MAX_OUTPUT = 256 * 1024;
/** Includes sbin, which an ordinary PATH may lack. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

const PROGRAM = 'ping';

export interface PingResult {
  readonly echoes: Echoes;
  /** Why no packet could be sent (`Network is unreachable`); empty if one was. */
  readonly refusal: string;
}

/**
 * Sends `count` packets to an address. It accepts no names, so that the checked address is the one that is used and
 * no option can be injected. Throws CannotRun if ping is missing or not permitted.
 */
export async function ping(
  address: string,
  count: number,
  deadline: Deadline,
  program = PROGRAM,
): Promise<PingResult> {
  if (isIP(address) === 0) throw new CannotRun(`${address} is not an IP address`);
  const { stdout, stderr } = await runPing(program, buildArguments(address, count), count, deadline);
  const complaint = findComplaint(stderr);
  if (FORBIDDEN.test(complaint)) throw new CannotRun(`${complaint}: ${HOW_TO_ALLOW}`);
  const echoes = parsePing(stdout);
  if (echoes !== undefined && echoes.sent > 0) return { echoes, refusal: '' };
  if (complaint !== '')
    return { echoes: { sent: 0, replies: [], errors: [], duplicates: 0 }, refusal: complaint };
  throw new CannotRun(`the output of ping cannot be parsed: ${stdout.slice(0, 200) || 'nothing'}`);
}

const buildArguments = (address: string, count: number): string[] => [
  ...['-n', '-c', String(count), '-i', String(INTERVAL_S)],
  address,
];

const FORBIDDEN = /Operation not permitted|[Pp]ermission denied|missing cap_net_raw|must be root/i;
const HOW_TO_ALLOW =
  'allow ordinary users to send pings, with sysctl net.ipv4.ping_group_range="0 2147483647" or with setcap cap_net_raw+ep on ping';

function findComplaint(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !/^ping6?: Warning:/i.test(line));
  return (lines[0] ?? '').replace(/^ping6?: (?:connect: )?/, '').slice(0, 300);
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

function runPing(
  program: string,
  argv: readonly string[],
  count: number,
  deadline: Deadline,
): Promise<Output> {
  const ms = Math.min(deadline.remainingMs(), (count - 1) * INTERVAL_S * 1000 + LAST_REPLY_MS);
  const timeoutError = () => new CannotRun('ping did not end in time');
  let cancelTimer = () => {};
  return withTimeout<Output>(deadline, ms + STOP_MS, timeoutError, (settle) => {
    const child = execFile(
      program,
      argv,
      { env: { LC_ALL: 'C', PATH }, maxBuffer: MAX_OUTPUT, encoding: 'utf8' },
      (error, stdout, stderr) => {
        const code = (error as NodeJS.ErrnoException | null)?.code;
        if (code === 'ENOENT') settle.fail(new CannotRun(NOT_INSTALLED));
        else if (code === 'EACCES') settle.fail(new CannotRun(`ping cannot be started: ${code}`));
        else settle.succeed({ stdout, stderr });
      },
    );
    // On SIGINT, ping prints its statistics.
    cancelTimer = deadline.clock.timer(ms, () => void child.kill('SIGINT'));
    return () => void child.kill('SIGKILL');
  }).finally(() => cancelTimer());
}

const NOT_INSTALLED =
  'ping is not installed: install it (Debian: apt-get install iputils-ping; Alpine: apk add iputils)';

/** The sent packets and their replies. */
export interface Echoes {
  readonly sent: number;
  /** Round trips in ms, in packet order. */
  readonly replies: readonly number[];
  /** Error replies of other hosts (`Destination Host Unreachable`), without duplicates. */
  readonly errors: readonly string[];
  readonly duplicates: number;
}

const REPLY = /^\d+ bytes from .*?\b(?:icmp_)?seq=(\d+)\b.*?\btime[=<]([\d.]+) ?ms(.*)$/;
const SENT = /^(\d+) packets transmitted\b/m;
const ERROR = /^From \S+(?: \(\S+\))?:? icmp_seq=\d+ (.+)$/i;
const MAX_ERRORS = 5;

/** Returns undefined if the statistics are missing. */
export function parsePing(stdout: string): Echoes | undefined {
  const sent = SENT.exec(stdout)?.[1];
  if (sent === undefined) return undefined;
  const replies = new Map<number, number>();
  const errors = new Set<string>();
  let duplicates = 0;
  for (const line of stdout.split('\n')) {
    const [, sequence, ms, rest = ''] = REPLY.exec(line) ?? [];
    if (sequence !== undefined) {
      const isDuplicate = replies.has(Number(sequence)) || rest.includes('DUP!');
      if (isDuplicate) duplicates += 1;
      else replies.set(Number(sequence), Number(ms));
    }
    const error = ERROR.exec(line.trim())?.[1];
    if (error !== undefined && errors.size < MAX_ERRORS) errors.add(error);
  }
  const ordered = [...replies].sort(([one], [other]) => one - other).map(([, ms]) => ms);
  return { sent: Number(sent), replies: ordered, errors: [...errors], duplicates };
}
