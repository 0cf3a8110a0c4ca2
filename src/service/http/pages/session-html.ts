/** The pages of a check session and of a test session. */

import { formatDuration } from '../../notify/rendering/format-duration.ts';
import { html, type Markup, type Value } from '../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import type { SessionRecord, TestSessionRecord } from '../../store/engine/sessions.ts';
import { countsWords } from './browser-html.ts';
import type { Fields } from './details.ts';
import {
  column,
  errorsOf,
  facts,
  lastOfEach,
  locationWords,
  RESULT_COLUMNS,
  resultRow,
  runPage,
  section,
  table,
} from './run-parts.ts';
import type { Page } from './shell.ts';
import { RUN_SOURCE_WORDS, resultVerdict, sessionVerdict, verdictBanner } from './verdicts.ts';
import { time } from './words.ts';

/** What a session's page needs besides its rows. */
export interface SessionPageOptions {
  readonly now: number;
  /** Where the details of a result are. */
  readonly resultLink: (id: string) => string;
  /** Where this page is. */
  readonly self: string;
}

const whenStopped = (
  startedAt: number,
  stoppedAt: number | null,
  now: number,
): (readonly [string, Value])[] => [
  ['Started', time(startedAt, true)],
  stoppedAt === null
    ? ['Running for', formatDuration(Math.max(0, now - startedAt))]
    : ['Duration', formatDuration(stoppedAt - startedAt)],
];

const again = (stoppedAt: number | null, self: string): Markup | false =>
  stoppedAt === null &&
  html`<p class="muted">The session is still running. <a href="${self}">Refresh</a> to see new results.</p>`;

const isBad = (row: ResultRecord): boolean => row.has_failures === 1 || row.has_errors === 1;

function wrongs(rows: readonly ResultRecord[], nameOf: (row: ResultRecord) => Value): Markup | false {
  const bad = rows.filter((row) => isBad(row) && row.errors !== '[]');
  if (bad.length === 0) return false;
  return section(
    'wrong',
    'Errors',
    html`<div class="stack">${bad.map(
      (row) =>
        html`<article class="card"><div class="stack-s"><h3>${nameOf(row)}</h3>${errorsOf(row)}</div></article>`,
    )}</div>`,
  );
}

export function checkSessionPage(
  session: SessionRecord,
  results: readonly ResultRecord[],
  { now, resultLink, self }: SessionPageOptions,
): Page {
  const rows = lastOfEach(results);
  const locations = JSON.parse(session.locations) as string[];
  const waiting = locations.filter((location) => !results.some((row) => row.location === location));
  const place = (row: ResultRecord) => locationWords(row.location);
  /** A retry may run elsewhere than the attempts before it. */
  const course = (row: ResultRecord): Value => {
    const own = results.filter(
      ({ sequence_id: id, location }) => id === row.sequence_id && location !== row.location,
    );
    const before = [...new Set(own.map(({ location }) => location))];
    return before.length === 0
      ? place(row)
      : html`${place(row)}<br><span class="muted small">earlier attempts in ${before.map((location, at) => html`${at > 0 && ', '}${locationWords(location)}`)}</span>`;
  };
  const list = table(
    'Results by location',
    [column('Location'), ...RESULT_COLUMNS],
    [
      ...rows.map((row) => resultRow(row, course(row), resultLink(row.id), place(row))),
      ...waiting.map(
        (location) =>
          html`<tr><td>${locationWords(location)}</td><td colspan="4"><span class="muted">${session.stopped_at === null ? 'No result yet' : 'No result'}</span></td></tr>`,
      ),
    ],
  );
  return runPage(
    session.check_name,
    html`<div class="stack">${verdictBanner(sessionVerdict(session.status), session.check_name)}${again(session.stopped_at, self)}</div>
<section class="card" aria-label="About this session"><div class="stack">${facts([
      ...whenStopped(session.started_at, session.stopped_at, now),
      ['Started by', RUN_SOURCE_WORDS[session.run_source] ?? session.run_source],
      ['Check', TYPE_WORDS[session.check_type] ?? session.check_type],
    ])}${session.check_id !== null && html`<p><a class="button quiet" href="${self}/run">Run now</a></p>`}</div></section>
${section('results', 'Results', list)}
${wrongs(rows, place)}`,
  );
}

export function testSessionPage(
  session: TestSessionRecord,
  results: readonly ResultRecord[],
  { now, resultLink, self }: SessionPageOptions,
): Page {
  const rows = lastOfEach(results);
  const places = new Set(rows.length === 0 ? ['–'] : rows.map(({ location }) => location));
  // Of a suite in several locations each stands for itself.
  const nameOf = (row: ResultRecord): Value =>
    places.size > 1 ? html`${row.check_name}, ${locationWords(row.location)}` : row.check_name;
  const cellOf = (row: ResultRecord): Value => {
    const tests =
      row.check_type === 'PLAYWRIGHT' ? countsWords(JSON.parse(row.details) as Fields) : undefined;
    return tests === undefined
      ? nameOf(row)
      : html`${nameOf(row)}<br><span class="muted small">${tests}</span>`;
  };
  const metadata = Object.entries(
    session.metadata === null ? {} : (JSON.parse(session.metadata) as Record<string, string>),
  );
  const list =
    rows.length === 0
      ? html`<p class="card empty">No results yet.</p>`
      : table(
          'Results by check',
          [column('Check'), ...RESULT_COLUMNS],
          rows.map((row) => resultRow(row, cellOf(row), resultLink(row.id), nameOf(row))),
        );
  return runPage(
    session.name,
    html`<div class="stack">${verdictBanner(sessionVerdict(session.status), session.name)}${again(session.stopped_at, self)}</div>
<section class="card" aria-label="About this test session">${facts([
      ...whenStopped(session.started_at, session.stopped_at, now),
      [
        places.size > 1 ? 'Locations' : 'Location',
        html`${[...places].map((place, at) => html`${at > 0 && ', '}${locationWords(place)}`)}`,
      ],
      ['Failed', `${rows.filter((row) => resultVerdict(row).look === 'outage').length} of ${rows.length}`],
      ...metadata.map(([name, value]): readonly [string, Value] => [METADATA_WORDS[name] ?? name, value]),
    ])}</section>
${section('results', 'Results', list)}
${wrongs(rows, nameOf)}`,
  );
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  AGENTIC: 'Agentic',
  BROWSER: 'Browser',
  HEARTBEAT: 'Heartbeat',
  MULTI_STEP: 'Multistep',
  PLAYWRIGHT: 'Playwright',
};

const METADATA_WORDS: Readonly<Record<string, string>> = {
  environment: 'Environment',
  repoUrl: 'Repository',
  commitId: 'Commit',
  commitOwner: 'Author',
  commitMessage: 'Message',
  branchName: 'Branch',
};
