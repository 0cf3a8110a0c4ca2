/** Judges an ended session by its status and its final results together, and refuses a response that contradicts itself. */

import { isObject, type JsonObject } from '../../base/object.ts';
import { textOf } from '../words/text.ts';
import { finalResultsOf, resultStatus } from './results.ts';
import {
  readSession,
  type SessionBody,
  type SessionKind,
  type SessionReading,
  type SessionResult,
  type Verdict,
} from './verdict.ts';

/** A response that says that the session ended well. */
interface Claim {
  readonly kind: SessionKind;
  readonly body: JsonObject;
  readonly results: readonly unknown[];
  readonly finals: readonly SessionResult[];
  /** The session as the start request returned it. */
  readonly started: SessionBody | undefined;
}

const FLAGS = ['hasErrors', 'hasFailures', 'isDegraded', 'aborted', 'isCancelled'] as const;
const UNFINISHED: readonly unknown[] = ['STARTED', 'RUNNING', 'PROGRESS'];

const isDate = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isCheck = ({ kind }: Claim): boolean => kind.noun === 'check session';
/** The specification does not require the results of a test session. */
const mayOmitResults = (claim: Claim): boolean => !isCheck(claim) && claim.body.results === undefined;
/** Whether two IDs are known and differ; a deployment may omit one. */
const differ = (one: unknown, other: unknown): boolean =>
  textOf(one) !== undefined &&
  textOf(other) !== undefined &&
  String(one).toLowerCase() !== String(other).toLowerCase();

/** Returns the number of different final results. Their locations may coincide: a retry may run elsewhere. */
const countFinals = ({ finals }: Claim): number =>
  new Set(finals.map((result) => textOf(result.checkResultId)?.toLowerCase() ?? result)).size;

/**
 * What forbids to believe a good status, in the order of the tests: later ones rely on earlier ones. Fields that do not
 * carry the verdict may be absent, optional ones may be null, and results may be of more locations than planned.
 */
const DOUBTS: readonly (readonly [what: string, applies: (claim: Claim) => boolean])[] = [
  [
    'it is an error response',
    ({ body }) =>
      Number(body.statusCode) >= 400 || !['', null, undefined, false].includes(body.error as null),
  ],
  ['its checkId is missing', (claim) => isCheck(claim) && textOf(claim.body.checkId) === undefined],
  ['it has no time of its end (stoppedAt)', (claim) => isCheck(claim) && !isDate(claim.body.stoppedAt)],
  [
    'it does not list its locations (runLocations)',
    (claim) => isCheck(claim) && !Array.isArray(claim.body.runLocations),
  ],
  ['it does not list its results', (claim) => !mayOmitResults(claim) && !Array.isArray(claim.body.results)],
  ['one of its results is unreadable', ({ results }) => !results.every(isObject)],
  [
    'one of its results has a flag that is neither true nor false',
    ({ finals }) =>
      finals.some((each) =>
        FLAGS.some((flag) => !['boolean', 'undefined'].includes(typeof (each[flag] ?? undefined))),
      ),
  ],
  ['it has no final result', (claim) => !mayOmitResults(claim) && claim.finals.length === 0],
  [
    'one of its results has not ended',
    ({ finals }) => finals.some((each) => UNFINISHED.includes((each as JsonObject).status)),
  ],
  [
    'one of its results is of another check',
    (claim) => isCheck(claim) && claim.finals.some(({ checkId }) => differ(checkId, claim.body.checkId)),
  ],
  [
    'it has fewer results than locations',
    (claim) => isCheck(claim) && countFinals(claim) < new Set(claim.body.runLocations as unknown[]).size,
  ],
  [
    'it is of another check than the one that was started',
    ({ body, started }) => differ(body.checkId, started?.checkId),
  ],
  [
    'the response to the start said that it ended otherwise',
    ({ kind, body, started }) =>
      started !== undefined && Object.hasOwn(kind.verdicts, started.status) && started.status !== body.status,
  ],
];

/** The verdict that a result of this status allows at best. */
const RESULT_VERDICTS: Readonly<Record<ReturnType<typeof resultStatus>, Verdict>> = {
  ERROR: 'failed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  DEGRADED: 'degraded',
  PASSED: 'passed',
};
const WORST_FIRST: readonly Verdict[] = ['failed', 'timed out', 'cancelled', 'degraded', 'passed'];

/** Statuses that results may contradict. A bad status is the verdict in any case. */
const GOOD: readonly Verdict[] = ['passed', 'degraded'];

/**
 * Reads the body of a 200. A good status counts only if the response proves it: the verdict is the worst of the status and
 * the final results, and a response that contradicts itself, or lacks the proof of its status, is unusable.
 */
export function judgeSession(
  kind: SessionKind,
  id: string,
  body: unknown,
  started: SessionBody | undefined,
): SessionReading {
  const reading = readSession(kind, id, body);
  if (reading.kind !== 'ended' || !GOOD.includes(reading.verdict)) return reading;
  const { session, verdict } = reading;
  const finals = finalResultsOf(session);
  const fields = session as unknown as JsonObject;
  const results = Array.isArray(fields.results) ? fields.results : [];
  const claim: Claim = { kind, body: fields, results, finals, started };
  const [doubt] = DOUBTS.find(([, applies]) => applies(claim)) ?? [];
  if (doubt !== undefined)
    return { kind: 'unusable', why: `the response says ${session.status}, but ${doubt}` };
  const all = [verdict, ...finals.map((result) => RESULT_VERDICTS[resultStatus(result)])];
  const worst = WORST_FIRST.find((each) => all.includes(each)) ?? verdict;
  if (GOOD.includes(worst)) return { ...reading, verdict: worst };
  const contradiction = `the status of the session is ${session.status}, but a result says otherwise`;
  return { ...reading, verdict: worst, contradiction };
}

/** Returns why the response of a session cannot be believed; undefined if there is no doubt. A bad status needs no proof. */
export function doubtOf(kind: SessionKind, id: string, body: unknown): string | undefined {
  const reading = judgeSession(kind, id, body, undefined);
  if (reading.kind === 'unusable') return reading.why;
  return reading.kind === 'ended' ? reading.contradiction : undefined;
}
