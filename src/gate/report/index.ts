/** Writes the reports of a gate: before the first request, as the worst case, and again at the end. */
import type { Clock } from '../../base/clock.ts';
import { OutputError, UsageError } from '../../base/errors.ts';
import { errorCode, formatWriteError, type Terminal } from '../../terminal/index.ts';
import type { GateSnapshot } from './data.ts';
import { type ReportData, reportData } from './data.ts';
import { toAnnotations } from './github.ts';
import { toJsonReport } from './json.ts';
import { toJunit } from './junit.ts';
import { toMarkdown } from './markdown.ts';
import { appendStepSummary } from './step-summary.ts';
import { replaceFile, type Target, targetOf, writeStream } from './target.ts';

const KINDS = { junit: toJunit, markdown: toMarkdown, json: toJsonReport } as const;

/** A requested report. */
export interface ReportTarget {
  readonly kind: keyof typeof KINDS;
  /** As the user typed it. */
  readonly file: string;
}

export interface ReportOptions {
  readonly reports: readonly ReportTarget[];
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  /** Removes keys from a text. */
  readonly hide: (text: string) => string;
}

interface ResolvedReport extends ReportTarget {
  /** Undefined if it cannot be resolved; `fault` is the reason. */
  readonly target: Target | undefined;
  readonly fault?: unknown;
}

/** Resolves the target of each report. Throws UsageError if two have the same target. */
function resolveTargets({ reports, cwd }: ReportOptions): readonly ResolvedReport[] {
  const placed = reports.map((wanted): ResolvedReport => {
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

/** Writes one report; returns the reason if it cannot. Streams are written only at the end. */
async function write(
  { kind, file, target, fault }: ResolvedReport,
  facts: ReportData,
  where: ReportOptions,
): Promise<string | undefined> {
  const text = KINDS[kind](facts);
  try {
    if (!target) throw fault;
    if (!target.isStream) replaceFile(target.path, text);
    // The terminal serialises it with the other output of this process.
    else if (facts.isOver && STDERR.test(target.path)) await where.terminal.err(text);
    else if (facts.isOver) await writeStream(target.path, text, where.clock);
    return undefined;
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return `could not write the report ${file}: ${formatWriteError(error)}`;
  }
}

/**
 * Writes all requested reports, and annotations in GitHub Actions. Returns the error if a report could not be written; the other
 * reports then show it instead of a good verdict. Throws UsageError if two reports have the same file.
 */
export async function writeReports(
  snapshot: GateSnapshot,
  where: ReportOptions,
): Promise<OutputError | undefined> {
  const placed = resolveTargets(where);
  const factsNow = (now: GateSnapshot): ReportData => reportData(now, where.version, where.hide);
  let facts = factsNow(snapshot);
  let unwritten: OutputError | undefined;
  const put = async (each: ResolvedReport): Promise<boolean> => {
    const fault = await write(each, facts, where);
    if (fault === undefined) return true;
    unwritten = new OutputError(unwritten ? `${unwritten.message}; ${fault}` : fault, {
      hint: 'check that the folder exists and has free space; sonde printed the sessions anyway',
    });
    const sentence = `${snapshot.sentence}, but ${unwritten.message}`;
    if (snapshot.exitCode === 0) facts = factsNow({ ...snapshot, exitCode: unwritten.exitCode, sentence });
    return false;
  };
  const before = facts;
  const files: ResolvedReport[] = [];
  // Output to a pipe is final, so files are written first, and again if a stream fails.
  for (const each of placed) if (!each.target?.isStream && (await put(each))) files.push(each);
  for (const each of placed) if (each.target?.isStream) await put(each);
  if (facts !== before) for (const each of files) await put(each);
  if (!snapshot.isOver) return unwritten;
  if (where.env.GITHUB_ACTIONS === 'true') await where.terminal.command(toAnnotations(facts));
  // A report in the same file contains the summary.
  const isWritten = (path: string) => placed.some(({ target }) => target?.path === path);
  await appendStepSummary(where, 'gate summary', () => toMarkdown(facts), isWritten);
  return unwritten;
}
