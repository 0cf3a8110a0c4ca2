/** Formats the report as JSON (docs/reports.md). */
import { toJson } from '../../terminal/index.ts';
import type { ReportData, ResultData, SessionData } from './data.ts';
import { fitWithin } from './size.ts';

const MOST_BYTES = 8_000_000;

const resultBody = (result: ResultData) => ({
  name: result.name,
  location: result.location,
  result: result.result,
  isBad: result.isBad,
  error: result.error,
  responseTime: result.responseTime,
  ...(result.suite === null ? {} : { tests: result.suite.counts }),
  resultId: result.id,
  link: result.link,
});

const sessionBody = (session: SessionData, results: readonly ResultData[]) => ({
  session: session.id,
  name: session.name,
  checkId: session.checkId,
  status: session.status,
  verdict: session.verdict,
  isBad: session.outcome !== 'good',
  error: session.error,
  startedAt: session.startedAt,
  timeElapsed: session.timeElapsed,
  link: session.link,
  results: results.map(resultBody),
  resultsLeftOut: session.results.length - results.length,
});

const indented = (value: unknown): string => toJson(value, { pretty: true }).replaceAll('\n', '\n    ');

/** Returns the whole file. */
export function toJsonReport(facts: ReportData): string {
  const { sessions, unstarted, startedAt, tookMs } = facts;
  const fitted = fitWithin(sessions, MOST_BYTES, {
    full: (session) => indented(sessionBody(session, session.results)),
    short: (session) => indented(sessionBody(session, [])),
  });
  const number = (outcome: SessionData['outcome']) =>
    sessions.filter((session) => session.outcome === outcome).length;
  const head = {
    tool: { name: 'sonde', version: facts.version },
    isOver: facts.isOver,
    verdict: facts.verdict,
    exitCode: facts.exitCode,
    sentence: facts.sentence,
    startedAt: new Date(startedAt).toISOString(),
    stoppedAt: facts.isOver ? new Date(startedAt + tookMs).toISOString() : null,
    timeElapsed: tookMs,
    kind: facts.noun,
    counts: {
      sessions: sessions.length,
      good: number('good'),
      failed: number('failed'),
      withoutVerdict: number('error'),
      noLongerWaitedFor: number('skipped'),
      unstarted: unstarted.length,
    },
    unstarted: unstarted.slice(0, 1000),
    sessionsLeftOut: fitted.leftOut.length,
  };
  const list = fitted.texts.length === 0 ? '[]' : `[\n    ${fitted.texts.join(',\n    ')}\n  ]`;
  return `${toJson(head, { pretty: true }).slice(0, -2)},\n  "sessions": ${list}\n}\n`;
}
