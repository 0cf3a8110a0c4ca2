/** What answers tell of a session, whatever else they may hold: only its status is sure to be of its type. */
import type { GateOutcome } from '../wait/gate.ts';
import type { SessionBody, SessionResult } from '../wait/verdict.ts';

/** A text of the API, which may be anything. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A length of time of the API. */
export const durationOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** The session of an outcome, where any answer told of it. */
export const sessionOf = ({ outcome }: GateOutcome): SessionBody | undefined => outcome.session;

/** How the session stands, in the API's word where there is one. */
export function statusOf(outcome: GateOutcome): string {
  if (outcome.outcome.kind === 'refused')
    return outcome.outcome.error.status === 404 ? 'NOT_FOUND' : 'REFUSED';
  return sessionOf(outcome)?.status ?? 'UNKNOWN';
}

/** The results that count, attempts left out. */
export function finalResultsOf(session: SessionBody | undefined): readonly SessionResult[] {
  return (Array.isArray(session?.results) ? session.results : []).filter(
    (result) => result !== null && typeof result === 'object' && result.resultType !== 'ATTEMPT',
  );
}

/** Where the session runs, as it tells. */
export const locationsOf = (session: SessionBody | undefined): readonly string[] =>
  (Array.isArray(session?.runLocations) ? session.runLocations : []).filter(
    (each) => textOf(each) !== undefined,
  );

/** The milliseconds that the session took, as it tells. */
export const elapsedOf = (session: SessionBody | undefined): number | undefined =>
  durationOf(session?.timeElapsed);

/** The milliseconds that a session took that was seen to end; of one that runs on the answer tells how old it was when it was asked about. */
export const tookOf = ({ outcome }: GateOutcome): number | undefined =>
  outcome.kind === 'ended' ? elapsedOf(outcome.session) : undefined;

/** A result in a word. */
export function resultWord(result: SessionResult): string {
  if (result.isCancelled || result.aborted) return 'CANCELLED';
  if (result.hasErrors) return 'ERROR';
  if (result.hasFailures) return 'FAILED';
  return result.isDegraded ? 'DEGRADED' : 'PASSED';
}
