/** Summarises a gate in one sentence: how its sessions ended, the worst first; and the results so far of an interrupted one. */

import { formatDuration } from '../../base/format-duration.ts';
import { plural } from '../../base/plural.ts';
import { finalResultsOf } from '../wait/results.ts';
import type { SessionKind } from '../wait/verdict.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';
import { firstLine, listed, shortName, textOf } from '../words/text.ts';
import { type OutcomeLabel, outcomeLabel, unstartedText } from './lines.ts';
import { NO_VERDICT } from './reason.ts';
import { rowsOf } from './rows.ts';
import { elapsedOf, locationsOf, sessionOf } from './session.ts';
import { suiteOf, sumCounts } from './suite.ts';

/** Returns the name of a session, if known. */
const nameOf = (outcome: GateOutcome): string | undefined => {
  const name = textOf(sessionOf(outcome)?.name);
  return (name && shortName(name)) || undefined;
};
const namesOf = (outcomes: readonly GateOutcome[]): string =>
  listed([...new Set(outcomes.map((outcome) => nameOf(outcome) ?? outcome.id))]);

const WORST_FIRST: readonly OutcomeLabel[] = [
  'failed',
  'timed out',
  'cancelled',
  'not found',
  'refused',
  'unreachable',
  NO_VERDICT.deadline,
  NO_VERDICT.unread,
  NO_VERDICT.left,
  'degraded',
  'passed',
];

/** Groups outcomes by label, the worst first. Degraded outcomes are sorted by whether they fail the gate. */
function tally(
  outcomes: readonly GateOutcome[],
): readonly (readonly [OutcomeLabel, readonly GateOutcome[]])[] {
  const order = WORST_FIRST.toSorted((a, b) => Number(isGood(a, outcomes)) - Number(isGood(b, outcomes)));
  return order.flatMap((word) => {
    const its = outcomes.filter((outcome) => outcomeLabel(outcome) === word);
    return its.length > 0 ? [[word, its] as const] : [];
  });
}
const isGood = (word: OutcomeLabel, outcomes: readonly GateOutcome[]): boolean =>
  outcomes.every((outcome) => outcomeLabel(outcome) !== word || outcome.exitCode === 0);

const counts = (outcomes: readonly GateOutcome[]): readonly string[] =>
  tally(outcomes).map(([word, its]) => `${its.length} ${word}`);

/** Returns ` at eu-west-1`, ` at 3 locations`, ` at 1 of 3 locations`, or '' if no location is known. */
function atLocations(locations: readonly string[], all: readonly string[]): string {
  const [only] = locations;
  if (only === undefined) return '';
  if (all.length > locations.length) return ` at ${locations.length} of ${all.length} locations`;
  return locations.length === 1 ? ` at ${shortName(only)}` : ` at ${locations.length} locations`;
}

/** Returns the locations where sessions ran or should have run. A retry may have replaced a location by another. */
const locationsOfAll = (outcomes: readonly GateOutcome[]): readonly string[] => [
  ...new Set(
    outcomes.map(sessionOf).flatMap((session) => {
      const ran = new Set(finalResultsOf(session).flatMap((result) => textOf(result.runLocation) ?? []));
      const planned = locationsOf(session);
      const without = planned.filter((location) => !ran.has(location));
      return [...ran, ...without.slice(0, Math.max(0, planned.length - ran.size))];
    }),
  ),
];

/** Returns the duration of the longest session, in ms. */
const longest = (outcomes: readonly GateOutcome[]): number =>
  outcomes.reduce((most, outcome) => Math.max(most, elapsedOf(sessionOf(outcome)) ?? 0), 0);

/** Returns the final sentence. `tookMs`: duration of the gate. */
export function summary(kind: SessionKind, outcomes: readonly GateOutcome[], tookMs: number): string {
  const distinct = [...new Map(outcomes.map((outcome) => [outcome.id, outcome])).values()];
  const [only] = distinct;
  if (only && distinct.length === 1) return sentenceOf(kind, only, tookMs);
  if (distinct.every(({ exitCode }) => exitCode === 0)) return goodSentence(kind, distinct, tookMs);
  const groups = tally(distinct);
  const [first] = groups;
  if (first && groups.length === 1) {
    const all = distinct.length === 2 ? `Both ${kind.noun}s` : `All ${plural(distinct.length, kind.noun)}`;
    return `${all} ${asPredicate(first[0])}`;
  }
  return `Of ${plural(distinct.length, kind.noun)}: ${counts(distinct).join(', ')}`;
}

/** Adds the checks without a session to a sentence: before a good one, because they decide the verdict. */
export function withUnstarted(
  sentence: string,
  isGood: boolean,
  checkIds: readonly string[],
  noun: SessionKind['noun'] = 'check session',
): string {
  if (checkIds.length === 0) return sentence;
  const text = unstartedText(checkIds, noun);
  return isGood ? `${text.charAt(0).toUpperCase()}${text.slice(1)}; ${sentence}` : `${sentence}; ${text}`;
}

/** Turns a label into the predicate of a sentence about several sessions. */
const asPredicate = (word: OutcomeLabel): string =>
  word === 'failed' || word === 'timed out' || word === 'passed' ? word : `were ${word}`;

/** Uses the longest session if it took longer than the gate: it may have ended before the gate started. */
function goodSentence(kind: SessionKind, outcomes: readonly GateOutcome[], tookMs: number): string {
  const degraded = outcomes.filter((outcome) => outcomeLabel(outcome) === 'degraded');
  const locations = locationsOfAll(outcomes);
  const took = formatDuration(Math.max(tookMs, longest(outcomes)));
  if (degraded.length === outcomes.length) {
    return `${plural(outcomes.length, kind.noun)} ended degraded${atLocations(locations, locations)} in ${took}: ${namesOf(degraded)}`;
  }
  const passed = outcomes.length - degraded.length;
  const who = degraded.length > 0 ? `${passed} of ${outcomes.length}` : String(outcomes.length);
  const rest = degraded.length > 0 ? `, ${degraded.length} degraded: ${namesOf(degraded)}` : '';
  return `${who} ${kind.noun}s passed${atLocations(locations, locations)} in ${took}${rest}`;
}

/** Returns the locations of the results that decided the verdict. */
const badLocations = (outcome: GateOutcome): readonly string[] => [
  ...new Set(rowsOf([outcome]).flatMap((row) => (row.isBad ? (row.runLocation ?? []) : []))),
];
const degradedLocations = (outcome: GateOutcome): readonly string[] => [
  ...new Set(
    finalResultsOf(sessionOf(outcome)).flatMap((result) =>
      result.isDegraded ? (textOf(result.runLocation) ?? []) : [],
    ),
  ),
];

/** Returns `: 1 of 12 tests failed` or `: 11 tests passed, 1 flaky`; '' without a suite, or if the tests do not explain the failure. */
function testsText(outcome: GateOutcome): string {
  const counts = sumCounts(finalResultsOf(sessionOf(outcome)).map(suiteOf));
  if (counts === undefined) return '';
  const { failed, flaky, passed, skipped } = counts;
  if (failed > 0) return `: ${failed} of ${plural(failed + flaky + passed + skipped, 'test')} failed`;
  if (outcome.exitCode !== 0) return '';
  const rest = [...(flaky > 0 ? [`${flaky} flaky`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  return `: ${[`${plural(passed, 'test')} passed`, ...rest].join(', ')}`;
}

function sentenceOf(kind: SessionKind, gateOutcome: GateOutcome, tookMs: number): string {
  const { outcome } = gateOutcome;
  const id = `${kind.noun} ${shortName(gateOutcome.id)}`;
  const who = nameOf(gateOutcome) ?? `The ${id}`;
  const all = locationsOfAll([gateOutcome]);
  const took = ` in ${formatDuration(longest([gateOutcome]) || tookMs)}`;
  switch (outcome.kind) {
    case 'ended':
      switch (outcome.verdict) {
        case 'passed':
          return `${who} passed${atLocations(all, all)}${took}${testsText(gateOutcome)}`;
        case 'degraded':
          return gateOutcome.exitCode === 0
            ? `${who} ended degraded${atLocations(degradedLocations(gateOutcome), all)}${took}`
            : `${who} ended degraded${atLocations(degradedLocations(gateOutcome), all)}, which fails this gate`;
        case 'failed':
          return `${who} failed${atLocations(badLocations(gateOutcome), all)}${testsText(gateOutcome)}`;
        case 'timed out':
          return `${who} timed out${atLocations(badLocations(gateOutcome), all)}`;
        case 'cancelled':
          return `${who} was cancelled`;
        default:
          return outcome.verdict satisfies never;
      }
    case 'refused':
      return `sonde cannot wait for ${nameOf(gateOutcome) ?? `the ${id}`}: ${firstLine(outcome.error.message)}`;
    case 'fault':
      return `${who} was unreachable at the deadline; the verdict is unknown: ${firstLine(outcome.error.message)}`;
    case 'deadline':
      return `${who} was still running at the deadline; the verdict is unknown`;
    case 'unread':
      return `${who} was not read at the deadline; the verdict is unknown`;
    case 'left':
      return `${who} was not awaited`;
    default:
      return outcome satisfies never;
  }
}

/** Returns the results so far of an interrupted gate: `3 passed, 1 failed: Apex record`; undefined if no session ended. */
export function seenSoFar(outcomes: readonly GateOutcome[]): string | undefined {
  const ended = outcomes.filter(({ outcome }) => outcome.kind !== 'left');
  if (ended.length === 0) return undefined;
  const bad = ended.filter(({ exitCode }) => exitCode !== 0);
  return `${counts(ended).toReversed().join(', ')}${bad.length > 0 ? `: ${namesOf(bad)}` : ''}`;
}
