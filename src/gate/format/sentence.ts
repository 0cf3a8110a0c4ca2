/** The gate in a sentence: how its sessions ended, the worst first, or that all is well; and what is seen of one broken off. */
import { plural } from '../../base/plural.ts';
import { duration } from '../../terminal/index.ts';
import { firstLine, listed, shortName } from '../text.ts';
import type { GateOutcome } from '../wait/gate.ts';
import type { SessionKind } from '../wait/verdict.ts';
import { unstartedText, type Word, wordOf } from './lines.ts';
import { rowsOf } from './rows.ts';
import { elapsedOf, finalResultsOf, locationsOf, sessionOf, textOf } from './session.ts';
import { suiteOf, together } from './suite.ts';

/** What a session is called, where an answer told. */
const nameOf = (outcome: GateOutcome): string | undefined => {
  const name = textOf(sessionOf(outcome)?.name);
  return (name && shortName(name)) || undefined;
};
const namesOf = (outcomes: readonly GateOutcome[]): string =>
  listed([...new Set(outcomes.map((outcome) => nameOf(outcome) ?? outcome.id))]);

const WORST_FIRST: readonly Word[] = [
  'failed',
  'timed out',
  'cancelled',
  'not found',
  'refused',
  'unreachable',
  'still running at the deadline',
  'not awaited',
  'degraded',
  'passed',
];

/** The words that there are, the worst first, each with its sessions. A degraded one stands where it counts. */
function tally(outcomes: readonly GateOutcome[]): readonly (readonly [Word, readonly GateOutcome[]])[] {
  const order = WORST_FIRST.toSorted((a, b) => Number(isGood(a, outcomes)) - Number(isGood(b, outcomes)));
  return order.flatMap((word) => {
    const its = outcomes.filter((outcome) => wordOf(outcome) === word);
    return its.length > 0 ? [[word, its] as const] : [];
  });
}
const isGood = (word: Word, outcomes: readonly GateOutcome[]): boolean =>
  outcomes.every((outcome) => wordOf(outcome) !== word || outcome.exitCode === 0);

const counts = (outcomes: readonly GateOutcome[]): readonly string[] =>
  tally(outcomes).map(([word, its]) => `${its.length} ${word}`);

/** ` at eu-west-1`, ` at 3 locations`, ` at 1 of 3 locations`, or nothing where no location is told. */
function where(locations: readonly string[], all: readonly string[]): string {
  const [only] = locations;
  if (only === undefined) return '';
  if (all.length > locations.length) return ` at ${locations.length} of ${all.length} locations`;
  return locations.length === 1 ? ` at ${shortName(only)}` : ` at ${locations.length} locations`;
}

/** Where sessions ran, and were to run: a retry may have run elsewhere, in the place of where it failed. */
const placesOf = (outcomes: readonly GateOutcome[]): readonly string[] => [
  ...new Set(
    outcomes.map(sessionOf).flatMap((session) => {
      const ran = new Set(finalResultsOf(session).flatMap((result) => textOf(result.runLocation) ?? []));
      const planned = locationsOf(session);
      const without = planned.filter((location) => !ran.has(location));
      return [...ran, ...without.slice(0, Math.max(0, planned.length - ran.size))];
    }),
  ),
];

/** How long the longest of the sessions took by itself, in ms. */
const longest = (outcomes: readonly GateOutcome[]): number =>
  outcomes.reduce((most, outcome) => Math.max(most, elapsedOf(sessionOf(outcome)) ?? 0), 0);

/** The sentence at the end. `tookMs`: how long the gate held. */
export function summary(kind: SessionKind, outcomes: readonly GateOutcome[], tookMs: number): string {
  const distinct = [...new Map(outcomes.map((outcome) => [outcome.id, outcome])).values()];
  const [only] = distinct;
  if (only && distinct.length === 1) return sentenceOf(kind, only, tookMs);
  if (distinct.every(({ exitCode }) => exitCode === 0)) return goodSentence(kind, distinct, tookMs);
  const told = tally(distinct);
  const [first] = told;
  if (first && told.length === 1) {
    const all = distinct.length === 2 ? `Both ${kind.noun}s` : `All ${plural(distinct.length, kind.noun)}`;
    return `${all} ${beside(first[0])}`;
  }
  return `Of ${plural(distinct.length, kind.noun)}: ${counts(distinct).join(', ')}`;
}

/** The sentence with the checks that have no session: before it where it is good, for what decided is said first. */
export function withUnstarted(told: string, isGood: boolean, checkIds: readonly string[]): string {
  if (checkIds.length === 0) return told;
  const text = unstartedText(checkIds);
  return isGood ? `${text.charAt(0).toUpperCase()}${text.slice(1)}; ${told}` : `${told}; ${text}`;
}

/** A word as the end of a sentence about several. */
const beside = (word: Word): string =>
  word === 'failed' || word === 'timed out' || word === 'passed' ? word : `were ${word}`;

/** Sessions that were over before the gate began took longer than it did. */
function goodSentence(kind: SessionKind, outcomes: readonly GateOutcome[], tookMs: number): string {
  const degraded = outcomes.filter((outcome) => wordOf(outcome) === 'degraded');
  const places = placesOf(outcomes);
  const took = duration(Math.max(tookMs, longest(outcomes)));
  if (degraded.length === outcomes.length) {
    return `${plural(outcomes.length, kind.noun)} ended degraded${where(places, places)} in ${took}: ${namesOf(degraded)}`;
  }
  const passed = outcomes.length - degraded.length;
  const who = degraded.length > 0 ? `${passed} of ${outcomes.length}` : String(outcomes.length);
  const rest = degraded.length > 0 ? `, ${degraded.length} degraded: ${namesOf(degraded)}` : '';
  return `${who} ${kind.noun}s passed${where(places, places)} in ${took}${rest}`;
}

/** Where the results are that decided. */
const badPlaces = (told: GateOutcome): readonly string[] => [
  ...new Set(rowsOf([told]).flatMap((row) => (row.isBad ? (row.runLocation ?? []) : []))),
];
const degradedPlaces = (told: GateOutcome): readonly string[] => [
  ...new Set(
    finalResultsOf(sessionOf(told)).flatMap((result) =>
      result.isDegraded ? (textOf(result.runLocation) ?? []) : [],
    ),
  ),
];

/** `: 1 of 12 tests failed`, `: 11 tests passed, 1 flaky`; nothing where it was no suite, or the tests do not say why it failed. */
function testsOf(told: GateOutcome): string {
  const counts = together(finalResultsOf(sessionOf(told)).map(suiteOf));
  if (counts === undefined) return '';
  const { failed, flaky, passed, skipped } = counts;
  if (failed > 0) return `: ${failed} of ${plural(failed + flaky + passed + skipped, 'test')} failed`;
  if (told.exitCode !== 0) return '';
  const rest = [...(flaky > 0 ? [`${flaky} flaky`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  return `: ${[`${plural(passed, 'test')} passed`, ...rest].join(', ')}`;
}

function sentenceOf(kind: SessionKind, told: GateOutcome, tookMs: number): string {
  const { outcome } = told;
  const id = `${kind.noun} ${shortName(told.id)}`;
  const who = nameOf(told) ?? `The ${id}`;
  const all = placesOf([told]);
  const took = ` in ${duration(longest([told]) || tookMs)}`;
  switch (outcome.kind) {
    case 'ended':
      switch (outcome.verdict) {
        case 'passed':
          return `${who} passed${where(all, all)}${took}${testsOf(told)}`;
        case 'degraded':
          return told.exitCode === 0
            ? `${who} ended degraded${where(degradedPlaces(told), all)}${took}`
            : `${who} ended degraded${where(degradedPlaces(told), all)}, which fails this gate`;
        case 'failed':
          return `${who} failed${where(badPlaces(told), all)}${testsOf(told)}`;
        case 'timed out':
          return `${who} timed out${where(badPlaces(told), all)}`;
        case 'cancelled':
          return `${who} was cancelled`;
        default:
          return outcome.verdict satisfies never;
      }
    case 'refused':
      return `sonde cannot wait for ${nameOf(told) ?? `the ${id}`}: ${firstLine(outcome.error.message)}`;
    case 'fault':
      return `${who} was unreachable at the deadline; the verdict is unknown: ${firstLine(outcome.error.message)}`;
    case 'deadline':
      return `${who} was still running at the deadline; the verdict is unknown`;
    case 'left':
      return `${who} was not awaited`;
    default:
      return outcome satisfies never;
  }
}

/** What was seen of a gate that was broken off: `3 passed, 1 failed: Apex record`. Nothing where no session had ended. */
export function seenSoFar(outcomes: readonly GateOutcome[]): string | undefined {
  const ended = outcomes.filter(({ outcome }) => outcome.kind !== 'left');
  if (ended.length === 0) return undefined;
  const bad = ended.filter(({ exitCode }) => exitCode !== 0);
  return `${counts(ended).toReversed().join(', ')}${bad.length > 0 ? `: ${namesOf(bad)}` : ''}`;
}
