/** What a gate that was interrupted tells: what it saw, what still runs, and how to take up waiting again. */
import type { GateOutcome } from '../wait/gate.ts';
import { listed } from '../words/line.ts';
import { seenSoFar } from '../words/sentence.ts';

/** So many ids are told on one line. */
const MOST_IDS = 10;

/** The command line that waits for these sessions as this one did. */
export type Again = (ids: readonly string[]) => string | Promise<string>;

/** The lines, each with its line break; none where nothing is known. `outcomes`: `left` are those that still run. */
export async function stoppedText(outcomes: readonly GateOutcome[], again: Again): Promise<string> {
  const seen = seenSoFar(outcomes);
  const left = outcomes.filter(({ outcome }) => outcome.kind === 'left').map(({ id }) => id);
  const lines = [
    ...(seen === undefined ? [] : [`Seen so far: ${seen}`]),
    ...(left.length === 0 ? [] : [stillRunning(left), await resumption(left, again)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const stillRunning = (ids: readonly string[]): string =>
  ids.length <= MOST_IDS
    ? `Still running: ${ids.join(', ')}`
    : `Still running: ${ids.length} sessions, among them ${listed(ids, 3)}`;

/** How to go on waiting. */
export async function resumption(ids: readonly string[], again: Again): Promise<string> {
  return `Take up waiting again with: ${await again(ids)}`;
}
