/** What went wrong, for a person: the same error at several locations is said once, with a link and where to read more. */
import { duration, type Styles } from '../terminal/index.ts';
import { firstLine, listed, shortName } from './line.ts';
import { isLeft, type Row } from './rows.ts';

/** So many different errors are told; the table has all rows. */
const MOST_ERRORS = 10;
/** So many checks with the same error are named, and so many locations of each. */
const MOST_CHECKS = 3;
const MOST_LOCATIONS = 6;

/** How a result without a message came out. */
const WORDS: Readonly<Record<string, string>> = {
  FAILED: 'failed',
  ERROR: 'could not be run',
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
}

/** The lines that say why the gate is not green; none where no row keeps it from that. */
export function whyLines(rows: readonly Row[], { styles, more, wrap }: WhyOptions): readonly string[] {
  const errors = new Map<string, Row[]>();
  for (const row of rows) {
    if (!row.isBad || isLeft(row)) continue;
    const text = row.error ?? WORDS[row.result] ?? shortName(row.result);
    errors.set(text, [...(errors.get(text) ?? []), row]);
  }
  const told = [...errors].slice(0, MOST_ERRORS);
  const asked = new Set<string>();
  const lines = told.flatMap(([text, its]) => {
    const checks = [...new Set(its.flatMap(({ checkId }) => checkId ?? []))].slice(0, MOST_CHECKS);
    const failed = its.some(({ result }) => result === 'FAILED' || result === 'ERROR');
    const unasked = failed ? checks.filter((id) => !asked.has(id)) : [];
    for (const id of unasked) asked.add(id);
    const link = its.find((row) => row.link !== undefined)?.link;
    const [first = '', ...rest] = wrap(`✗ ${placesOf(its)}: ${text}${tookOf(its)}`);
    return [
      styles.red(first),
      ...rest.map((line) => styles.red(`  ${line}`)),
      ...(link === undefined ? [] : [`  ${shortLink(link)}`]),
      ...unasked.map((id) => styles.dim(`  More: ${more(id)}`)),
    ];
  });
  const left = errors.size - told.length;
  return left > 0 ? [...lines, `and ${left} more errors: all that is bad stands in the table`] : lines;
}

/** `Apex record at eu-west-1, us-east-1; Mail record and 4 more`. */
function placesOf(rows: readonly Row[]): string {
  const checks = new Map<string, { readonly name: string; readonly at: Set<string> }>();
  for (const { checkId, session, name, runLocation } of rows) {
    const key = checkId ?? session;
    const known = checks.get(key) ?? { name: shortName(name ?? '') || session, at: new Set<string>() };
    if (runLocation !== undefined) known.at.add(shortName(runLocation));
    checks.set(key, known);
  }
  const all = [...checks.values()].map(({ name, at }) =>
    at.size === 0 ? name : `${name} at ${listed([...at], MOST_LOCATIONS)}`,
  );
  const rest = all.length - MOST_CHECKS;
  return rest > 0 ? `${all.slice(0, MOST_CHECKS).join('; ')}; and ${rest} more` : all.join('; ');
}

/** ` (took 0.7ms)`, ` (took 0.7ms to 1.2s)`, where the API told. */
function tookOf(rows: readonly Row[]): string {
  const times = rows.flatMap(({ responseTime }) => responseTime ?? []);
  if (times.length === 0) return '';
  const [least, most] = [duration(Math.min(...times)), duration(Math.max(...times))];
  return least === most ? ` (took ${least})` : ` (took ${least} to ${most})`;
}

/** Links longer than a browser takes lead nowhere. */
const LONGEST_LINK = 2_000;
const shortLink = (link: string): string => firstLine(link, LONGEST_LINK) ?? '';
