/**
 * Which alerts the ends of a check's sessions come to, in the plainest words: what the service told is compared with it. Of
 * checks that know no degradation.
 */

/** The end of a session, with its final results added up. */
export interface Ended {
  readonly id: string;
  readonly stoppedAt: number;
  readonly startedAt: number;
  readonly status: string;
  readonly failed: number;
  readonly errors: number;
  readonly cancelled: number;
}

/** Those that ended at once are told of in the order in which they started. */
function inOrder(sessions: readonly Ended[]): Ended[] {
  const turns = new Map<number, Ended[]>();
  for (const session of sessions) {
    const turn = turns.get(session.stoppedAt) ?? [];
    turns.set(session.stoppedAt, [...turn, session]);
  }
  return [...turns.values()].flatMap((turn) =>
    turn.sort((one, other) => one.startedAt - other.startedAt || (one.id < other.id ? -1 : 1)),
  );
}

/** `sessions`: in the order in which they ended. `threshold`: failed runs in a row before an alert. */
export function alertsOf(sessions: readonly Ended[], threshold: number): string[] {
  const told: string[] = [];
  let [inARow, isFailing, latest] = [0, false, Number.NEGATIVE_INFINITY];
  for (const { startedAt, status, failed, errors, cancelled } of inOrder(sessions)) {
    // A later one has said how it stands already.
    const isOutdated = startedAt < latest;
    if (['PASSED', 'DEGRADED', 'FAILED'].includes(status)) latest = Math.max(latest, startedAt);
    // Of what was cancelled or went wrong on our side nothing is known.
    const isUnknown = failed === 0 && errors + cancelled > 0;
    if (isOutdated || isUnknown || status === 'CANCELLED') continue;
    inARow = failed > 0 ? inARow + 1 : 0;
    if (failed === 0 && isFailing) {
      told.push('ALERT_RECOVERY');
      isFailing = false;
    }
    if (inARow >= threshold && !isFailing) {
      told.push('ALERT_FAILURE');
      isFailing = true;
    }
  }
  return told;
}
