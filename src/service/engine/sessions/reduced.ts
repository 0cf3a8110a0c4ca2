/** Reports as far as they are stored: without their details where a store has no room for them, or where they are too large. */
import type { KeptReport } from '../artifacts/files.ts';

const MOST_ERRORS = 20;
const LONGEST_ERROR = 2000;

const MEGABYTE = 1024 * 1024;
/** How much an agent may report of one run: JSON in bytes, errors, and characters of an error. */
const REPORTED_BYTES = MEGABYTE;
const REPORTED_ERRORS = 100;
const LONGEST_REPORTED = 16_000;

/** The same verdict with its first errors and its files, and a last error that says why there is no more. */
export function reduced({ errors, kept, ...report }: KeptReport, why: string): KeptReport {
  const first = errors.slice(0, MOST_ERRORS).map((text) => text.slice(0, LONGEST_ERROR));
  return {
    ...{ ...report, errors: [...first, `The details of this result are not stored. ${why}`] },
    ...(kept === undefined ? { details: {} } : { kept, details: { artifacts: kept } }),
  };
}

/** What an agent reports, within its bounds: a list of results loads many at once. */
export function withinBounds(report: KeptReport): KeptReport {
  const errors = report.errors.slice(0, REPORTED_ERRORS).map((text) => text.slice(0, LONGEST_REPORTED));
  const bounded = { ...report, errors };
  const bytes = Buffer.byteLength(JSON.stringify([errors, report.details]));
  if (bytes <= REPORTED_BYTES) return bounded;
  return reduced(bounded, `Their size is ${(bytes / MEGABYTE).toFixed(1)} MB: the limit for agents is 1 MB.`);
}
