/** What a gate that was interrupted tells: what it saw, what still runs, and how to take up waiting again. */

import { listed } from '../text.ts';
import type { GateOutcome } from '../wait/gate.ts';
import { nameOf } from '../words/lines.ts';
import { seenSoFar } from '../words/sentence.ts';
import { sessionOf } from '../words/session.ts';

/** So many are named; of more, a few. The command line has the ids of all. */
const MOST_NAMES = 5;
const FEW_NAMES = 3;

/** The command line that waits for these sessions as this one did. */
export type Again = (ids: readonly string[]) => string | Promise<string>;

/** The lines; empty where nothing is known. `outcomes`: `left` are those that still run. */
export async function stoppedText(outcomes: readonly GateOutcome[], again: Again): Promise<string> {
  const seen = seenSoFar(outcomes);
  const left = outcomes.filter(({ outcome }) => outcome.kind === 'left');
  const ids = left.map(({ id }) => id);
  const lines = [
    ...(seen === undefined ? [] : [`Seen so far: ${seen}`]),
    ...(left.length === 0 ? [] : [stillRunning(left), await resumption(ids, again)]),
  ];
  return lines.join('\n');
}

function stillRunning(left: readonly GateOutcome[]): string {
  const names = left.map((outcome) => nameOf(outcome.id, sessionOf(outcome)));
  return names.length <= MOST_NAMES
    ? `Still running: ${names.join(', ')}`
    : `Still running: ${names.length} sessions, among them ${listed(names, FEW_NAMES)}`;
}

/** How to go on waiting; the command on a line of its own, which stays whole so that it can be copied. */
export async function resumption(ids: readonly string[], again: Again): Promise<string> {
  return `Take up waiting again with:\n  ${await again(ids)}`;
}
