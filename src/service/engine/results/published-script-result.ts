/** Adds the published fields to the details of browser and multi-step results. They only repeat what the run recorded. */
import type { JsonObject } from '../../../base/object.ts';
import { listAssets, listObjects } from './result-assets.ts';

/** How Chromium begins its console line about a request that failed. */
const FAILED_REQUEST = 'Failed to load resource';

const LEVELS = new Map<unknown, string>([
  ['debug', 'DEBUG'],
  ['error', 'ERROR'],
  ['stderr', 'ERROR'],
  ['warning', 'WARN'],
]);

/** Returns a text that an agent recorded, which may be any value. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

export interface RecordedRun {
  /** Unix time in ms. */
  readonly startedAt: number;
  readonly stoppedAt: number;
  readonly errors: readonly string[];
  readonly details: JsonObject;
}

/** Returns the details of a multi-step result with the published fields. */
export function publishMultiStepResult({ startedAt, stoppedAt, errors, details }: RecordedRun) {
  const assets = listAssets(details);
  const urls = (type: string) => assets.filter((asset) => asset.type === type).map(({ url }) => url);
  return {
    ...details,
    errors,
    startTime: startedAt,
    endTime: stoppedAt,
    // A run that ended before its runtime was chosen has none.
    runtimeVersion: typeof details.runtime === 'string' ? details.runtime : null,
    jobLog: listObjects(details.console).map(({ atMs, level, text }) => ({
      time: startedAt + (typeof atMs === 'number' ? Math.round(atMs) : 0),
      msg: textOf(text),
      level: LEVELS.get(level) ?? 'INFO',
    })),
    jobAssets: urls('screenshot'),
    playwrightTestVideos: urls('video'),
    playwrightTestTraces: urls('trace'),
  };
}

/** Returns the details of a browser result with the published fields. `pages` is empty: nothing measures web vitals. */
export function publishBrowserResult(run: RecordedRun) {
  const lines = listObjects(run.details.console);
  const pageErrors = lines.filter(({ from, level }) => from === 'page' && level === 'error');
  const networkErrors = pageErrors.filter(({ text }) => textOf(text).startsWith(FAILED_REQUEST)).length;
  return {
    ...publishMultiStepResult(run),
    type: 'PLAYWRIGHT',
    pages: [],
    traceSummary: {
      consoleErrors: pageErrors.length - networkErrors,
      networkErrors,
      documentErrors: lines.filter(({ from }) => from === 'page-error').length,
      userScriptErrors: run.errors.length,
    },
  };
}
