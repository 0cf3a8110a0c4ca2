/** Renders a status page as JSON, and its incidents and maintenance as an Atom feed. */
import { zoneOf } from '../../../../calendar/zone.ts';
import { STATUS_LABELS } from '../../../notify/incidents.ts';
import { html } from '../../../notify/rendering/markup.ts';
import { formatInstant } from '../format.ts';
import type { State } from '../history.ts';
import type { IncidentView, MaintenanceView, ServiceView, StatusView } from './status-view.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Programs get one state for both kinds of outage. The severity of the incident distinguishes them. */
const toStateJson = (state: State) => (state === 'partial' ? 'outage' : state);

const toIncidentJson = (incident: IncidentView) => ({
  id: incident.id,
  name: incident.name,
  severity: incident.severity,
  status: incident.status,
  startedAt: iso(incident.openedAt),
  resolvedAt: incident.resolvedAt === null ? null : iso(incident.resolvedAt),
  services: incident.services,
  updates: incident.updates.map(({ status, text, at }) => ({ status, description: text, at: iso(at) })),
});

const toMaintenanceJson = ({
  id,
  name,
  description,
  severity,
  startsAt,
  endsAt,
  services,
}: MaintenanceView) => ({
  id,
  name,
  description,
  severity,
  services,
  startsAt: iso(startsAt),
  endsAt: iso(endsAt),
});

/** A service without uptime bars has no uptime and no days. */
function toServiceJson({ id, name, description, state, history }: ServiceView, zone: string | undefined) {
  const { uptime = null, days = [] } = history?.(zoneOf(zone)) ?? {};
  return {
    id,
    name,
    description: description || null,
    state: toStateJson(state),
    uptime: uptime === null ? null : Math.floor(uptime * 1e6) / 1e6,
    days: days.map(({ date, outage, degraded }) => ({
      date: iso(date).slice(0, 10),
      outageSeconds: outage === null ? null : Math.round(outage / 1000),
      degradedSeconds: degraded === null ? null : Math.round(degraded / 1000),
    })),
  };
}

/** Renders the page as JSON, with days of a time zone (default UTC). Fields may be added but never removed. */
export function renderStatusJson(view: StatusView, url: string, zone?: string): string {
  const { page, state, cards, open, past, inProgress, upcoming } = view;
  return JSON.stringify({
    page: { id: page.id, name: page.body.name, description: page.body.description ?? null, url },
    state: toStateJson(state),
    cards: cards.map(({ id, name, description, services }) => ({
      id,
      name,
      description: description || null,
      services: services.map((service) => toServiceJson(service, zone)),
    })),
    incidents: { open: open.map(toIncidentJson), past: past.map(toIncidentJson) },
    maintenance: { underWay: inProgress.map(toMaintenanceJson), coming: upcoming.map(toMaintenanceJson) },
  });
}

interface Entry {
  /** Made of stored IDs alone: it never changes, whatever the address, the name or the times (RFC 4287, 4.2.6). */
  readonly id: string;
  readonly title: string;
  readonly at: number;
  readonly published: number;
  readonly link: string;
  readonly text: string;
}

function incidentEntry(incident: IncidentView, url: string): Entry {
  const updates = incident.updates.map(
    ({ status, text, at }) => `${STATUS_LABELS[status] ?? status} (${formatInstant(at)})\n${text}`,
  );
  const affected = incident.services.length > 0 ? [`Affects ${incident.services.join(', ')}`] : [];
  return {
    id: `urn:uuid:${incident.id}`,
    title: `${incident.name}: ${STATUS_LABELS[incident.status] ?? incident.status}`,
    at: incident.changedAt,
    published: incident.openedAt,
    link: `${url}#incident-${incident.id}`,
    text: [...updates, ...affected].join('\n\n'),
  };
}

function maintenanceEntry(page: StatusView['page'], window: MaintenanceView, url: string): Entry {
  const { id, name, description, startsAt, endsAt, services, changedAt } = window;
  return {
    id: `urn:uuid:${page.id}#maintenance-${id}`,
    title: `Scheduled maintenance: ${name}`,
    at: changedAt,
    published: startsAt,
    link: url,
    text: [
      `${formatInstant(startsAt)} to ${formatInstant(endsAt)}`,
      ...(description ? [description] : []),
      ...(services.length > 0 ? [`Affects ${services.join(', ')}`] : []),
    ].join('\n\n'),
  };
}

/** Renders the feed. `url` is the address of the page, `self` that of the feed. */
export function renderStatusAtom(view: StatusView, url: string, self: string): string {
  const { page, open, past, inProgress, upcoming } = view;
  const entries = [
    ...[...inProgress, ...upcoming].map((window) => maintenanceEntry(page, window, url)),
    ...[...open, ...past].map((incident) => incidentEntry(incident, url)),
  ];
  const updated = Math.max(page.updatedAt ?? page.createdAt, ...entries.map(({ at }) => at));
  return String(html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>urn:uuid:${page.id}</id>
<title>${page.body.name} status</title>
<updated>${iso(updated)}</updated>
<author><name>${page.body.name}</name></author>
<link rel="alternate" type="text/html" href="${url}"/>
<link rel="self" type="application/atom+xml" href="${self}"/>
${entries.map(
  ({ id, title, at, published, link, text }) => html`<entry>
<id>${id}</id>
<title>${title}</title>
<updated>${iso(at)}</updated>
<published>${iso(published)}</published>
<link rel="alternate" type="text/html" href="${link}"/>
<content type="text">${text}</content>
</entry>
`,
)}</feed>
`);
}
