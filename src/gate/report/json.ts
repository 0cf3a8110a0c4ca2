/** The report as JSON, in a form of its own that docs/reports.md describes. */
import { toJson } from '../../terminal/index.ts';
import type { Facts, ResultFacts, SessionFacts } from './facts.ts';
import { withinSize } from './size.ts';

const MOST_BYTES = 8_000_000;

const resultBody = (result: ResultFacts) => ({
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

const sessionBody = (session: SessionFacts, results: readonly ResultFacts[]) => ({
  session: session.id,
  name: session.name,
  checkId: session.checkId,
  status: session.status,
  verdict: session.verdict,
  isBad: session.standing !== 'good',
  error: session.error,
  startedAt: session.startedAt,
  timeElapsed: session.timeElapsed,
  link: session.link,
  results: results.map(resultBody),
  resultsLeftOut: session.results.length - results.length,
});

const indented = (value: unknown): string => toJson(value, { pretty: true }).replaceAll('\n', '\n    ');

/** The whole file. */
export function toJsonReport(facts: Facts): string {
  const { sessions, unstarted, startedAt, tookMs } = facts;
  const fitted = withinSize(sessions, MOST_BYTES, {
    full: (session) => indented(sessionBody(session, session.results)),
    short: (session) => indented(sessionBody(session, [])),
  });
  const number = (standing: SessionFacts['standing']) =>
    sessions.filter((session) => session.standing === standing).length;
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
