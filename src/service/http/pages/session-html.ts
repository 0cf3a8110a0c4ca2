/** Renders the pages of check sessions and test sessions, and the page that starts a run. */

import { formatLongDuration } from '../../../base/format-duration.ts';
import type { JsonObject } from '../../../base/object.ts';
import { html, type Markup, type Value } from '../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { TestSessionRecord } from '../../store/engine/test-sessions.ts';
import { formatTestCounts } from './browser-html.ts';
import { renderTime } from './format.ts';
import { renderKeyField } from './forms.ts';
import { type Page, renderSection } from './layout.ts';
import {
  checkTypeTitle,
  explainResults,
  type Fact,
  lastAttempts,
  RESULT_COLUMNS,
  RUN_SOURCE_LABELS,
  renderColumn,
  renderErrors,
  renderFacts,
  renderLocation,
  renderResultRow,
  renderRunPage,
  renderTable,
  renderVerdictBanner,
  sessionVerdict,
  worstFirst,
} from './run-components.ts';

export interface SessionPageOptions {
  readonly now: number;
  readonly resultLink: (id: string) => string;
  readonly self: string;
}

const timeFacts = (startedAt: number, stoppedAt: number | null, now: number): Fact[] => [
  ['Started', renderTime(startedAt, true)],
  stoppedAt === null
    ? ['Running for', formatLongDuration(Math.max(0, now - startedAt))]
    : ['Duration', formatLongDuration(Math.max(0, stoppedAt - startedAt))],
];

const renderRefreshHint = (stoppedAt: number | null, self: string): Markup | false =>
  stoppedAt === null &&
  html`<p class="muted">The session is still running. <a href="${self}">Refresh</a> to see new results.</p>`;

const hasProblem = (row: ResultRecord): boolean => row.has_failures === 1 || row.has_errors === 1;

function renderProblems(
  rows: readonly ResultRecord[],
  renderName: (row: ResultRecord) => Value,
  resultLink: (id: string) => string,
): Markup | false {
  const rowsWithErrors = rows.filter((row) => hasProblem(row) && row.errors !== '[]');
  if (rowsWithErrors.length === 0) return false;
  return renderSection(
    'wrong',
    'Errors',
    html`<div class="stack">${rowsWithErrors.map(
      (row) =>
        html`<article class="card"><div class="stack"><h3><a href="${resultLink(row.id)}">${renderName(row)}</a></h3>${renderErrors(row)}</div></article>`,
    )}</div>`,
  );
}

export function renderCheckSessionPage(
  session: SessionRecord,
  results: readonly ResultRecord[],
  { now, resultLink, self }: SessionPageOptions,
): Page {
  const rows = lastAttempts(results);
  const locations = JSON.parse(session.locations) as string[];
  const waiting = locations.filter((location) => !results.some((row) => row.location === location));
  const renderRowLocation = (row: ResultRecord) => renderLocation(row.location);
  /** Renders the location, with those of earlier attempts: a retry may run elsewhere. */
  const renderLocationHistory = (row: ResultRecord): Value => {
    const otherAttempts = results.filter(
      ({ sequence_id: id, location }) => id === row.sequence_id && location !== row.location,
    );
    const earlierLocations = [...new Set(otherAttempts.map(({ location }) => location))];
    return earlierLocations.length === 0
      ? renderRowLocation(row)
      : html`${renderRowLocation(row)}<br><span class="muted small">earlier attempts in ${earlierLocations.map((location, at) => html`${at > 0 && ', '}${renderLocation(location)}`)}</span>`;
  };
  const list = renderTable(
    'Results by location',
    [renderColumn('Location'), ...RESULT_COLUMNS],
    [
      ...rows.map((row) =>
        renderResultRow(row, renderLocationHistory(row), resultLink(row.id), renderRowLocation(row)),
      ),
      ...waiting.map(
        (location) =>
          html`<tr><td>${renderLocation(location)}</td><td colspan="4"><span class="muted">${session.stopped_at === null ? 'No result yet' : 'No result'}</span></td></tr>`,
      ),
    ],
  );
  return renderRunPage(
    session.check_name,
    html`<div class="stack">${renderVerdictBanner(sessionVerdict(session.status), session.check_name, explainResults(rows))}${renderRefreshHint(session.stopped_at, self)}</div>
<section class="card" aria-label="About this session"><div class="stack">${renderFacts([
      ...timeFacts(session.started_at, session.stopped_at, now),
      ['Started by', RUN_SOURCE_LABELS[session.run_source] ?? session.run_source],
      ['Type', checkTypeTitle(session.check_type)],
    ])}${session.check_id !== null && html`<p class="actions">${session.stopped_at !== null && html`<a class="button quiet" href="${self}/run">Run now</a>`}<a href="/checks/${session.check_id}">History of this check</a></p>`}</div></section>
${renderSection('results', 'Results', list)}
${renderProblems(rows, renderRowLocation, resultLink)}`,
  );
}

export function renderTestSessionPage(
  session: TestSessionRecord,
  results: readonly ResultRecord[],
  { now, resultLink, self }: SessionPageOptions,
): Page {
  const rows = worstFirst(lastAttempts(results));
  const locations = new Set(rows.length === 0 ? ['–'] : rows.map(({ location }) => location));
  // The location distinguishes the results of a suite that ran in several locations.
  const nameOf = (row: ResultRecord): Value =>
    locations.size > 1 ? html`${row.check_name}, ${renderLocation(row.location)}` : row.check_name;
  const renderNameCell = (row: ResultRecord): Value => {
    const tests =
      row.check_type === 'PLAYWRIGHT' ? formatTestCounts(JSON.parse(row.details) as JsonObject) : undefined;
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
      : renderTable(
          'Results by check',
          [renderColumn('Check'), ...RESULT_COLUMNS],
          rows.map((row) => renderResultRow(row, renderNameCell(row), resultLink(row.id), nameOf(row))),
        );
  return renderRunPage(
    session.name,
    html`<div class="stack">${renderVerdictBanner(sessionVerdict(session.status), session.name, explainResults(rows))}${renderRefreshHint(session.stopped_at, self)}</div>
<section class="card" aria-label="About this test session">${renderFacts([
      ...timeFacts(session.started_at, session.stopped_at, now),
      [
        locations.size > 1 ? 'Locations' : 'Location',
        html`${[...locations].map((location, at) => html`${at > 0 && ', '}${renderLocation(location)}`)}`,
      ],
      ...metadata.map(([name, value]): Fact => [METADATA_LABELS[name] ?? name, value]),
    ])}</section>
${renderSection('results', 'Results', list)}
${renderProblems(rows, nameOf, resultLink)}`,
  );
}

export interface RunNowOptions {
  readonly status: number;
  readonly problem: string | undefined;
  readonly self: string;
  readonly token: Markup;
}

export const renderRunNowPage = (name: string, { status, problem, self, token }: RunNowOptions): Page =>
  renderRunPage(
    name,
    html`<p class="crumb"><a href="${self}">Back to the session</a></p>
<form class="card narrow" method="post" action="${self}/run"><div class="stack"><h2>Run this check now</h2><p class="muted">This link only lets you view results. To start a run, enter an API key of the account. The key is not stored.</p>${renderKeyField('API key', problem)}${token}<button>Run now</button></div></form>`,
    status,
  );

const METADATA_LABELS: Readonly<Record<string, string>> = {
  environment: 'Environment',
  repoUrl: 'Repository',
  commitId: 'Commit',
  commitOwner: 'Author',
  commitMessage: 'Message',
  branchName: 'Branch',
};
