/**
 * Records failed results in error groups: each distinct error of a script with tests, and the first of other checks.
 */

import { isCheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type { Failure } from '../../store/engine/error-groups.ts';
import type { EngineData } from '../../store/engine/index.ts';
import { cleanMessage, hashMessage } from './clean-message.ts';

/** Maximum number of error groups of a result. */
const MAX_GROUPS = 10;
/** Maximum number of errors of a result to clean. An agent may send more. */
const MAX_ERRORS = 20;
/** Maximum length of the message that is stored with a group. The result has the full message. */
const MAX_RAW_LENGTH = 20_000;

interface Outcome {
  readonly session: {
    readonly account_id: string;
    readonly check_id: string | null;
    readonly check_type: string;
    readonly run_source: string;
  };
  readonly report: {
    readonly hasFailures: boolean;
    readonly errors: readonly string[];
    readonly stoppedAt: number;
  };
}

/**
 * Returns the IDs of each outcome's error groups, in the order of its errors. Passed and unrecorded outcomes have
 * none.
 */
export async function groupFailures<O extends Outcome>(
  errorGroups: Pick<EngineData['errorGroups'], 'record'>,
  outcomes: readonly O[],
): Promise<ReadonlyMap<O, readonly string[]>> {
  const failures = new Map(outcomes.map((outcome) => [outcome, failuresOf(outcome)] as const));
  const ids = await errorGroups.record([...failures.values()].flat());
  return new Map(
    [...failures].map(([outcome, ownFailures]) => [
      outcome,
      ownFailures.flatMap(({ checkId, hash }) => ids.get(`${checkId} ${hash}`) ?? []),
    ]),
  );
}

function failuresOf({ session, report }: Outcome): Failure[] {
  const { account_id: accountId, check_id: checkId } = session;
  if (!report.hasFailures || checkId === null || session.run_source === 'TEST_NO_RECORD') return [];
  const byHash = new Map<string, Failure>();
  const { check_type: type } = session;
  const hasTests = isCheckType(type) && CHECK_TYPES[type].hasTests;
  for (const message of report.errors.slice(0, hasTests ? MAX_ERRORS : 1)) {
    const text = cleanMessage(message);
    const hash = hashMessage(text);
    if (byHash.has(hash)) continue;
    const raw = withoutNul(message).slice(0, MAX_RAW_LENGTH);
    byHash.set(hash, { accountId, checkId, hash, raw, cleaned: text, seenAt: report.stoppedAt });
    if (byHash.size === MAX_GROUPS) break;
  }
  return [...byHash.values()];
}

/** Replaces NUL, which the database cannot store. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
