/** Formats the reasons of failures for a person: each error once, with its checks, locations, and a link. */

import { formatDuration } from '../../base/format-duration.ts';
import { plural } from '../../base/plural.ts';
import type { Styles } from '../../terminal/index.ts';
import { isNotAwaited, type Row } from '../format/rows.ts';
import { firstLine, listed, shortName } from '../words/text.ts';

/** Maximum number of different errors; the table has all rows. */
const MAX_ERRORS = 10;
/** Limits on the checks with the same error, and on the locations of each. */
const MAX_CHECKS = 5;
const MAX_LOCATIONS = 6;
/** IDs that are safe in a command line to copy. */
const ID = /^\w[\w-]{0,99}$/;

/** Labels of results without a message. */
const RESULT_LABELS: Readonly<Record<string, string>> = {
  FAILED: 'failed',
  ERROR: 'monitor error',
  DEGRADED: 'degraded',
  TIMED_OUT: 'timed out',
  CANCELLED: 'cancelled',
};

export interface WhyOptions {
  readonly styles: Styles;
  /** Returns the command line that lists the errors of a check; if absent, there is none. */
  readonly errorsCommand?: ((checkId: string) => string) | undefined;
  /** Wraps a line to the width of the terminal. */
  readonly wrap: (line: string) => readonly string[];
  /** Whether to print words instead of symbols. */
  readonly plain: boolean;
}

/** Returns the lines that explain why the gate failed, and why results are degraded. */
export function whyLines(
  rows: readonly Row[],
  { styles, errorsCommand: more, wrap, plain }: WhyOptions,
): readonly string[] {
  const errors = new Map<string, Row[]>();
  for (const row of rows) {
    if (!(row.isBad || isExplainedDegradation(row)) || isNotAwaited(row)) continue;
    for (const text of row.errors ?? [row.error ?? RESULT_LABELS[row.result] ?? shortName(row.result)]) {
      const known = errors.get(text);
      if (known) known.push(row);
      else errors.set(text, [row]);
    }
  }
  const shown = [...errors].slice(0, MAX_ERRORS);
  const linkedChecks = new Set<string>();
  const linked = new Map(shown.map(([text, its]) => [linkOf(its), text]));
  const lines = shown.flatMap(([text, its]) => {
    const targets = targetsOf(its);
    const isWarning = !its.some(({ isBad }) => isBad);
    const paint = isWarning ? styles.yellow : styles.red;
    const what = its.every(isExplainedDegradation) ? text : `${text}${durationText(its)}`;
    const [first = '', ...rest] = wrap(
      `${plain ? labelOf(its) : isWarning ? '! ' : '✗ '}${targets.length === 1 ? targets[0] : countText(its, targets)}: ${what}`,
    );
    const named = targets.length === 1 ? [] : targets.slice(0, MAX_CHECKS);
    // If one result has several errors, only the last one shows the link.
    const isOneOfSeveral = its.every((row) => row.errors !== undefined) && linked.get(linkOf(its)) !== text;
    const link = isOneOfSeveral ? undefined : linkOf(its);
    const failed = its.find(({ result }) => result === 'FAILED' || result === 'ERROR')?.checkId;
    const check = failed !== undefined && ID.test(failed) ? failed : undefined;
    const command =
      isOneOfSeveral || check === undefined || linkedChecks.has(check) ? undefined : more?.(check);
    if (check !== undefined && command !== undefined) linkedChecks.add(check);
    return [
      paint(first),
      ...rest.map((line) => paint(`  ${line}`)),
      ...named.flatMap((target) => wrap(target)).map((line) => `  ${line}`),
      ...(targets.length > MAX_CHECKS ? [`  and ${targets.length - MAX_CHECKS} more`] : []),
      ...(link === undefined ? [] : [`  ${firstLine(link, MAX_LINK) ?? ''}`]),
      ...(command === undefined ? [] : [styles.dim(`  More: ${command}`)]),
    ];
  });
  const left = errors.size - shown.length;
  return left > 0 ? [...lines, `and ${left} more errors; see the table`] : lines;
}

const linkOf = (rows: readonly Row[]): string | undefined =>
  rows.find(({ link }) => link !== undefined)?.link;

/** Returns the label that replaces the symbol, if the text does not already contain it. */
function labelOf([row]: readonly Row[]): string {
  const word = row && RESULT_LABELS[row.result];
  return word === undefined || row?.error === undefined ? '' : `${word}: `;
}

/** Returns the failed locations of each check, or of a session without a check: `Apex record at eu-west-1, us-east-1`. */
function targetsOf(rows: readonly Row[]): readonly string[] {
  const checks = new Map<string, { readonly name: string; readonly at: Set<string> }>();
  for (const { checkId, session, name, runLocation } of rows) {
    const key = checkId ?? session;
    const known = checks.get(key) ?? { name: shortName(name ?? '') || shortName(session), at: new Set() };
    if (runLocation !== undefined) known.at.add(shortName(runLocation));
    checks.set(key, known);
  }
  return [...checks.values()].map(({ name, at }) =>
    at.size === 0 ? name : `${name} at ${listed([...at], MAX_LOCATIONS)}`,
  );
}

const countText = (rows: readonly Row[], targets: readonly string[]): string =>
  rows.every(({ checkId }) => checkId !== undefined)
    ? plural(targets.length, 'check')
    : plural(new Set(rows.map(({ session }) => session)).size, 'session');

/** The reason of a degraded result has its time. */
const isExplainedDegradation = ({ result, error }: Row): boolean =>
  result === 'DEGRADED' && error !== undefined;

/** Returns ` (took 0.7ms)` or ` (took 0.7ms to 1.2s)`, or '' if no duration is known. */
function durationText(rows: readonly Row[]): string {
  const times = rows.flatMap(({ responseTime }) => responseTime ?? []);
  if (times.length === 0) return '';
  // Math.min and Math.max fail with several hundred thousand arguments.
  const shortest = times.reduce((one, other) => Math.min(one, other));
  const longest = times.reduce((one, other) => Math.max(one, other));
  const [least, most] = [formatDuration(shortest), formatDuration(longest)];
  return least === most ? ` (took ${least})` : ` (took ${least} to ${most})`;
}

/** Browsers do not open longer links. */
const MAX_LINK = 2_000;
