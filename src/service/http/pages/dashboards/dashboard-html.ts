/** Renders a dashboard: the overall state, and a row or a card for each check. */

import { formatLongDuration } from '../../../../base/format-duration.ts';
import { plural } from '../../../../base/plural.ts';
import type { Links } from '../../../engine/sessions/capability.ts';
import { STATUS_LABELS } from '../../../notify/incidents.ts';
import { html, type Markup, type Value } from '../../../notify/rendering/markup.ts';
import type { DashboardRecord } from '../../../store/index.ts';
import { renderIcon, renderTime } from '../format.ts';
import type { State } from '../history.ts';
import { type LayoutOptions, type Page, renderLayout, renderSection, safeWebUrl } from '../layout.ts';
import { renderColumn, renderVerdict, sessionVerdict } from '../run-components.ts';
import { renderZoneForm } from '../time-zone.ts';
import { formatAvailability, renderCheckCharts, renderDayLine } from './check-charts.ts';
import {
  type CheckState,
  type CheckView,
  type DashboardIncident,
  type DashboardView,
  type Selection,
  SORTS,
  type Sort,
  STATES,
} from './dashboard-view.ts';

type Dashboard = DashboardRecord['body'];

const STATE_VIEWS: Readonly<Record<CheckState, { readonly label: string; readonly state: State | 'none' }>> =
  {
    failing: { label: 'Failing', state: 'outage' },
    degraded: { label: 'Degraded', state: 'degraded' },
    passing: { label: 'Passing', state: 'operational' },
    unknown: { label: 'No result yet', state: 'none' },
    paused: { label: 'Paused', state: 'none' },
  };

const SORT_LABELS: Readonly<Record<Sort, string>> = {
  name: 'Name',
  status: 'Status',
  availability: 'Uptime',
  response: 'Response time',
};

const titleOf = ({ header }: Dashboard): string => header || 'Dashboard';

/** Returns the layout options that all pages of a dashboard share. */
export function layoutOptions({ body }: Pick<DashboardRecord, 'body'>, home: string) {
  const logo = safeWebUrl(body.logo);
  const name =
    logo === undefined ? html`<bdi>${titleOf(body)}</bdi>` : html`<img src="${logo}" alt="${titleOf(body)}">`;
  const heading = html`<h1><a href="${safeWebUrl(body.link) ?? home}">${name}</a></h1>`;
  return {
    title: titleOf(body),
    favicon: safeWebUrl(body.favicon),
    images: [logo],
    width: body.width === '960PX' ? 'w960' : 'full',
    heading: body.showHeader === false ? undefined : heading,
  } satisfies Partial<LayoutOptions>;
}

/** Returns the path of a selection of the dashboard at `home`. */
export function selectionPath(
  home: string,
  { sort, status, page, isPaused, check }: Selection,
  body: Dashboard,
): string {
  const query = new URLSearchParams({
    ...(check === undefined ? {} : { check }),
    ...(status === undefined ? {} : { status }),
    ...(sort === (body.sortByStatus === true ? 'status' : 'name') ? {} : { sort }),
    ...(page > 1 ? { page: String(page) } : {}),
    ...(isPaused ? { refresh: 'off' } : {}),
  }).toString();
  return query === '' ? home : `${home}?${query}`;
}

function renderBanner({ counts }: DashboardView): Markup {
  const { failing, degraded, passing } = counts;
  const total = STATES.reduce((sum, state) => sum + counts[state], 0);
  const [main, text] =
    failing > 0
      ? (['failing', `${plural(failing, 'check')} failing`] as const)
      : degraded > 0
        ? (['degraded', `${plural(degraded, 'check')} degraded`] as const)
        : passing > 0
          ? (['passing', 'All checks are passing'] as const)
          : counts.unknown > 0
            ? (['unknown', 'No results yet'] as const)
            : (['paused', total === 0 ? 'No checks' : 'All checks are paused'] as const);
  const { state } = STATE_VIEWS[main];
  const others = (['degraded', 'passing', 'paused', 'unknown'] as const).filter(
    (each) => counts[each] > 0 && each !== main,
  );
  const about = others.map(
    (each) =>
      `${counts[each]} ${each === 'unknown' ? 'without results' : STATE_VIEWS[each].label.toLowerCase()}`,
  );
  return html`<div class="banner s-${state}">${renderIcon(state)}<h2>${text}${total > 0 && html` <span class="muted small about">of ${total}${about.length > 0 && `; ${about.join(', ')}`}</span>`}</h2></div>`;
}

function renderIncident({ id, name, state, since, latest }: DashboardIncident): Markup {
  return html`<article class="card incident s-${state}" id="incident-${id}"><header><h3><bdi>${name}</bdi></h3>${since !== null && html`<p class="small muted">Since ${renderTime(since)}</p>`}</header>${
    latest !== undefined &&
    html`<ol class="updates"><li><strong>${STATUS_LABELS[latest.status] ?? latest.status}</strong><p class="lines" dir="auto">${latest.description}</p><p class="small muted">${renderTime(latest.at)}</p></li></ol>`
  }</article>`;
}

/** Renders links that choose one of some values. */
const renderChoice = (
  name: string,
  choices: readonly { readonly label: Value; readonly path: string; readonly isCurrent: boolean }[],
  isLabelled = false,
): Markup =>
  html`<nav aria-label="${name}"><ul>${isLabelled && html`<li class="muted">${name}</li>`}${choices.map(
    ({ label, path, isCurrent }) =>
      html`<li><a href="${path}"${isCurrent && html` aria-current="true"`}>${label}</a></li>`,
  )}</ul></nav>`;

function renderBar({ counts, selection, dashboard }: DashboardView, home: string): Markup | false {
  const path = (change: Partial<Selection>) =>
    selectionPath(home, { ...selection, page: 1, ...change }, dashboard.body);
  const total = STATES.reduce((sum, state) => sum + counts[state], 0);
  if (total === 0) return false;
  const states = STATES.filter((state) => counts[state] > 0 || state === selection.status);
  return html`<div class="bar">${renderChoice('Filter by status', [
    { label: `All (${total})`, path: path({ status: undefined }), isCurrent: selection.status === undefined },
    ...states.map((state) => ({
      label: `${STATE_VIEWS[state].label} (${counts[state]})`,
      path: path({ status: state }),
      isCurrent: selection.status === state,
    })),
  ])}${renderChoice(
    'Sort by',
    SORTS.map((sort) => ({
      label: SORT_LABELS[sort],
      path: path({ sort }),
      isCurrent: selection.sort === sort,
    })),
    true,
  )}</div>`;
}

function renderPager({ selection, pages, dashboard }: DashboardView, home: string): Markup | false {
  if (pages === 1) return false;
  const link = (page: number, label: string, rel: string) =>
    html`<a href="${selectionPath(home, { ...selection, page }, dashboard.body)}" rel="${rel}">${label}</a>`;
  return html`<nav class="pager" aria-label="Pages">${selection.page > 1 && link(selection.page - 1, 'Previous', 'prev')}<span class="muted">Page ${selection.page} of ${pages}</span>${selection.page < pages && link(selection.page + 1, 'Next', 'next')}</nav>`;
}

/** Renders the group and the tags of a check, as far as the dashboard shows them. A tag that all of its checks have is left out. */
function renderLabels({ groupName, tags }: CheckView, body: Dashboard): Markup {
  const selecting = body.tags ?? [];
  const hasAll = body.useTagsAndOperator === true || selecting.length === 1;
  const shown = body.hideTags === true ? [] : tags.filter((tag) => !hasAll || !selecting.includes(tag));
  return html`${body.showGroupNames !== false && groupName !== null && html`<div class="small muted"><bdi>${groupName}</bdi></div>`}${
    shown.length > 0 &&
    html`<ul class="tags" aria-label="Tags">${shown.map((tag) => html`<li><bdi>${tag}</bdi></li>`)}</ul>`
  }`;
}

const formatTime = (ms: number | undefined): string => (ms === undefined ? '–' : formatLongDuration(ms));

function renderRow(check: CheckView, body: Dashboard, path: string): Markup {
  const { availability, times } = check.statistics;
  const number = (text: string, kind: string) => html`<td class="num${kind}">${text}</td>`;
  return html`<tr><td><a href="${path}"><bdi>${check.name}</bdi></a>${renderLabels(check, body)}</td><td>${renderVerdict(STATE_VIEWS[check.state])}</td>${number(formatAvailability(availability['24h']), '')}${number(formatAvailability(availability['7d']), ' mid')}${number(formatAvailability(availability['30d']), ' mid')}${number(formatTime(times?.p50), ' less')}${body.showP95 !== false && number(formatTime(times?.p95), ' less')}${body.showP99 !== false && number(formatTime(times?.p99), ' mid')}<td class="chart-cell less">${renderDayLine(check)}</td></tr>`;
}

function renderTable({ checks, dashboard: { body }, selection }: DashboardView, home: string): Markup {
  const kinds = (name: string, kind: string) => html`<th scope="col" class="num${kind}">${name}</th>`;
  return html`<div class="card"><table class="board"><thead><tr>${renderColumn('Check')}${renderColumn('Status')}${kinds('Uptime 24 h', '')}${kinds('7 days', ' mid')}${kinds('30 days', ' mid')}${kinds('p50', ' less')}${body.showP95 !== false && kinds('p95', ' less')}${body.showP99 !== false && kinds('p99', ' mid')}<th scope="col" class="less">Last 24 hours</th></tr></thead><tbody>${checks.map(
    (check) => renderRow(check, body, selectionPath(home, { ...selection, check: check.id }, body)),
  )}</tbody></table></div>`;
}

const renderNumbers = (
  { statistics: { availability, times } }: CheckView,
  { showP95, showP99 }: Dashboard,
): Markup =>
  html`<dl class="numbers">${[
    ['Uptime, 24 h', formatAvailability(availability['24h'])],
    ['7 days', formatAvailability(availability['7d'])],
    ['30 days', formatAvailability(availability['30d'])],
    // Heartbeats, and checks without results, have no response times.
    ...(times === null ? [] : [['p50, 24 h', formatTime(times.p50)]]),
    ...(times === null || showP95 === false ? [] : [['p95, 24 h', formatTime(times.p95)]]),
    ...(times === null || showP99 === false ? [] : [['p99, 24 h', formatTime(times.p99)]]),
  ].map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

const renderSessions = ({ sessions, name }: CheckView, links: Pick<Links, 'checkSession'>): Markup | false =>
  sessions.length > 0 &&
  html`<ul class="stack-s" aria-label="Latest sessions of ${name}">${sessions.map(
    ({ id, started_at, status }) =>
      html`<li class="row"><a href="${links.checkSession(id) ?? '/'}">${renderTime(started_at, true)}</a>${renderVerdict(sessionVerdict(status))}</li>`,
  )}</ul>`;

function renderCheck(
  check: CheckView,
  view: DashboardView,
  path: string | undefined,
  links: Pick<Links, 'checkSession'>,
): Markup {
  const { body } = view.dashboard;
  const name = html`<bdi>${check.name}</bdi>`;
  return html`<div class="row wraps"><div>${path === undefined ? html`<h2>${name}</h2>` : html`<h3><a href="${path}">${name}</a></h3>`}${renderLabels(check, body)}</div>${renderVerdict(STATE_VIEWS[check.state])}</div>${renderNumbers(check, body)}${renderCheckCharts(check, body.showP95 !== false, path === undefined)}${renderSessions(check, links)}`;
}

function renderChecks(view: DashboardView, home: string, links: Pick<Links, 'checkSession'>): Markup {
  const { checks, isExpanded, selection, dashboard } = view;
  if (checks.length === 0) {
    const isFiltered = STATES.some((state) => view.counts[state] > 0);
    const tags = dashboard.body.tags ?? [];
    return html`<p class="card empty">${isFiltered ? 'No check has this status.' : tags.length === 0 ? 'There are no checks yet.' : html`No check has the tags of this dashboard yet: ${tags.map((tag, index) => html`${index > 0 && ', '}“<bdi>${tag}</bdi>”`)}.`}</p>`;
  }
  if (!isExpanded) return renderTable(view, home);
  return html`<ul class="cards">${checks.map(
    (check) =>
      html`<li class="card">${renderCheck(check, view, selectionPath(home, { ...selection, check: check.id }, dashboard.body), links)}</li>`,
  )}</ul>`;
}

/** Returns the seconds until the page loads again, and its path then; undefined if the reader paused it. */
export function nextRefresh({ dashboard: { body }, selection, pages }: DashboardView, home: string) {
  if (selection.isPaused) return undefined;
  const isRotating = body.paginate !== false && pages > 1 && selection.check === undefined;
  const page = isRotating ? (selection.page % pages) + 1 : selection.page;
  return {
    seconds: isRotating ? (body.paginationRate ?? 60) : (body.refreshRate ?? 60),
    path: selectionPath(home, { ...selection, page }, body),
  };
}

function renderFooter(view: DashboardView, home: string): Markup {
  const { selection, dashboard } = view;
  const refresh = nextRefresh(view, home);
  const toggle = selectionPath(home, { ...selection, isPaused: !selection.isPaused }, dashboard.body);
  return html`<span>Updated ${renderTime(view.now, true)}</span><span>${refresh === undefined ? 'Refresh is paused' : `Refreshes every ${formatLongDuration(refresh.seconds * 1000)}`}</span><a href="${toggle}">${refresh === undefined ? 'Resume refresh' : 'Pause refresh'}</a>${renderZoneForm()}<span class="end">Powered by sonde</span>`;
}

/** Renders the dashboard at the path `home`, or one of its checks. */
export function renderDashboard(view: DashboardView, home: string, links: Pick<Links, 'checkSession'>): Page {
  const { dashboard, selection, checks, incidents } = view;
  const { body } = dashboard;
  const [check] = checks;
  const layout = layoutOptions(dashboard, home);
  const footer = renderFooter(view, home);
  const hiddenTitle = body.showHeader === false && html`<h1 class="sr">${layout.title}</h1>`;
  if (selection.check !== undefined && check !== undefined) {
    const back = selectionPath(home, { ...selection, check: undefined }, body);
    return renderLayout(200, {
      ...layout,
      title: `${check.name} · ${layout.title}`,
      main: html`${hiddenTitle}<p class="crumb"><a href="${back}">All checks</a></p><div class="card stack detail">${renderCheck(check, view, undefined, links)}</div>`,
      footer,
    });
  }
  const isDescribed = body.showHeader !== false && body.description;
  return renderLayout(200, {
    ...layout,
    description: isDescribed ? body.description : undefined,
    main: html`${hiddenTitle}<div class="lead">${renderBanner(view)}${
      isDescribed && html`<p class="lines" dir="auto">${body.description}</p>`
    }</div>
${incidents.length > 0 && renderSection('incidents', 'Active incidents', html`<div class="stack">${incidents.map(renderIncident)}</div>`)}
<section aria-labelledby="checks" class="stack"><h2 id="checks" class="sr">Checks</h2>${renderBar(view, home)}${renderChecks(view, home, links)}${renderPager(view, home)}</section>`,
    footer,
  });
}
