/** One run of a storm: the built binary through a proxy of its own, and what came of it. */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { bareEnv, type Ran, sondeInTerminal, startSonde } from '../binary.ts';
import type { Authority } from '../fault-proxy/authority.ts';
import { startFaultProxy } from '../fault-proxy/proxy.ts';
import type { Arena, Kind } from './arena.ts';
import { wrongWith } from './judge.ts';
import type { Plan } from './plan.ts';
import type { Strain } from './strain.ts';

export interface RunReport {
  readonly plan: Plan;
  readonly ran: Ran;
  /** What was played of the schedule; `afterwards` too, where it is a fault. */
  readonly played: readonly string[];
  readonly requests: number;
  readonly tookMs: number;
  /** How long after its deadline it ended, in ms; below 0 where it was in time. Undefined where it is not known. */
  readonly lateMs: number | undefined;
  /** From the signal to the end, in ms. */
  readonly stopMs: number | undefined;
  /** The machine was too busy for answers and deadlines to be in time: what that may turn was not judged. */
  readonly isStrained: boolean;
  readonly wrong: string | undefined;
}

interface Ended {
  readonly ran: Ran;
  readonly killedBy: string | null;
  readonly stopMs: number | undefined;
}

const kindOf = ({ command }: Plan): Kind => (command === 'test-sessions wait' ? 'test' : 'check');

/** An answer that is half a second late is none to the gate: timers that come later than this may make it so. */
const STRAINED_MS = 350;
/** Whoever ends so long after a deadline was kept from ending. */
const LATE_MS = 700;

/** What a plan runs over. */
export interface Ground {
  readonly arena: Arena;
  readonly authority: Authority;
  readonly strain: Strain;
  /** What the plan's subjects are called, as `idsOf` gives it. */
  readonly ids: readonly string[];
  /** Resolves once the service can be asked how its sessions ended. */
  readonly back?: Promise<void>;
}

/** Runs a plan. Rejects only where the storm itself is broken. */
export async function runPlan(
  plan: Plan,
  { arena, authority, strain, ids, back }: Ground,
): Promise<RunReport> {
  const kind = kindOf(plan);
  const proxy = await startFaultProxy({
    service: arena.service.url,
    schedule: plan.schedule,
    authority: plan.tls ? authority : undefined,
  });
  try {
    const began = performance.now();
    const ended = await runGate(plan, ids, {
      SONDE_BASE_URL: plan.isDirect ? arena.service.url : proxy.url,
      SONDE_API_KEY: arena.service.key,
      SONDE_ACCOUNT_ID: arena.service.accountId,
      ...(plan.tls ? { NODE_EXTRA_CA_CERTS: authority.file } : {}),
    });
    const now = performance.now();
    const seen = plan.command === 'checks run' ? undefined : proxy.firstSeen();
    const lateMs = seen === undefined ? undefined : now - seen - plan.timeoutS * 1000;
    const isStrained = strain.worstSince(began) > STRAINED_MS || (lateMs ?? 0) > LATE_MS;
    const wrong = wrongWith(plan, { ...ended, ids: ids.length, isStrained });
    const { afterwards } = plan.schedule;
    await back;
    return {
      plan,
      ran: ended.ran,
      played: [...proxy.played, ...(afterwards.name === 'pass' ? [] : [afterwards])].map(({ name }) => name),
      requests: proxy.requests(),
      tookMs: now - began,
      lateMs,
      isStrained,
      stopMs: ended.stopMs,
      wrong: wrong ?? (ended.ran.code === 0 ? await denied(plan, kind, ids, arena) : undefined),
    };
  } finally {
    await proxy.close();
  }
}

/** What is given to the command: sessions, which are made, or checks, each once. */
export async function idsOf(plan: Plan, arena: Arena): Promise<readonly string[]> {
  const kind = kindOf(plan);
  const ids = plan.subjects.map(({ truth, after }) => {
    if (plan.command !== 'checks run') return arena.sessionOf(kind, truth, after);
    if (truth === 'cancelled' || truth === 'timed out') throw new Error(`no check ends ${truth}`);
    return arena.checkOf(truth, after ?? 0);
  });
  return [...new Set([...arena.crowd.slice(0, plan.crowd), ...(await Promise.all(ids))])];
}

/** What the service itself says against a good verdict. */
async function denied(
  plan: Plan,
  kind: Kind,
  ids: readonly string[],
  arena: Arena,
): Promise<string | undefined> {
  if (plan.command === 'checks run') return undefined;
  for (const id of ids) {
    const status = await arena.statusOf(kind, id);
    const isGood = status === 'PASSED' || (status === 'DEGRADED' && !plan.failOnDegraded);
    if (!isGood) return `exit 0, and the service says ${status} of ${id}`;
  }
  return undefined;
}

async function runGate(plan: Plan, ids: readonly string[], more: Record<string, string>): Promise<Ended> {
  const fromStdin = plan.idsOnStdin && plan.command !== 'checks run' && !plan.inTerminal;
  const args = [
    ...plan.command.split(' '),
    ...(fromStdin ? ['-'] : ids),
    ...['--timeout', `${plan.timeoutS}s`],
    ...(plan.crowd > 0 ? ['--request-timeout', '3s'] : []),
    ...plan.output,
    ...(plan.failOnDegraded ? ['--fail-on', 'degraded'] : []),
    ...(plan.failFast ? ['--fail-fast'] : []),
  ];
  const env = bareEnv('/nonexistent', more);
  if (plan.inTerminal) {
    const { code, screen } = await sondeInTerminal(args, { env, cwd: '/' });
    return { ran: { code, stdout: screen, stderr: '' }, killedBy: null, stopMs: undefined };
  }
  const running = startSonde(args, { env, cwd: '/', ...(fromStdin ? { stdin: `${ids.join('\n')}\n` } : {}) });
  const over = new AbortController();
  let sentAt: number | undefined;
  const { signal } = plan;
  if (signal) {
    void delay(signal.afterMs, undefined, { signal: over.signal })
      .then(() => {
        sentAt = performance.now();
        running.child.kill(signal.name);
      })
      .catch(() => {});
  }
  const ran = await running.ended;
  over.abort();
  const stopMs = sentAt === undefined ? undefined : performance.now() - sentAt;
  return { ran, killedBy: running.child.signalCode, stopMs };
}
