/** What a gate that was interrupted tells: what it saw, what still runs, and how to take up waiting again. */

import { nameOf } from '../format/lines.ts';
import { seenSoFar } from '../format/sentence.ts';
import { sessionOf } from '../format/session.ts';
import { listed } from '../text.ts';
import type { GateOutcome } from '../wait/gate.ts';

/** So many are named; of more, a few. The command line has the ids of all. */
const MOST_NAMES = 5;
const FEW_NAMES = 3;

/** The command line that waits for these sessions as this one did. */
export type Again = (ids: readonly string[]) => string | Promise<string>;

/** Stops a session; false where that is not sure. */
type Stop = (id: string) => Promise<boolean>;

/** The lines; empty where nothing is known. `outcomes`: `left` are those that still run, and are stopped where `stop` is given. */
export async function stoppedText(
  outcomes: readonly GateOutcome[],
  again: Again,
  stop: Stop = async () => false,
): Promise<string> {
  const seen = seenSoFar(outcomes);
  const running = outcomes.filter(({ outcome }) => outcome.kind === 'left');
  const isStopped = await Promise.all(running.map(({ id }) => stop(id)));
  const left = running.filter((_, place) => !isStopped[place]);
  const stopped = running.filter((_, place) => isStopped[place]);
  const ids = left.map(({ id }) => id);
  const lines = [
    ...(seen === undefined ? [] : [`Results so far: ${seen}`]),
    ...(stopped.length === 0 ? [] : [`Cancelled: ${namesOf(stopped)}`]),
    ...(left.length === 0 ? [] : [`Still running: ${namesOf(left)}`, await resumption(ids, again)]),
  ];
  return lines.join('\n');
}

function namesOf(outcomes: readonly GateOutcome[]): string {
  const names = outcomes.map((outcome) => nameOf(outcome.id, sessionOf(outcome)));
  return names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.length} sessions, including ${listed(names, FEW_NAMES)}`;
}

/** How to go on waiting; the command on a line of its own, which stays whole so that it can be copied. */
export async function resumption(ids: readonly string[], again: Again): Promise<string> {
  return `To continue waiting, run:\n  ${await again(ids)}`;
}
