/** A status page as JSON, and as an Atom feed of its incidents and maintenance. */
import { STATUS_LABELS } from '../../notify/incidents/status-labels.ts';
import { html } from '../../notify/rendering/markup.ts';
import type { State } from './history.ts';
import type { ShownIncident, ShownMaintenance, StatusView } from './view.ts';
import { instantWords } from './words.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Programs read one word for both kinds of outage; the severity of the incident says which it is. */
const stateJson = (state: State) => (state === 'partial' ? 'outage' : state);

const incidentJson = (incident: ShownIncident) => ({
  id: incident.id,
  name: incident.name,
  severity: incident.severity,
  status: incident.status,
  startedAt: iso(incident.openedAt),
  resolvedAt: incident.resolvedAt === null ? null : iso(incident.resolvedAt),
  services: incident.services,
  updates: incident.updates.map(({ status, text, at }) => ({ status, description: text, at: iso(at) })),
});

const maintenanceJson = ({
  id,
  name,
  description,
  severity,
  startsAt,
  endsAt,
  services,
}: ShownMaintenance) => ({
  ...{ id, name, description, severity, services },
  startsAt: iso(startsAt),
  endsAt: iso(endsAt),
});

/** The page as programs read it; fields may be added, none is taken away. */
export function statusJson(view: StatusView, url: string): string {
  const { page, state, cards, open, past, underWay, coming } = view;
  return JSON.stringify({
    page: { id: page.id, name: page.body.name, description: page.body.description ?? null, url },
    state: stateJson(state),
    cards: cards.map(({ id, name, services }) => ({
      ...{ id, name },
      services: services.map(({ id: serviceId, name: serviceName, state: its, history }) => ({
        ...{ id: serviceId, name: serviceName, state: stateJson(its) },
        uptime: Math.floor(history.uptime * 1e6) / 1e6,
        days: history.days.map(({ at, outage, degraded }) => ({
          date: iso(at).slice(0, 10),
          outageSeconds: outage === null ? null : Math.round(outage / 1000),
          degradedSeconds: degraded === null ? null : Math.round(degraded / 1000),
        })),
      })),
    })),
    incidents: { open: open.map(incidentJson), past: past.map(incidentJson) },
    maintenance: { underWay: underWay.map(maintenanceJson), coming: coming.map(maintenanceJson) },
  });
}

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly at: number;
  readonly published: number;
  readonly link: string;
  readonly text: string;
}

function entryOfIncident(incident: ShownIncident, url: string): Entry {
  const said = incident.updates.map(
    ({ status, text, at }) => `${STATUS_LABELS[status] ?? status} (${instantWords(at)})\n${text}`,
  );
  const concerns = incident.services.length > 0 ? [`Affects ${incident.services.join(', ')}`] : [];
  return {
    id: `urn:uuid:${incident.id}`,
    title: `${incident.name}: ${STATUS_LABELS[incident.status] ?? incident.status}`,
    at: incident.updates[0]?.at ?? incident.openedAt,
    published: incident.openedAt,
    link: `${url}#incident-${incident.id}`,
    text: [...said, ...concerns].join('\n\n'),
  };
}

function entryOfWindow(page: StatusView['page'], window: ShownMaintenance, url: string): Entry {
  const { id, name, description, startsAt, endsAt, services } = window;
  return {
    id: `${url}#maintenance-${id}-${startsAt}`,
    title: `Scheduled maintenance: ${name}`,
    // Told from the day that it was planned on; readers sort by what changed last, and its plan is all that changes.
    at: page.updatedAt ?? page.createdAt,
    published: page.updatedAt ?? page.createdAt,
    link: url,
    text: [
      `${instantWords(startsAt)} to ${instantWords(endsAt)}`,
      ...(description ? [description] : []),
      ...(services.length > 0 ? [`Affects ${services.join(', ')}`] : []),
    ].join('\n\n'),
  };
}

/** The feed; `url` is where the page is reached, `self` where the feed is. */
export function statusAtom(view: StatusView, url: string, self: string): string {
  const { page, open, past, underWay, coming } = view;
  const entries = [
    ...[...underWay, ...coming].map((window) => entryOfWindow(page, window, url)),
    ...[...open, ...past].map((incident) => entryOfIncident(incident, url)),
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
