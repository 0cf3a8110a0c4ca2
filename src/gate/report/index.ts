/** The gate's reports: written once before anything is sent, as the worst that may come, and once when all is over. */
import { appendFileSync, statSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import { OutputError, UsageError } from '../../base/errors.ts';
import { codeOf, type Terminal, writeFault } from '../../terminal/index.ts';
import type { Told } from '../snapshot.ts';
import { type Facts, factsOf } from './facts.ts';
import { toAnnotations } from './github.ts';
import { toJsonReport } from './json.ts';
import { toJunit } from './junit.ts';
import { toMarkdown } from './markdown.ts';
import { replaceFile, type Target, targetOf, writeTo } from './target.ts';

const KINDS = { junit: toJunit, markdown: toMarkdown, json: toJsonReport } as const;

/** A report that was asked for. */
export interface WantedReport {
  readonly kind: keyof typeof KINDS;
  /** As the user gave it. */
  readonly file: string;
}

export interface Reporting {
  readonly reports: readonly WantedReport[];
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  /** Takes out of a text what must stand nowhere: keys. */
  readonly hide: (text: string) => string;
}

interface Placed extends WantedReport {
  /** Undefined where not even that can be found out: `fault` says why. */
  readonly target: Target | undefined;
  readonly fault?: unknown;
}

/** Finds where each report leads. Throws UsageError where two lead to one place. */
function place({ reports, cwd }: Reporting): readonly Placed[] {
  const placed = reports.map((wanted): Placed => {
    try {
      return { ...wanted, target: targetOf(cwd, wanted.file) };
    } catch (fault) {
      return { ...wanted, target: undefined, fault };
    }
  });
  const owners = new Map<string, string>();
  for (const { file, target } of placed) {
    const other = target && owners.get(target.path);
    if (other !== undefined) {
      const message = `two reports cannot use the same file: ${file} is ${other}`;
      throw new UsageError(`--report ${message}`, { details: [{ place: '--report', message }] });
    }
    if (target) owners.set(target.path, file);
  }
  return placed;
}

const STDERR = /^\/(?:dev|proc\/[^/]+)\/fd\/2$/;

/** Writes one report, or gives why it cannot be. What is no file is written to at the end alone. */
async function write(
  { kind, file, target, fault }: Placed,
  facts: Facts,
  where: Reporting,
): Promise<string | undefined> {
  const text = KINDS[kind](facts);
  try {
    if (!target) throw fault;
    if (!target.isStream) replaceFile(target.path, text);
    // What this process says itself there must not be mixed with it.
    else if (facts.isOver && STDERR.test(target.path)) await where.terminal.err(text);
    else if (facts.isOver) await writeTo(target.path, text, where.clock);
    return undefined;
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return `could not write the report ${file}: ${writeFault(error)}`;
  }
}

/** GitHub takes 1 MiB of a step, over all that its commands append, and drops the whole beyond that. */
const MOST_SUMMARY = 1_000_000;

/** Appends to the summary of a GitHub Actions step. Not to be able to is nobody's bad verdict. */
async function appendSummary(facts: Facts, where: Reporting, placed: readonly Placed[]): Promise<void> {
  const file = where.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  try {
    const { path, isStream } = targetOf(where.cwd, file);
    // It was asked for there: once is enough.
    if (placed.some(({ target }) => target?.path === path)) return;
    const text = `\n${toMarkdown(facts)}\n`;
    if (isStream) return await writeTo(path, text, where.clock);
    const before = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (before + Buffer.byteLength(text) <= MOST_SUMMARY) appendFileSync(path, text);
    else await where.terminal.warn('the step summary is full; sonde skips the gate summary');
  } catch (error) {
    if (codeOf(error) === '') throw error;
    await where.terminal.warn(`could not write the step summary: ${writeFault(error)}`);
  }
}

/**
 * Writes every report that was asked for, and tells GitHub Actions where that runs the gate. Gives what could not be
 * written: a good verdict is then told as what it has become in all others, too. Throws UsageError where two reports are
 * to be one file.
 */
export async function writeReports(told: Told, where: Reporting): Promise<OutputError | undefined> {
  const placed = place(where);
  const factsNow = (now: Told): Facts => factsOf(now, where.version, where.hide);
  let facts = factsNow(told);
  let unwritten: OutputError | undefined;
  const put = async (each: Placed): Promise<boolean> => {
    const fault = await write(each, facts, where);
    if (fault === undefined) return true;
    unwritten = new OutputError(unwritten ? `${unwritten.message}; ${fault}` : fault, {
      hint: 'check that the folder exists and has free space; sonde printed the sessions anyway',
    });
    const sentence = `${told.sentence}, but ${unwritten.message}`;
    if (told.exitCode === 0) facts = factsNow({ ...told, exitCode: unwritten.exitCode, sentence });
    return false;
  };
  const before = facts;
  const files: Placed[] = [];
  // What was sent into a pipe cannot be taken back: files come first, and tell in the end what became of the others.
  for (const each of placed) if (!each.target?.isStream && (await put(each))) files.push(each);
  for (const each of placed) if (each.target?.isStream) await put(each);
  if (facts !== before) for (const each of files) await put(each);
  if (!told.isOver) return unwritten;
  if (where.env.GITHUB_ACTIONS === 'true') await where.terminal.command(toAnnotations(facts));
  await appendSummary(facts, where, placed);
  return unwritten;
}
