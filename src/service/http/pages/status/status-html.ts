/** Renders a status page as HTML. */

import { formatLongDuration } from '../../../../base/format-duration.ts';
import { type Zone, zoneOf } from '../../../../calendar/zone.ts';
import { STATUS_LABELS } from '../../../notify/incidents.ts';
import { linkAddresses } from '../../../notify/rendering/links.ts';
import { html, type Markup } from '../../../notify/rendering/markup.ts';
import type { StatusPageBody } from '../../../store/index.ts';
import { type BarTone, renderDayBars, renderDayLegend } from '../charts/day-bars.ts';
import { renderLineChart } from '../charts/line-chart.ts';
import {
  formatDay,
  formatDayState,
  formatPercentage,
  OVERALL_STATE_LABELS,
  renderIcon,
  renderTime,
  renderTimeSpan,
  STATE_LABELS,
} from '../format.ts';
import { type History, rankOf, type State } from '../history.ts';
import { type Page, renderLayout, renderSection, safeWebUrl } from '../layout.ts';
import { renderZoneForm } from '../time-zone.ts';
import type { IncidentView, MaintenanceView, ServiceView, StatusView } from './status-view.ts';

/** Returns the URLs of the logo in the light and the dark theme. Without a logo for a theme, the page shows its name. */
function logosOf({ logo, logoDark }: StatusPageBody) {
  const light = safeWebUrl(logo);
  return { light, dark: safeWebUrl(logoDark) ?? light };
}

/** Escapes the separator of the candidates in `srcset`. */
const toSrcset = (url: string): string => url.replaceAll(',', '%2C');

function renderLogo(body: StatusPageBody): Markup | undefined {
  const { light, dark } = logosOf(body);
  const isAuto = (body.defaultTheme ?? 'AUTO') === 'AUTO';
  const logo = body.defaultTheme === 'DARK' ? dark : light;
  if (logo === undefined) return undefined;
  const image = html`<img src="${logo}" alt="${body.name}">`;
  if (!isAuto || dark === undefined || dark === light) return image;
  return html`<picture><source media="(prefers-color-scheme:dark)" srcset="${toSrcset(dark)}">${image}</picture>`;
}

/** Renders the page's name or logo, which links to the address that its owner chose. */
export function renderHeading({ page: { body } }: Pick<StatusView, 'page'>, home?: string): Markup {
  const name = renderLogo(body) ?? html`<bdi>${body.name}</bdi>`;
  const href = home ?? safeWebUrl(body.redirectTo);
  return html`<h1>${href === undefined ? name : html`<a href="${href}">${name}</a>`}</h1>`;
}

/** Returns the layout options that all pages of a status page share. */
export const layoutOptions = ({ page: { body } }: Pick<StatusView, 'page'>) => ({
  theme: { defaultTheme: body.defaultTheme, themeColors: body.themeColors },
  favicon: safeWebUrl(body.favicon),
  images: Object.values(logosOf(body)),
});

const FOOTER_LINKS = [
  ['privacyPolicyLink', 'Privacy policy'],
  ['termsOfServiceLink', 'Terms of service'],
  ['supportLink', 'Support'],
] as const;

/** Renders the text of the page's owner. */
export const renderFooterText = ({ page: { body } }: Pick<StatusView, 'page'>): Markup | undefined =>
  body.footerText ? html`<p class="lines full" dir="auto">${linkAddresses(body.footerText)}</p>` : undefined;

/** Renders the links of the page's owner. */
export const renderFooterLinks = ({ page: { body } }: Pick<StatusView, 'page'>): readonly Markup[] =>
  FOOTER_LINKS.flatMap(([field, label]) => {
    const url = safeWebUrl(body[field]);
    return url === undefined ? [] : html`<a href="${url}">${label}</a>`;
  });

export const renderPoweredBy = ({ access }: Pick<StatusView, 'access'>): Markup | false =>
  !access.whiteLabel && html`<span class="end">Powered by sonde</span>`;

/**
 * Renders the status page. `base` is its path: `/status/<slug>`, or empty on a custom domain. `zone` is the time zone of its
 * days, by default UTC.
 */
export function renderStatusPage(view: StatusView, base: string, zone?: string): Page {
  const { page, state, cards, responseTimes, open, past, inProgress, upcoming, access } = view;
  const services = cards.flatMap((card) => card.services);
  const { description } = page.body;
  return renderLayout(200, {
    ...layoutOptions(view),
    title: `${page.body.name} status`,
    description,
    isListed: !access.isPrivate && page.body.allowIndexing !== false,
    feed: `${base}/feed.atom`,
    heading: renderHeading(view),
    navigation: html`<a href="${base}/subscribe">Subscribe to updates</a>`,
    main: html`<div class="lead">${renderBanner(
      state,
      services.map((service) => service.state),
    )}${description && html`<p class="lines" dir="auto">${linkAddresses(description)}</p>`}</div>
${open.length > 0 && renderSection('incidents', 'Active incidents', html`<div class="stack">${worstFirst(open).map(renderOpenIncident)}</div>`)}
${inProgress.length > 0 && renderSection('maintenance', 'Maintenance in progress', html`<div class="stack">${inProgress.map(renderMaintenance)}</div>`)}
${renderSection('services', 'Services', renderServices(cards, zoneOf(zone)))}
${responseTimes.length > 0 && renderSection('times', 'Response times, 24 hours', renderResponseTimes(responseTimes))}
${upcoming.length > 0 && renderSection('coming', 'Scheduled maintenance', html`<div class="stack">${upcoming.map(renderMaintenance)}</div>`)}
${renderSection('past', 'Past incidents', renderPastIncidents(past))}`,
    footer: html`${renderFooterText(view)}${renderFooterLinks(view)}${renderZoneForm()}<a href="${base}/status.json">Status as JSON</a><a href="${base}/feed.atom">Atom feed</a>${renderPoweredBy(view)}`,
  });
}

/** Of those that are equally bad, the newest stays first. */
const worstFirst = (open: readonly IncidentView[]): readonly IncidentView[] =>
  open.toSorted((one, other) => rankOf(other.effect) - rankOf(one.effect));

function renderBanner(state: State, ofServices: readonly State[]): Markup {
  const isPartly = state === 'maintenance' && ofServices.some((each) => each !== 'maintenance');
  const [name, title] =
    ofServices.length === 0
      ? (['none', 'No status available yet'] as const)
      : ([state, isPartly ? 'Some services under maintenance' : OVERALL_STATE_LABELS[state]] as const);
  return html`<div class="banner s-${name}">${renderIcon(name)}<h2>${title}</h2></div>`;
}

function renderServices(cards: StatusView['cards'], zone: Zone): Markup {
  const visible = cards
    .filter(({ services, name }) => services.length > 0 || name !== '')
    .map(({ group, services, ...card }) => ({
      ...card,
      group: group && { ...group, history: group.history?.(zone) },
      services: services.map((service) => ({ ...service, history: service.history?.(zone) })),
    }));
  if (visible.length === 0) {
    return html`<p class="card empty">No services have been added to this page yet.</p>`;
  }
  const tones = visible
    .flatMap(({ group, services }) => [group?.history, ...services.map(({ history }) => history)])
    .flatMap((history) => history?.days.map(toneOf) ?? []);
  return html`<div class="stack">${visible.map(renderCard)}${
    tones.length > 0 && renderDayLegend(tones, { ok: 'No incidents', degraded: 'Degraded', outage: 'Outage' })
  }</div>`;
}

type Shown<View extends { readonly history: unknown }> = Omit<View, 'history'> & {
  readonly history: History | undefined;
};
type CardView = StatusView['cards'][number];
interface ShownCard extends Omit<CardView, 'services' | 'group'> {
  readonly services: readonly Shown<ServiceView>[];
  readonly group: Shown<NonNullable<CardView['group']>> | undefined;
}

const renderDescription = (text: string): Markup | false =>
  text !== '' && html`<p class="lines small muted" dir="auto">${linkAddresses(text)}</p>`;

function renderCard({ name, description, services, group }: ShownCard): Markup {
  const list =
    services.length === 0
      ? html`<p class="muted">No services yet.</p>`
      : html`<ul class="services">${services.map(renderService)}</ul>`;
  if (group === undefined)
    return html`<div class="card">${name !== '' && html`<h3 dir="auto">${name}</h3>`}${renderDescription(description)}${list}</div>`;
  return html`<details class="card group"${group.isOpen && html` open`}><summary><div class="row"><h3><bdi>${name}</bdi></h3>${renderState(group.state)}</div>${renderDescription(description)}${group.history && renderDays(group.history)}</summary>${list}</details>`;
}

const renderState = (state: State): Markup =>
  html`<span class="state s-${state}">${renderIcon(state)}${STATE_LABELS[state]}</span>`;

const renderService = ({ name, description, state, history }: Shown<ServiceView>): Markup =>
  html`<li><div class="row"><span class="name"><bdi>${name}</bdi></span>${renderState(state)}</div>${renderDescription(description)}${history && renderDays(history)}</li>`;

/** Renders the response times of each service in one chart: two percentiles of its check, or the median of each of several. */
function renderResponseTimes(services: StatusView['responseTimes']): Markup {
  return html`<div class="card charts">${services.map(({ name, checks }) => {
    const [first, ...others] = checks;
    const hours = first?.hours ?? [];
    const isSingle = others.length === 0;
    return renderLineChart({
      title: name,
      lines: isSingle ? ['Median', '95th percentile'] : checks.map((check) => `${check.name} (median)`),
      slots: hours.map(({ at, p50, p95 }, index) => {
        const all = checks.flatMap((check) => check.hours[index] ?? []);
        return {
          label: renderTime(at),
          values: isSingle ? [p50, p95] : all.map((hour) => hour.p50),
          runs: all.reduce((sum, { runs }) => sum + runs, 0),
          failed: all.reduce((sum, { failed }) => sum + failed, 0),
        };
      }),
      labels: ['24 h ago', '12 h ago', 'Now'],
    });
  })}</div>`;
}

/** Renders one bar per day. Screen readers get one image that names the days with incidents. */
function renderDays({ days, uptime }: History): Markup {
  const bad = days.filter(({ outage, degraded }) => (outage ?? 0) > 0 || (degraded ?? 0) > 0);
  const daysWithoutData = days.filter(({ outage }) => outage === null).length;
  const first = days[daysWithoutData];
  const about = daysWithoutData > 0 && first !== undefined ? `since ${formatDay(first.date)}` : 'uptime';
  const label = [
    `The last ${days.length} days`,
    bad.length === 0 ? 'no incidents' : bad.map(formatDayState).join('; '),
    ...(daysWithoutData > 0 ? [`no data for the first ${daysWithoutData} days`] : []),
  ].join('. ');
  return html`${renderDayBars(
    label,
    days.map((day) => ({ tone: toneOf(day), title: formatDayState(day) })),
  )}<div class="scale"><span>${days.length} days ago</span><span class="num">${formatPercentage(uptime)} ${about}</span><span>Today</span></div>`;
}

function toneOf({ outage, degraded }: History['days'][number]): BarTone {
  if (outage === null) return 'none';
  if (outage > 0) return 'outage';
  return (degraded ?? 0) > 0 ? 'degraded' : 'ok';
}

const renderAffectedServices = (services: readonly string[]): Markup | false =>
  services.length > 0 &&
  html`<p class="small muted">Affects ${services.map((name, index) => html`${index > 0 && ', '}<bdi>${name}</bdi>`)}</p>`;

function renderUpdates({ updates }: IncidentView): Markup {
  return html`<ol class="updates">${updates.map(
    ({ status, text, at }) =>
      html`<li><strong>${STATUS_LABELS[status] ?? status}</strong><p class="lines" dir="auto">${linkAddresses(text)}</p><p class="small muted">${renderTime(at)}</p></li>`,
  )}</ol>`;
}

const renderOpenIncident = (incident: IncidentView): Markup =>
  html`<article class="card incident s-${incident.effect}" id="incident-${incident.id}"><header><div class="row wraps"><h3><bdi>${incident.name}</bdi></h3>${renderState(incident.effect)}</div>${renderAffectedServices(incident.services)}</header>${renderUpdates(incident)}</article>`;

function renderMaintenance(window: MaintenanceView): Markup {
  return html`<article class="card incident s-maintenance"><header><h3><bdi>${window.name}</bdi></h3><p class="small muted">${renderTimeSpan(window.startsAt, window.endsAt)}</p>${renderAffectedServices(window.services)}</header>${
    window.description && html`<p class="lines" dir="auto">${linkAddresses(window.description)}</p>`
  }</article>`;
}

function renderPastIncidents(past: readonly IncidentView[]): Markup {
  if (past.length === 0) return html`<p class="card empty">No incidents in the last 90 days.</p>`;
  return html`<div class="card"><ul class="past">${past.map(
    (incident) =>
      html`<li id="incident-${incident.id}"><h3><bdi>${incident.name}</bdi></h3><p class="small muted">${renderTime(incident.openedAt)}, <span class="whole">resolved after ${formatLongDuration(incident.openFor)}</span></p>${renderAffectedServices(incident.services)}<details><summary>Show updates <span class="sr">of ${incident.name}</span></summary>${renderUpdates(incident)}</details></li>`,
  )}</ul></div>`;
}
