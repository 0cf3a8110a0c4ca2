/** Prints the logs of a check session: console lines of scripts and pages, and errors. Results are untrusted. */

import { ApiError } from '../../../../src/base/errors.ts';
import { formatDuration } from '../../../../src/base/format-duration.ts';
import { isObject, type JsonObject } from '../../../../src/base/object.ts';
import { plural } from '../../../../src/base/plural.ts';
import type { Deps, Invocation } from '../../../../src/cli/framework/index.ts';
import { streamOutput } from '../../../../src/cli/framework/stream-output.ts';
import { CHECK_TYPES } from '../../../../src/contract/generated/check-types.js';
import { getCheckResult, getCheckSession, type Input } from '../../../../src/contract/index.ts';
import { durationOf } from '../../../../src/gate/format/session.ts';
import { resultStatus } from '../../../../src/gate/wait/results.ts';
import { checkSessions, readSession, type SessionResult } from '../../../../src/gate/wait/verdict.ts';
import { textOf } from '../../../../src/gate/words/text.ts';
import {
  type Column,
  isHumanReadable,
  paint,
  render,
  type Styles,
  sanitizeBlock,
  sanitizeLine,
  statusTone,
  type Tone,
} from '../../../../src/terminal/index.ts';

const POLL_MS = 2000;

interface LogLine {
  readonly checkResultId: string;
  readonly checkId: string;
  readonly name: string | undefined;
  readonly runLocation: string | undefined;
  readonly resultType: string | undefined;
  readonly status: string;
  /** Milliseconds since the start of the run; null for errors. */
  readonly atMs: number | null;
  /** `page`, `page-error` or `script`; `setup` or `teardown` of an API check; `result` for the errors of the result. */
  readonly source: string;
  readonly level: string;
  readonly text: string;
}

interface ResultLogs {
  readonly result: Omit<LogLine, 'atMs' | 'source' | 'level' | 'text'> & {
    /** Milliseconds. */
    readonly responseTime: number | undefined;
  };
  readonly lines: readonly LogLine[];
  /** Lines that exceeded the limit of the service. */
  readonly omitted: number;
}

const columns: readonly Column<LogLine>[] = [
  { key: 'runLocation', header: 'location' },
  { key: 'name', header: 'check' },
  { key: 'status', kind: 'status' },
  { key: 'atMs', header: 'at', kind: 'duration' },
  { key: 'source' },
  { key: 'level' },
  { key: 'text' },
  { key: 'checkResultId', header: 'result', kind: 'id' },
];

/** Prints the logs, with `follow` until the session ends. */
export async function printLogs(
  deps: Deps,
  { input, output }: Pick<Invocation, 'output'> & { readonly input: Input<typeof getCheckSession> },
  follow: boolean,
): Promise<void> {
  const { terminal } = deps;
  const results = readResults(deps, input, follow);
  if (isHumanReadable(terminal, output) && !output.fields) {
    const styles = await terminal.styles('stdout');
    for await (const logs of results) await terminal.out(formatLogs(logs, styles), 'people');
    return;
  }
  const data = (async function* () {
    for await (const { lines } of results) yield* lines;
  })();
  const chosen = follow ? streamOutput(output, '--follow') : output;
  await render(terminal, { kind: 'list', data, output: chosen, columns });
}

/** Yields the results of the session in the order of their arrival, each once. */
async function* readResults(
  { client, clock, signal, terminal }: Deps,
  input: Input<typeof getCheckSession>,
  follow: boolean,
): AsyncGenerator<ResultLogs> {
  const api = await client();
  const seen = new Set<string>();
  for (;;) {
    const { body: session } = await api.call(getCheckSession, input, { signal });
    const items = (Array.isArray(session.results) ? session.results : []).filter(isObject) as SessionResult[];
    for (const item of items) {
      const { checkResultId, checkId = session.checkId } = item;
      if (checkResultId === undefined || seen.has(checkResultId)) continue;
      seen.add(checkResultId);
      try {
        const { body } = await api.call(getCheckResult, { params: { checkId, checkResultId } }, { signal });
        yield toLogs(body, item, checkId, checkResultId);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404) || error.absence === 'endpoint') throw error;
        await terminal.warn(`The service has no details of result ${checkResultId}.`);
      }
    }
    const isRunning = readSession(checkSessions, session.checkSessionId, session).kind === 'running';
    if (isRunning && !follow)
      await terminal.note('The session is still running. To print further results, pass --follow.');
    else if (!isRunning && seen.size === 0) await terminal.note('The session has no results.');
    if (!isRunning || !follow || terminal.readerGone) return;
    await clock.sleep(POLL_MS, signal);
  }
}

const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
const RESULT_FIELDS = Object.values(CHECK_TYPES).map(({ resultField }) => resultField);

function toLogs(body: JsonObject, item: SessionResult, checkId: string, checkResultId: string): ResultLogs {
  const details = RESULT_FIELDS.map((field) => body[field]).find(isObject) ?? {};
  const result = {
    ...{ checkResultId, checkId, name: textOf(body.name) ?? textOf(item.name) },
    ...{ runLocation: textOf(body.runLocation), resultType: textOf(body.resultType) },
    status: resultStatus(item),
    responseTime: durationOf(body.responseTime),
  };
  const { responseTime: _, ...common } = result;
  const toLine = ({ from, level, text, atMs }: JsonObject, source?: string): LogLine => ({
    ...common,
    atMs: durationOf(atMs) ?? null,
    source: source ?? textOf(from) ?? 'script',
    level: textOf(level) ?? 'log',
    text: typeof text === 'string' ? text : JSON.stringify(text ?? ''),
  });
  const errors = (Array.isArray(body.errors) ? body.errors : []).flatMap(
    (error: unknown) => textOf(isObject(error) ? error.message : error) ?? [],
  );
  return {
    result,
    lines: [
      ...objectsIn(details.console).map((line) => toLine(line)),
      // The setup and teardown scripts of an API check.
      ...objectsIn(details.scripts).flatMap((script) =>
        objectsIn(script.console).map((line) => toLine(line, textOf(script.phase))),
      ),
      ...errors.map((text) => toLine({ from: 'result', level: 'error', text })),
    ],
    omitted: isObject(details.dropped) ? (durationOf(details.dropped.lines) ?? 0) : 0,
  };
}

const LEVEL_TONES: Readonly<Record<string, Tone>> = { error: 'bad', stderr: 'bad', warning: 'poor' };

/** Returns the label of a line: `page warning`, `page-error`, `stdout`, `setup stderr`, `error`. */
function formatSource({ source, level }: LogLine): string {
  if (source === 'result' || source === 'script') return level;
  return source === 'page-error' ? 'page error' : `${source} ${level}`;
}

const INDENT = '  ';

/** Returns a heading and the lines of one result. */
function formatLogs({ result, lines, omitted }: ResultLogs, styles: Styles): string {
  const { name, checkId, runLocation, resultType, status, responseTime } = result;
  const heading = [
    styles.bold(sanitizeLine(name ?? checkId)),
    ...(runLocation === undefined ? [] : [sanitizeLine(runLocation)]),
    ...(resultType === 'ATTEMPT' ? ['attempt'] : []),
    paint(status, statusTone(status), styles),
    ...(responseTime === undefined ? [] : [formatDuration(responseTime)]),
  ].join(' · ');
  const labels = lines.map((line) => sanitizeLine(formatSource(line)));
  const width = Math.max(0, ...labels.map((label) => label.length));
  const rows = lines.map(({ atMs, source, level, text }, index) => {
    const at = atMs === null ? '' : `${(atMs / 1000).toFixed(2)}s`;
    const start = `${INDENT}${at.padStart(8)}  ${labels[index]?.padEnd(width)}  `;
    const body = sanitizeBlock(text)
      .trimEnd()
      .replaceAll('\n', `\n${' '.repeat(start.length)}`);
    return start + paint(body, source === 'page-error' ? 'bad' : LEVEL_TONES[level], styles);
  });
  const notes =
    omitted > 0
      ? [
          `${plural(omitted, 'more line')} exceeded the limit and ${omitted === 1 ? 'was' : 'were'} not stored.`,
        ]
      : lines.length === 0
        ? ['No logs.']
        : [];
  return `${[heading, ...rows, ...notes.map((note) => styles.dim(INDENT + note))].join('\n')}\n`;
}
