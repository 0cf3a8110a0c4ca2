/** Records the failures of results in their error groups: of scripts with tests each distinct error, of other checks the first. */

import type { Failure } from '../../store/engine/error-groups.ts';
import type { EngineData } from '../../store/engine/index.ts';
import { cleaned, hashOf } from './clean.ts';

/** A result belongs to at most this many error groups. */
const MOST_GROUPS = 10;
/** At most this many errors of a result are cleaned: an agent may send more. */
const MOST_ERRORS = 20;
/** At most this many characters of a message are stored with its group; the result has all of it. */
const LONGEST_RAW = 20_000;
/** Check types with several tests, which fail one apart from the other. */
const WITH_TESTS: ReadonlySet<string> = new Set(['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT']);

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

/** Returns the ids of the error groups of each outcome in the order of its errors; outcomes that did not fail, or are not recorded, have none. */
export async function groupFailures<O extends Outcome>(
  errorGroups: Pick<EngineData['errorGroups'], 'record'>,
  outcomes: readonly O[],
): Promise<ReadonlyMap<O, readonly string[]>> {
  const failures = new Map(outcomes.map((outcome) => [outcome, failuresOf(outcome)] as const));
  const ids = await errorGroups.record([...failures.values()].flat());
  return new Map(
    [...failures].map(([outcome, own]) => [
      outcome,
      own.flatMap(({ checkId, hash }) => ids.get(`${checkId} ${hash}`) ?? []),
    ]),
  );
}

function failuresOf({ session, report }: Outcome): Failure[] {
  const { account_id: accountId, check_id: checkId } = session;
  if (!report.hasFailures || checkId === null || session.run_source === 'TEST_NO_RECORD') return [];
  const byHash = new Map<string, Failure>();
  for (const message of report.errors.slice(0, WITH_TESTS.has(session.check_type) ? MOST_ERRORS : 1)) {
    const text = cleaned(message);
    const hash = hashOf(text);
    if (byHash.has(hash)) continue;
    const raw = withoutNul(message).slice(0, LONGEST_RAW);
    byHash.set(hash, { accountId, checkId, hash, raw, cleaned: text, seenAt: report.stoppedAt });
    if (byHash.size === MOST_GROUPS) break;
  }
  return [...byHash.values()];
}

/** The database cannot store a NUL. In JSON it is an escape sequence. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
