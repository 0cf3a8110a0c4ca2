/** Reduces reports whose details are too large or do not fit into the store. */
import type { StoredReport } from '../artifacts/artifact-files.ts';

const MAX_ERRORS = 20;
const MAX_ERROR_LENGTH = 2000;

const MEGABYTE = 1024 * 1024;
/** Limits of an agent's report: bytes of JSON, number of errors, and characters per error. */
const MAX_AGENT_BYTES = MEGABYTE;
const MAX_AGENT_ERRORS = 100;
const MAX_AGENT_ERROR_LENGTH = 16_000;

/** Keeps the verdict, the first errors and the files, and adds an error that explains why the rest is missing. */
export function reduceReport({ errors, stored, ...report }: StoredReport, why: string): StoredReport {
  const first = errors.slice(0, MAX_ERRORS).map((text) => text.slice(0, MAX_ERROR_LENGTH));
  return {
    ...report,
    errors: [...first, `The details of this result are not stored. ${why}`],
    ...(stored === undefined ? { details: {} } : { stored, details: { artifacts: stored } }),
  };
}

/** Limits an agent's report, because a list loads many results at once. */
export function limitReport(report: StoredReport): StoredReport {
  const errors = report.errors
    .slice(0, MAX_AGENT_ERRORS)
    .map((text) => text.slice(0, MAX_AGENT_ERROR_LENGTH));
  const bounded = { ...report, errors };
  const bytes = Buffer.byteLength(JSON.stringify([errors, report.details]));
  if (bytes <= MAX_AGENT_BYTES) return bounded;
  return reduceReport(
    bounded,
    `Their size is ${(bytes / MEGABYTE).toFixed(1)} MB: the limit for agents is 1 MB.`,
  );
}
