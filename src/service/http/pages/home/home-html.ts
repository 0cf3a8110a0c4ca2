/** Renders the home page of the service: what fails, all checks, and what happens around them. */
import { plural } from '../../../../base/plural.ts';
import type { Links } from '../../../engine/sessions/capability.ts';
import { html, type Markup, type Value } from '../../../notify/rendering/markup.ts';
import { CHECK_STATES, checkState, renderRunButton } from '../check-state.ts';
import { formatPercentage, renderIcon, renderTime, renderTimeSpan } from '../format.ts';
import { stateOfSeverity } from '../history.ts';
import { type Page, renderSection } from '../layout.ts';
import {
  checkTypeTitle,
  renderColumn,
  renderTable,
  renderVerdict,
  sessionVerdict,
} from '../run-components.ts';
import { renderSignedInPage } from '../signed-in-layout.ts';
import { type HomeFilter, homePath, PAGE_SIZE, STATUSES } from './check-filter.ts';
import type { CheckRow, HomeView } from './load-home.ts';

export interface HomePageOptions {
  readonly links: Pick<Links, 'checkSession'>;
  readonly signOut: Markup;
  /** The token of the forms that start a run. */
  readonly run: Markup;
}

/** Renders a message for an empty list with the next command. */
const renderEmpty = (text: string, command?: string): Markup =>
  html`<div class="card empty"><p>${text}</p>${command !== undefined && html`<p><code>${command}</code></p>`}</div>`;

function renderBanner({ counts: { total, failing, degraded, passing, isExact } }: HomeView): Markup {
  const all = isExact ? total : `more than ${total - 1}`;
  const [state, title] =
    failing > 0
      ? (['outage', `${plural(failing, 'check')} failing`] as const)
      : degraded > 0
        ? (['degraded', `${plural(degraded, 'check')} degraded`] as const)
        : total > 0
          ? (['operational', 'No check is failing'] as const)
          : (['none', 'No checks yet'] as const);
  const rest = total - failing - degraded - passing;
  const others = [
    ...(failing > 0 && degraded > 0 ? [`${degraded} degraded`] : []),
    `${passing} passing`,
    ...(isExact && rest > 0 ? [`${rest} paused or without results`] : []),
  ];
  return html`<div class="banner s-${state}">${renderIcon(state)}<h1><span class="whole">${title}</span> <span class="muted small about">${total > 0 && `of ${all}; ${others.join(', ')}`}</span></h1></div>`;
}

const renderCheckName = ({ id, name, tags }: CheckRow): Markup =>
  html`<a href="/checks/${id}"><bdi>${name}</bdi></a>${tags.length > 0 && html`<br><span class="muted small">${tags.map((tag, index) => html`${index > 0 && ', '}<bdi>${tag}</bdi>`)}</span>`}`;

const renderCheckRow = (check: CheckRow, run: Markup): Markup =>
  html`<tr><td>${renderCheckName(check)}</td><td>${renderVerdict(checkState(check))}</td><td class="less">${checkTypeTitle(check.type)}</td><td class="less">${check.lastRunAt === undefined ? '–' : renderTime(check.lastRunAt)}</td><td class="num less">${check.availability === null ? '–' : formatPercentage(check.availability)}</td><td class="end less">${renderRunButton(check, run)}</td></tr>${check.reason !== undefined && html`<tr class="detail"><td class="small" colspan="6">${check.reason}</td></tr>`}`;

const renderChecks = (name: string, checks: readonly CheckRow[], run: Markup): Markup =>
  renderTable(
    name,
    [
      renderColumn('Check'),
      renderColumn('Status'),
      html`<th scope="col" class="less">Type</th><th scope="col" class="less">Last run</th><th scope="col" class="num less">Uptime 24 h</th><td class="less"><span class="sr">Run</span></td>`,
    ],
    checks.map((check) => renderCheckRow(check, run)),
  );

const isFiltered = ({ status, tag, search }: Omit<HomeFilter, 'page'>): boolean =>
  status !== undefined || tag !== '' || search !== '';

function renderFilterForm({ status, tag, search }: HomeFilter): Markup {
  const option = (value: string, label: string) =>
    html`<option value="${value}"${value === (status ?? '') && html` selected`}>${label}</option>`;
  return html`<form class="filter" method="get" action="/" role="search"><div><label for="search">Name or ID</label><input id="search" name="search" type="search" value="${search}"></div><div><label for="tag">Tag</label><input id="tag" name="tag" type="text" value="${tag}"></div><div><label for="status">Status</label><select id="status" name="status">${option('', 'Any')}${STATUSES.map((each) => option(each, CHECK_STATES[each].label))}</select></div><button class="quiet">Filter</button>${isFiltered({ status, tag, search }) && html`<a href="/">Clear</a>`}</form>`;
}

function renderPager({ filter, counts: { found } }: HomeView): Markup | false {
  const pages = Math.ceil(found / PAGE_SIZE);
  const link = (page: number, label: string, rel: string) =>
    html`<a href="${homePath({ ...filter, page })}" rel="${rel}">${label}</a>`;
  return (
    pages > 1 &&
    html`<nav class="pager" aria-label="Pages of checks">${filter.page > 1 ? link(filter.page - 1, 'Previous', 'prev') : html`<span></span>`}<span class="muted">Page ${filter.page} of ${pages}</span>${filter.page < pages ? link(filter.page + 1, 'Next', 'next') : html`<span></span>`}</nav>`
  );
}

function renderAllChecks(view: HomeView, run: Markup): Markup {
  const { checks, counts } = view;
  if (counts.total === 0)
    return renderEmpty(
      'This service has no checks yet. Create one:',
      'sonde checks create-url --name "Home page" --url https://example.com',
    );
  return html`<div class="stack">${renderFilterForm(view.filter)}${checks.length === 0 ? renderEmpty('No check matches the filter.') : renderChecks('Checks', checks, run)}${renderPager(view)}</div>`;
}

/** Renders a list of entries with a title, a line of details, and what stands at the end. */
const renderEntries = (
  entries: readonly { readonly title: Value; readonly about: Value; readonly end?: Value }[],
  isGrid = false,
): Markup =>
  html`<ul class="card entries${isGrid && ' grid'}">${entries.map(({ title, about, end }) => html`<li><div class="row"><span class="name">${title}</span>${end}</div><p class="small muted">${about}</p></li>`)}</ul>`;

const renderSessions = ({ sessions }: HomeView, links: HomePageOptions['links']): Markup =>
  sessions.length === 0
    ? renderEmpty('No session has run yet. Run all checks:', 'sonde checks run --all')
    : renderEntries(
        sessions.map(({ id, check_name, started_at, status }) => ({
          title: html`<a href="${links.checkSession(id) ?? '/'}"><bdi>${check_name}</bdi></a>`,
          about: renderTime(started_at, true),
          end: renderVerdict(sessionVerdict(status)),
        })),
      );

const renderIncidents = ({ incidents }: HomeView): Markup =>
  incidents.length === 0
    ? renderEmpty('No incident is open.')
    : renderEntries(
        incidents.map(({ id, name, severity, openedAt }) => ({
          title: html`<a href="/incidents/${id}"><bdi>${name}</bdi></a>`,
          about: openedAt === null ? '' : html`Since ${renderTime(openedAt)}`,
          end: renderVerdict({
            label: `${severity.charAt(0)}${severity.slice(1).toLowerCase()}`,
            state: stateOfSeverity(severity),
          }),
        })),
      );

const renderWindows = ({ windows }: HomeView): Markup =>
  windows.length === 0
    ? renderEmpty('No maintenance is scheduled.')
    : renderEntries(
        windows.map(({ name, startsAt, endsAt, isOpen }) => ({
          title: html`<bdi>${name}</bdi>`,
          about: renderTimeSpan(startsAt, endsAt),
          end: isOpen
            ? renderVerdict({ label: 'In progress', state: 'maintenance' })
            : renderVerdict({ label: 'Scheduled', state: 'pending' }),
        })),
      );

const renderLocations = ({ locations }: HomeView): Markup =>
  renderEntries(
    locations.map(({ name, slug, agentCount, lastSeen }) => ({
      title: html`<bdi>${name}</bdi> <span class="muted small">${slug}</span>`,
      about: lastSeen === null ? 'No agent has connected yet' : html`Last seen ${renderTime(lastSeen)}`,
      end:
        agentCount > 0
          ? html`<span class="state s-operational">${renderIcon('operational')}${plural(agentCount, 'agent')}</span>`
          : html`<span class="state s-outage">${renderIcon('outage')}No agent</span>`,
    })),
  );

const renderDeliveries = ({ deliveries }: HomeView): Markup =>
  renderEntries(
    deliveries.map(({ check, kind, recipient, error, endedAt }) => ({
      title:
        check === undefined
          ? 'A deleted check'
          : html`<a href="/checks/${check.id}"><bdi>${check.name}</bdi></a>`,
      about: html`${kind} to <bdi>${recipient}</bdi>: ${error}${endedAt !== null && html`, ${renderTime(endedAt)}`}`,
      end: html`<span class="state s-outage">${renderIcon('outage')}Not sent</span>`,
    })),
  );

const renderPages = ({ dashboards, statusPages }: HomeView): Markup =>
  renderEntries(
    [...dashboards, ...statusPages].map(({ name, path }) => ({
      title: html`<a href="${path}"><bdi>${name}</bdi></a>`,
      about: html`<bdi>${path}</bdi>`,
    })),
    true,
  );

export function renderHomePage(view: HomeView, { links, signOut, run }: HomePageOptions): Page {
  const { problems, locations, deliveries, dashboards, statusPages, filter } = view;
  const checks = renderSection('checks', 'Checks', renderAllChecks(view, run));
  // Whoever searches wants to see what was found, and a new service needs a check.
  const isSearch = isFiltered(filter) || filter.page > 1 || view.counts.total === 0;
  return renderSignedInPage({
    title: 'Home',
    signOut,
    main: html`${renderBanner(view)}
${isSearch && checks}
${problems.length > 0 && renderSection('failing', 'Failing and degraded', renderChecks('Failing and degraded checks', problems, run))}
${deliveries.length > 0 && renderSection('deliveries', 'Alerts that were not sent', renderDeliveries(view))}
<div class="columns"><div class="stack-l">${renderSection('incidents', 'Open incidents', renderIncidents(view))}
${renderSection('maintenance', 'Maintenance', renderWindows(view))}
${locations.length > 0 && renderSection('locations', 'Private locations', renderLocations(view))}</div>
${renderSection('sessions', 'Recent sessions', renderSessions(view, links))}</div>
${dashboards.length + statusPages.length > 0 && renderSection('pages', 'Dashboards and status pages', renderPages(view))}
${!isSearch && checks}`,
  });
}
