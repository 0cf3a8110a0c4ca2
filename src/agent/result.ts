/** What a run found as it waits and is sent: its report, cut down where it is too large, and its files beside it. */
import { randomUUID } from 'node:crypto';
import { formatLostFiles, formatTooLarge } from '../runners/files/format-lost-files.ts';
import type { Report } from '../worker/port.ts';
import type { Result, ResultFiles } from './spool.ts';

/** Larger reports are cut down before they are sent, in characters of JSON. */
const MOST_DETAILS = 8 * 1024 * 1024;

/** A report as it is sent, with the files that go before it. Of what is too large nothing is kept but a word. */
export function resultOf(
  of: { readonly runId: number; readonly claimId: string; readonly agentId: string },
  { artifacts = [], ...report }: Report,
  { artifactBytes }: { readonly artifactBytes: number },
): { readonly result: Result; readonly files: ResultFiles } {
  const files = new Map<string, string>();
  const sent: Result['artifacts'] = [];
  const lost: string[] = [];
  for (const { kind, name, contentType, path, bytes } of artifacts) {
    if (bytes > artifactBytes) {
      lost.push(formatTooLarge(name, bytes, artifactBytes));
      continue;
    }
    const id = randomUUID();
    files.set(id, path);
    sent.push({ id, kind, name: name.slice(0, 200), contentType, bytes });
  }
  const { artifactsLost: before } = report.details;
  const artifactsLost = formatLostFiles(typeof before === 'string' ? before : undefined, ...lost);
  const told = artifactsLost === undefined ? {} : { artifactsLost };
  const { errors, details, mayRetry, ...flags } = report;
  const size = JSON.stringify(details).length;
  const kept =
    size <= MOST_DETAILS
      ? { errors: [...errors], details: { ...details, ...told } }
      : {
          errors: [...errors, `the result details have ${megabytes(size)} MB and were discarded`],
          details: told,
        };
  const whole = { ...flags, ...kept, ...(mayRetry === undefined ? {} : { mayRetry }) };
  return { result: { ...of, resultId: randomUUID(), report: whole, artifacts: sent }, files };
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
