/** Creates the result of a run for the spool: its report, reduced if it is too large, and its files. */
import { randomUUID } from 'node:crypto';
import { formatLostFiles, formatTooLarge } from '../runners/files/run-file-store.ts';
import type { Report } from '../worker/port.ts';
import type { Result, ResultFiles } from './spool.ts';

/** Maximum size of the details, in characters of JSON. */
const MAX_DETAILS_LENGTH = 8 * 1024 * 1024;

/** Creates a result and its files. Replaces details and files that are too large by a message. */
export function createResult(
  run: { readonly runId: number; readonly claimId: string; readonly agentId: string },
  { artifacts = [], ...report }: Report,
  { artifactBytes }: { readonly artifactBytes: number },
): { readonly result: Result; readonly files: ResultFiles } {
  const files = new Map<string, string>();
  const artifactList: Result['artifacts'] = [];
  const lost: string[] = [];
  for (const { kind, name, contentType, path, bytes } of artifacts) {
    if (bytes > artifactBytes) {
      lost.push(formatTooLarge(name, bytes, artifactBytes));
      continue;
    }
    const id = randomUUID();
    files.set(id, path);
    artifactList.push({ id, kind, name: name.slice(0, 200), contentType, bytes });
  }
  const { artifactsLost: before } = report.details;
  const artifactsLost = formatLostFiles(typeof before === 'string' ? before : undefined, ...lost);
  const lostDetails = artifactsLost === undefined ? {} : { artifactsLost };
  const { errors, details, mayRetry, ...flags } = report;
  const size = JSON.stringify(details).length;
  const reduced =
    size <= MAX_DETAILS_LENGTH
      ? { errors: [...errors], details: { ...details, ...lostDetails } }
      : {
          errors: [...errors, `the result details have ${formatMegabytes(size)} MB and were discarded`],
          details: lostDetails,
        };
  const reportToSend = { ...flags, ...reduced, ...(mayRetry === undefined ? {} : { mayRetry }) };
  return { result: { ...run, resultId: randomUUID(), report: reportToSend, artifacts: artifactList }, files };
}

const formatMegabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
