/** Records failed results in error groups, which are identified by a message without its variable parts. */

import { createHash } from 'node:crypto';
import { isCheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type { Failure } from '../../store/engine/error-groups.ts';
import type { EngineData } from '../../store/engine/index.ts';
import {
  ADDRESSES,
  BARE_STATUS_CODES,
  FORMS,
  mayNameStatus,
  PATHS,
  type Replacement,
  restoreDigits,
  SIGNIFICANT_CODES,
  stripPlaceholders,
  WORDS_AND_NUMBERS,
} from './patterns.ts';

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

/** Maximum input length. The cleaned text is shorter, so the length of an ID does not move the final cut. */
const MAX_INPUT = 16_000;
const MAX_CLEANED = 2000;

const ESC = '\u001b';
const BEL = '\u0007';
/** Control sequences, titles (ended by BEL, or by ESC and a backslash), and two-character escapes. */
const ESCAPES = new RegExp(
  `${ESC}(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\\][^${BEL}${ESC}]{0,2048}(?:${BEL}|${ESC}\\\\)?|[@-_])`,
  'g',
);
/** Invisible characters: control characters except line ends, direction marks and joiners. */
const INVISIBLE = /(?![\r\n\t])[\p{Cc}\p{Cf}]/gu;
/** A stack frame, as V8 and Firefox write it. */
const FRAME = /^\s*(?:at (?:async )?\S|[\w$.<>/]{0,80}@(?:file|https?):\/\/)/;
/** A list mark, or the repeat count of a line. */
const LINE_MARK = /^(?:[-•*·]\s+)?(?:\d{1,6} ?[×x] )?/;
const WIDE_DIGIT = /(?!\d)\p{Nd}/gu;

function replaceAll(text: string, replacements: readonly Replacement[]): string {
  let done = text;
  for (const [pattern, by] of replacements) {
    done = typeof by === 'string' ? done.replace(pattern, by) : done.replace(pattern, by);
  }
  return done;
}

/** Keeps each line once, and only the first stack frame, because repeats and stack depth vary. */
function removeRepeats(lines: readonly string[]): string[] {
  const seen = new Set<string>();
  let frames = 0;
  return lines.filter((line) => {
    if (FRAME.test(line)) {
      frames += 1;
      if (frames > 1) return false;
    }
    if (seen.has(line)) return false;
    seen.add(line);
    return true;
  });
}

/** Removes numbers, IDs, hashes, times, addresses, paths and escape sequences; returns at most 2,000 characters. */
export function cleanMessage(message: string): string {
  const seen = stripPlaceholders(message.slice(0, MAX_INPUT))
    .replace(ESCAPES, '')
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    // NFKC can turn one character into eighteen.
    .slice(0, MAX_INPUT)
    .replace(WIDE_DIGIT, '0');
  const lines = seen.split(/[\r\n]+/).map((line) => line.trim().replace(LINE_MARK, ''));
  let text = lines.join('\n');
  for (const replacements of [FORMS, ADDRESSES, PATHS, SIGNIFICANT_CODES])
    text = replaceAll(text, replacements);
  if (mayNameStatus(text)) text = replaceAll(text, BARE_STATUS_CODES);
  text = removeRepeats(replaceAll(text, WORDS_AND_NUMBERS).split('\n')).join(' ');
  return restoreDigits(text).replace(/\s+/g, ' ').trim().slice(0, MAX_CLEANED);
}

/** Returns the SHA-256 of a cleaned message, in hexadecimal. */
export function hashMessage(cleanedMessage: string): string {
  return createHash('sha256').update(cleanedMessage).digest('hex');
}
