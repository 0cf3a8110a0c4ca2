/** Whether a gate ended as it had to, by what its sessions came to and what was let through. */
import type { Ran } from '../binary.ts';
import type { Plan, Subject } from './plan.ts';

/** Which of several codes wins, as docs/commands.md has it; written out here, so that the program does not judge itself. */
const ORDER = [70, 1, 8, 4, 5, 3, 6, 7, 74, 0];
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

function codeOf({ truth }: Subject, failOnDegraded: boolean): number | 'unknown' {
  switch (truth) {
    case 'passed':
      return 0;
    case 'degraded':
      return failOnDegraded ? 1 : 0;
    case 'failed':
    case 'timed out':
      return 1;
    case 'cancelled':
      return 8;
    case 'endless':
      return 'unknown';
    default:
      return truth satisfies never;
  }
}

const first = (codes: readonly number[]): number => ORDER.find((code) => codes.includes(code)) ?? -1;

/** Whether what befalls the run may befall the start of its sessions: one whose answer was lost is not tried again. */
export function isStartHit({ command, schedule, weather }: Plan): boolean {
  const [start] = schedule.steps;
  return (
    command === 'checks run' && (weather === 'restart' || (start !== undefined && start.name !== 'pass'))
  );
}

/** The exit codes that are right. */
function rightCodes(plan: Plan): Set<number> {
  const codes = plan.subjects.map((subject) => codeOf(subject, plan.failOnDegraded));
  const right = new Set<number>();
  for (const unknown of plan.unknown) {
    const heard = codes.map((code) => (code === 'unknown' ? unknown : code));
    if (plan.weather === 'never heals') right.add(first(codes.map(() => unknown)));
    else right.add(first(heard));
    // The first bad one ends it, whichever that is.
    if (plan.failFast && plan.weather !== 'never heals')
      for (const code of heard) if (code === 1 || code === 8) right.add(code);
  }
  if (isStartHit(plan)) right.add(6);
  if (plan.signal) right.add(SIGNAL_CODES[plan.signal.name]);
  return right;
}

/** How a gate over so many ids ended. */
interface End {
  readonly ran: Ran;
  readonly killedBy: string | null;
  readonly ids: number;
  /** Answers may have been late, and so may what the checks ran against: they failed, or nothing was heard of them. */
  readonly isStrained: boolean;
}

/** What a machine that is too busy makes of a good end. */
const STRAINED = [1, 6, 7];

/** What is wrong with how it ended; undefined where nothing is. */
export function wrongWith(plan: Plan, { ran, killedBy, ids, isStrained }: End): string | undefined {
  const right = rightCodes(plan);
  if (isStrained) for (const code of STRAINED) right.add(code);
  // Before it listens to signals, the system ends it as any other process.
  if (ran.code === null && plan.signal && killedBy === plan.signal.name) return undefined;
  if (ran.code === null || !right.has(ran.code))
    return `exit ${ran.code ?? killedBy} and not ${[...right].join(' or ')}`;
  if (ran.code === 0 && plan.output.includes('--json') && !plan.inTerminal) {
    const told = [JSON.parse(ran.stdout)].flat() as readonly { status?: unknown }[];
    const bad = told.find(({ status }) => status !== 'PASSED' && status !== 'DEGRADED');
    if (bad || told.length !== ids) return `exit 0 over ${ran.stdout}`;
  }
  return undefined;
}
