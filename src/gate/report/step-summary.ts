/** Appends Markdown to the summary of a GitHub Actions step, which GitHub shows on the page of the run. */
import { appendFileSync, statSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import { errorCode, formatWriteError, type Terminal } from '../../terminal/index.ts';
import { targetOf, writeStream } from './target.ts';

/** GitHub takes 1 MiB of a step, over all that its commands append, and drops the whole beyond that. */
const MAX_BYTES = 1_000_000;

export interface SummaryPlace {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * Appends the text of `format`, if the process runs in such a step. Prints a warning if the summary cannot be written.
 * `noun`: what the text is, as in "gate summary". `isWritten`: whether a file already has the text.
 */
export async function appendStepSummary(
  { terminal, clock, env, cwd }: SummaryPlace,
  noun: string,
  format: () => string,
  isWritten: (path: string) => boolean = () => false,
): Promise<void> {
  const file = env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  try {
    const { path, isStream } = targetOf(cwd, file);
    if (isWritten(path)) return;
    const text = `\n${format()}\n`;
    if (isStream) return await writeStream(path, text, clock);
    const before = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (before + Buffer.byteLength(text) <= MAX_BYTES) appendFileSync(path, text);
    else await terminal.warn(`the step summary is full; sonde skips the ${noun}`);
  } catch (error) {
    if (errorCode(error) === '') throw error;
    await terminal.warn(`could not write the step summary: ${formatWriteError(error)}`);
  }
}
