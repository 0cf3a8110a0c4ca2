/** Renders the page of a check: status, charts, settings and last results. */
import type { JsonObject } from '../../../../base/object.ts';
import { computeTestStatistics } from '../../../engine/results/test-statistics.ts';
import type { Links } from '../../../engine/sessions/capability.ts';
import { html, type Markup } from '../../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../../store/engine/results.ts';
import { incidentTimes } from '../../../store/status-pages.ts';
import { renderLineChart } from '../charts/line-chart.ts';
import { renderPhaseBar, renderPhaseChart } from '../charts/phase-chart.ts';
import { checkState, renderRunButton } from '../check-state.ts';
import { formatAvailability, renderCheckCharts } from '../dashboards/check-charts.ts';
import { renderIcon, renderTime } from '../format.ts';
import { type Page, renderSection } from '../layout.ts';
import { phasesOf } from '../phases.ts';
import {
  findReason,
  formatMilliseconds,
  formatResponseTime,
  renderColumn,
  renderFacts,
  renderLocation,
  renderTable,
  renderVerdict,
  resultVerdict,
} from '../run-components.ts';
import { renderSignedInPage } from '../signed-in-layout.ts';
import { settingFacts } from './check-settings.ts';
import type { CheckView } from './load-check.ts';
import { renderSuiteTests } from './suite-tests-html.ts';

export interface CheckPageOptions {
  readonly links: Pick<Links, 'checkResult'>;
  readonly signOut: Markup;
  /** The token of the form that starts a run. */
  readonly run: Markup;
}

function renderIncident({ incident }: CheckView): Markup | false {
  if (incident === undefined) return false;
  const { opened_at: openedAt } = incidentTimes(incident.body);
  return html`<p class="card incident s-outage"><a href="/incidents/${incident.id}"><bdi>${incident.body.name}</bdi></a>${openedAt !== null && html` <span class="muted">open since ${renderTime(openedAt)}</span>`}</p>`;
}

interface Problem {
  /** The start of the first of the bad results; undefined if it is not known. */
  readonly since: number | undefined;
  readonly latest: ResultRecord;
}

/** Returns since when a check is failing or degraded, according to its last results; undefined if they do not tell. */
function findProblem({ check: { status }, activated, results }: CheckView): Problem | undefined {
  const isBad = (row: ResultRecord) =>
    status === 'failing' ? row.has_failures === 1 : status === 'degraded' && row.is_degraded === 1;
  const [latest] = activated ? results.filter(isBad) : [];
  if (latest === undefined) return undefined;
  // A monitor error says nothing about the target.
  const isGood = (row: ResultRecord) => !isBad(row) && row.has_errors === 0 && row.is_cancelled === 0;
  const good = results.findIndex(isGood);
  return {
    since: good > 0 ? results.slice(0, good).findLast(isBad)?.started_at : undefined,
    latest,
  };
}

function renderBanner(view: CheckView, { links }: CheckPageOptions): Markup {
  const { state, label } = checkState({ status: view.check.status, activated: view.activated });
  const problem = findProblem(view);
  const reason = problem && findReason(problem.latest);
  const since = problem?.since !== undefined && html` since ${renderTime(problem.since)}`;
  return html`<div class="banner s-${state}">${renderIcon(state)}<div><p>${label}${since}</p>${
    problem &&
    html`<p class="why">${reason !== undefined && `${reason}${/[.…!?]$/.test(reason) ? '' : '.'} `}<a href="${links.checkResult(problem.latest.session_id, problem.latest.id)}">See the result</a></p>`
  }</div></div>`;
}

function renderNumbers({ statistics: { availability, times } }: CheckView): Markup {
  return html`<div class="card">${renderFacts([
    ['Uptime, 24 hours', formatAvailability(availability['24h'])],
    ['7 days', formatAvailability(availability['7d'])],
    ['30 days', formatAvailability(availability['30d'])],
    ['90 days', formatAvailability(availability['90d'])],
    ['p50 time, 24 hours', formatMilliseconds(times?.p50)],
    ['p95 time, 24 hours', formatMilliseconds(times?.p95)],
  ])}</div>`;
}

/** Renders the response times of each location; nothing if there is only one. */
function renderLocationChart({ locationTimes, statistics }: CheckView): Markup | false {
  if (locationTimes.length < 2) return false;
  const slots = statistics.hours().map(({ at, runs, failed }, index) => ({
    label: renderTime(at),
    values: locationTimes.map(({ p50 }) => p50[index] ?? null),
    ...{ runs, failed },
  }));
  return html`<div class="card">${renderLineChart({
    title: 'Median response time by location, 24 hours',
    lines: locationTimes.map(({ location }) => location),
    slots,
    labels: ['24 h ago', '12 h ago', 'Now'],
  })}</div>`;
}

/** Renders the phases of the last requests; nothing for checks that do not send HTTP. */
function renderPhases({ check, results }: CheckView): Markup | false {
  const slots = results.toReversed().map((row) => ({
    label: renderTime(row.started_at, true),
    phases: phasesOf(check.type, JSON.parse(row.details) as JsonObject),
  }));
  const measured = slots.flatMap(({ phases }) => phases ?? []);
  const [only] = measured;
  if (only === undefined) return false;
  return html`<div class="card">${
    measured.length === 1
      ? renderPhaseBar('Phases of the last request', only)
      : renderPhaseChart('Phases of the last requests', slots, ['Oldest', '', 'Latest'])
  }</div>`;
}

function renderResults(results: readonly ResultRecord[], { links }: CheckPageOptions): Markup {
  if (results.length === 0) return html`<p class="card empty">No results yet.</p>`;
  return renderTable(
    'Last results',
    [
      renderColumn('Started'),
      renderColumn('Verdict'),
      html`<th scope="col" class="less">Location</th><th scope="col" class="num less">Response time</th>`,
    ],
    results.map(
      (row) =>
        html`<tr><td><a href="${links.checkResult(row.session_id, row.id)}">${renderTime(row.started_at, true)}</a><span class="more muted small">${renderLocation(row.location)}, ${formatResponseTime(row.response_time_us)}</span></td><td>${renderVerdict(resultVerdict(row))}</td><td class="less">${renderLocation(row.location)}</td><td class="num less">${formatResponseTime(row.response_time_us)}</td></tr>`,
    ),
  );
}

export function renderCheckPage(view: CheckView, options: CheckPageOptions): Page {
  const { check, activated, results, statistics, suiteRuns } = view;
  const hasData = results.length > 0 || statistics.days().some(({ runs }) => runs > 0);
  return renderSignedInPage({
    title: check.name,
    signOut: options.signOut,
    main: html`<div class="stack"><div class="head"><h1><bdi>${check.name}</bdi></h1>${renderRunButton({ ...check, activated }, options.run)}</div>${renderBanner(view, options)}${renderIncident(view)}</div>
${hasData && renderSection('numbers', 'Uptime and response time', html`<div class="stack">${renderNumbers(view)}<div class="card">${renderCheckCharts(view, true, true)}</div>${renderLocationChart(view)}${renderPhases(view)}</div>`)}
${renderSuiteTests(suiteRuns, computeTestStatistics(suiteRuns))}
${hasData && renderSection('results', 'Last results', renderResults(results, options))}
${renderSection('settings', 'Settings', html`<div class="card">${renderFacts(settingFacts(view))}</div>`)}`,
  });
}
