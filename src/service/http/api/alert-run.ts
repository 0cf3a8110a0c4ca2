/** Presents the run that caused an alert. */
import type { RunFacts } from '../../notify/facts/alert-facts.ts';
import { toIso } from './document-resource.ts';

/** Returns the stored run of an alert; undefined if no run caused it, or if an earlier version sent it. */
export const parseRun = (text: string | null): RunFacts | undefined =>
  text === null ? undefined : (JSON.parse(text) as RunFacts);

/** Returns the IDs of the run of an alert. */
export const presentRunIds = (run: RunFacts | undefined) =>
  run === undefined ? {} : { checkResultId: run.resultId, checkSessionId: run.sessionId };

/** Returns the IDs and the published fields of the run of an alert. */
export const presentRun = (run: RunFacts | undefined) =>
  run === undefined
    ? {}
    : {
        ...presentRunIds(run),
        runLocation: run.location,
        error: run.error === '' ? null : run.error,
        statusCode: run.statusCode == null ? null : String(run.statusCode),
        startedAt: toIso(run.startedAt),
        ...(run.responseTime === null ? {} : { responseTime: run.responseTime }),
      };
