/** A status page in HTML. */
import { STATUS_LABELS } from '../../notify/incidents/status-labels.ts';
import { formatDuration } from '../../notify/rendering/format-duration.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import type { History, State } from './history.ts';
import { type Page, shell, webUrl } from './shell.ts';
import type { ShownIncident, ShownMaintenance, ShownService, StatusView } from './view.ts';
import {
  dayStateWords,
  dayWords,
  icon,
  OVERALL_WORDS,
  STATE_WORDS,
  shareWords,
  spanOf,
  time,
} from './words.ts';

/** The page's name or logo, which leads where its owner says. */
export function headingOf({ page: { body } }: Pick<StatusView, 'page'>, home?: string): Markup {
  const logo = webUrl(body.logo);
  const name =
    logo === undefined ? html`<bdi>${body.name}</bdi>` : html`<img src="${logo}" alt="${body.name}">`;
  const leadsTo = home ?? webUrl(body.redirectTo);
  return html`<h1>${leadsTo === undefined ? name : html`<a href="${leadsTo}">${name}</a>`}</h1>`;
}

/** What all pages of a status page have in common. */
export const frameOf = ({ page: { body } }: Pick<StatusView, 'page'>) => ({
  theme: { defaultTheme: body.defaultTheme, themeColors: body.themeColors },
  favicon: webUrl(body.favicon),
  images: [webUrl(body.logo)],
});

export const poweredBy = ({ access }: Pick<StatusView, 'access'>): Markup | false =>
  !access.whiteLabel && html`<span class="end">Powered by sonde</span>`;

/** `base` is where the page is served: `/status/<slug>`, or nothing on a domain of its own. */
export function statusPage(view: StatusView, base: string): Page {
  const { page, state, cards, open, past, underWay, coming, access } = view;
  const services = cards.flatMap((card) => card.services);
  const { description } = page.body;
  return shell(200, {
    ...frameOf(view),
    title: `${page.body.name} status`,
    description,
    isListed: !access.isPrivate,
    feed: `${base}/feed.atom`,
    heading: headingOf(view),
    navigation: html`<a href="${base}/subscribe">Subscribe to updates</a>`,
    main: html`<div class="lead">${banner(services.length === 0 ? undefined : state)}${
      description && html`<p class="lines" dir="auto">${description}</p>`
    }</div>
${open.length > 0 && section('incidents', 'Active incidents', html`<div class="stack">${open.map(openIncident)}</div>`)}
${underWay.length > 0 && section('maintenance', 'Maintenance in progress', html`<div class="stack">${underWay.map(maintenance)}</div>`)}
${section('services', 'Services', servicesOf(cards))}
${coming.length > 0 && section('coming', 'Scheduled maintenance', html`<div class="stack">${coming.map(maintenance)}</div>`)}
${section('past', 'Past incidents', pastIncidents(past))}`,
    footer: html`<span>All times are UTC</span><a href="${base}/status.json">JSON</a><a href="${base}/feed.atom">Atom feed</a>${poweredBy(view)}`,
  });
}

const section = (id: string, title: string, content: Markup): Markup =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

function banner(state: State | undefined): Markup {
  const [name, words] =
    state === undefined
      ? (['none', 'No status available yet'] as const)
      : ([state, OVERALL_WORDS[state]] as const);
  return html`<div class="banner s-${name}">${icon(name)}<h2>${words}</h2></div>`;
}

function servicesOf(cards: StatusView['cards']): Markup {
  const shown = cards.filter(({ services, name }) => services.length > 0 || name !== '');
  if (shown.length === 0) {
    return html`<p class="card empty">No services have been added to this page yet.</p>`;
  }
  return html`<div class="stack">${shown.map(
    ({ name, services }) =>
      html`<div class="card">${name !== '' && html`<h3 dir="auto">${name}</h3>`}${
        services.length === 0
          ? html`<p class="muted">No services yet.</p>`
          : html`<ul class="services">${services.map(serviceRow)}</ul>`
      }</div>`,
  )}</div>`;
}

const stateLabel = (state: State): Markup =>
  html`<span class="state s-${state}">${icon(state)}${STATE_WORDS[state]}</span>`;

const serviceRow = ({ name, state, history }: ShownService): Markup =>
  html`<li><div class="row"><span class="name"><bdi>${name}</bdi></span>${stateLabel(state)}</div>${daysOf(history)}</li>`;

/** The bars, a day each; read out as one picture that names the days on which something was. */
function daysOf({ days, uptime }: History): Markup {
  const bad = days.filter(({ outage, degraded }) => (outage ?? 0) > 0 || (degraded ?? 0) > 0);
  const unwatched = days.filter(({ outage }) => outage === null).length;
  const first = days[unwatched];
  const since = unwatched > 0 && first !== undefined ? ` since ${dayWords(first.at)}` : '';
  const told = [
    `The last ${days.length} days`,
    bad.length === 0 ? 'no incidents' : bad.map(dayStateWords).join('; '),
    ...(unwatched > 0 ? [`no data for the first ${unwatched} days`] : []),
  ].join('. ');
  return html`<div class="days" role="img" aria-label="${told}">${days.map(
    (day) => html`<i${barClass(day)} title="${dayStateWords(day)}"></i>`,
  )}</div><div class="scale"><span>${days.length} days ago</span><span class="num">${shareWords(uptime)} uptime${since}</span><span>Today</span></div>`;
}

function barClass({ outage, degraded }: History['days'][number]): Markup | false {
  if (outage === null) return false;
  if (outage > 0) return html` class="x"`;
  return (degraded ?? 0) > 0 ? html` class="d"` : html` class="o"`;
}

const serviceNames = (services: readonly string[]): Markup | false =>
  services.length > 0 &&
  html`<p class="small muted">Affects ${services.map((name, index) => html`${index > 0 && ', '}<bdi>${name}</bdi>`)}</p>`;

function updates({ updates: said }: ShownIncident): Markup {
  return html`<ol class="updates">${said.map(
    ({ status, text, at }) =>
      html`<li><strong>${STATUS_LABELS[status] ?? status}</strong><p class="lines" dir="auto">${text}</p><p class="small muted">${time(at)}</p></li>`,
  )}</ol>`;
}

const openIncident = (incident: ShownIncident): Markup =>
  html`<article class="card incident s-${incident.effect}" id="incident-${incident.id}"><header><div class="row wraps"><h3><bdi>${incident.name}</bdi></h3>${stateLabel(incident.effect)}</div>${serviceNames(incident.services)}</header>${updates(incident)}</article>`;

function maintenance(window: ShownMaintenance): Markup {
  return html`<article class="card incident s-maintenance"><header><h3><bdi>${window.name}</bdi></h3><p class="small muted">${spanOf(window.startsAt, window.endsAt)}</p>${serviceNames(window.services)}</header>${
    window.description && html`<p class="lines" dir="auto">${window.description}</p>`
  }</article>`;
}

function pastIncidents(past: readonly ShownIncident[]): Markup {
  if (past.length === 0) return html`<p class="card empty">No incidents in the last 90 days.</p>`;
  return html`<div class="card"><ul class="past">${past.map(
    (incident) =>
      html`<li id="incident-${incident.id}"><h3><bdi>${incident.name}</bdi></h3><p class="small muted">${time(incident.openedAt)}, resolved after ${formatDuration((incident.resolvedAt ?? 0) - incident.openedAt)}</p>${serviceNames(incident.services)}<details><summary>Show updates <span class="sr">of ${incident.name}</span></summary>${updates(incident)}</details></li>`,
  )}</ul></div>`;
}
