/** Formats the summary of an interrupted gate: results so far, running sessions, and the command that resumes it. */

import { nameOf } from '../format/lines.ts';
import { seenSoFar } from '../format/sentence.ts';
import { sessionOf } from '../format/session.ts';
import { listed } from '../text.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';

/** Up to this many sessions are named; of more, only a few. The command line has all IDs. */
const MOST_NAMES = 5;
const FEW_NAMES = 3;

/** Returns the command line that waits for these sessions with the same options. */
export type ResumeCommand = (ids: readonly string[]) => string | Promise<string>;

/** Cancels a session; returns false if that is not certain. */
type Stop = (id: string) => Promise<boolean>;

/** Returns the lines, or '' if nothing is known. Outcomes of kind `left` still run; `stop` cancels them. */
export async function interruptionText(
  outcomes: readonly GateOutcome[],
  resumeCommand: ResumeCommand,
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
    ...(left.length === 0 ? [] : [`Still running: ${namesOf(left)}`, await resumeText(ids, resumeCommand)]),
  ];
  return lines.join('\n');
}

function namesOf(outcomes: readonly GateOutcome[]): string {
  const names = outcomes.map((outcome) => nameOf(outcome.id, sessionOf(outcome)));
  return names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.length} sessions, including ${listed(names, FEW_NAMES)}`;
}

/** Returns how to resume; the command has its own line, so that it can be copied. */
export async function resumeText(ids: readonly string[], resumeCommand: ResumeCommand): Promise<string> {
  return `To continue waiting, run:\n  ${await resumeCommand(ids)}`;
}
