/** What went wrong, for a person: the same error at several locations is said once, with a link and where to read more. */
import { plural } from '../../base/plural.ts';
import { duration, type Styles } from '../../terminal/index.ts';
import { isLeft, type Row } from '../format/rows.ts';
import { firstLine, listed, shortName } from '../text.ts';

/** So many different errors are told; the table has all rows. */
const MOST_ERRORS = 10;
/** So many checks with the same error are named, and so many locations of each. */
const MOST_CHECKS = 5;
const MOST_LOCATIONS = 6;
/** What an id may be that is told as part of a command line to be copied. */
const ID = /^\w[\w-]{0,99}$/;

/** How a result without a message came out. */
const WORDS: Readonly<Record<string, string>> = {
  FAILED: 'failed',
  ERROR: 'monitor error',
  DEGRADED: 'degraded',
  TIMED_OUT: 'timed out',
  CANCELLED: 'cancelled',
};

export interface WhyOptions {
  readonly styles: Styles;
  /** The command line that lists the errors of a check. */
  readonly more: (checkId: string) => string;
  /** Breaks a line where the terminal would. */
  readonly wrap: (line: string) => readonly string[];
  /** Words instead of marks. */
  readonly plain: boolean;
}

/** The lines that say why the gate is not green; none where no row keeps it from that. */
export function whyLines(rows: readonly Row[], { styles, more, wrap, plain }: WhyOptions): readonly string[] {
  const errors = new Map<string, Row[]>();
  for (const row of rows) {
    if (!row.isBad || isLeft(row)) continue;
    for (const text of row.errors ?? [row.error ?? WORDS[row.result] ?? shortName(row.result)]) {
      const known = errors.get(text);
      if (known) known.push(row);
      else errors.set(text, [row]);
    }
  }
  const told = [...errors].slice(0, MOST_ERRORS);
  const asked = new Set<string>();
  const linked = new Map(told.map(([text, its]) => [linkOf(its), text]));
  const lines = told.flatMap(([text, its]) => {
    const places = placesOf(its);
    const what = `${text}${tookOf(its)}`;
    const [first = '', ...rest] = wrap(
      `${plain ? wordsBefore(its) : '✗ '}${places.length === 1 ? places[0] : countOf(its, places)}: ${what}`,
    );
    const named = places.length === 1 ? [] : places.slice(0, MOST_CHECKS);
    // Of several errors of one result the last leads on.
    const isOneOfSeveral = its.every((row) => row.errors !== undefined) && linked.get(linkOf(its)) !== text;
    const link = isOneOfSeveral ? undefined : linkOf(its);
    const failed = its.find(({ result }) => result === 'FAILED' || result === 'ERROR')?.checkId;
    const check = failed !== undefined && ID.test(failed) ? failed : undefined;
    const isNew = !isOneOfSeveral && check !== undefined && !asked.has(check);
    if (isNew) asked.add(check);
    return [
      styles.red(first),
      ...rest.map((line) => styles.red(`  ${line}`)),
      ...named.flatMap((place) => wrap(place)).map((line) => `  ${line}`),
      ...(places.length > MOST_CHECKS ? [`  and ${places.length - MOST_CHECKS} more`] : []),
      ...(link === undefined ? [] : [`  ${firstLine(link, LONGEST_LINK) ?? ''}`]),
      ...(isNew ? [styles.dim(`  More: ${more(check)}`)] : []),
    ];
  });
  const left = errors.size - told.length;
  return left > 0 ? [...lines, `and ${left} more errors; see the table`] : lines;
}

const linkOf = (rows: readonly Row[]): string | undefined =>
  rows.find(({ link }) => link !== undefined)?.link;

/** What the mark tells, where what follows does not say it. */
function wordsBefore([row]: readonly Row[]): string {
  const word = row && WORDS[row.result];
  return word === undefined || row?.error === undefined ? '' : `${word}: `;
}

/** For each check, or session without one, where it went wrong: `Apex record at eu-west-1, us-east-1`. */
function placesOf(rows: readonly Row[]): readonly string[] {
  const checks = new Map<string, { readonly name: string; readonly at: Set<string> }>();
  for (const { checkId, session, name, runLocation } of rows) {
    const key = checkId ?? session;
    const known = checks.get(key) ?? { name: shortName(name ?? '') || shortName(session), at: new Set() };
    if (runLocation !== undefined) known.at.add(shortName(runLocation));
    checks.set(key, known);
  }
  return [...checks.values()].map(({ name, at }) =>
    at.size === 0 ? name : `${name} at ${listed([...at], MOST_LOCATIONS)}`,
  );
}

const countOf = (rows: readonly Row[], places: readonly string[]): string =>
  rows.every(({ checkId }) => checkId !== undefined)
    ? plural(places.length, 'check')
    : plural(new Set(rows.map(({ session }) => session)).size, 'session');

/** ` (took 0.7ms)`, ` (took 0.7ms to 1.2s)`, where the API told. */
function tookOf(rows: readonly Row[]): string {
  const times = rows.flatMap(({ responseTime }) => responseTime ?? []);
  if (times.length === 0) return '';
  // Not by Math.min and Math.max, which take no more than some hundred thousand.
  const shortest = times.reduce((one, other) => Math.min(one, other));
  const longest = times.reduce((one, other) => Math.max(one, other));
  const [least, most] = [duration(shortest), duration(longest)];
  return least === most ? ` (took ${least})` : ` (took ${least} to ${most})`;
}

/** Links longer than a browser takes lead nowhere. */
const LONGEST_LINK = 2_000;
