/**
 * Shows times in the zone of the viewer, with UTC beside it. Pages are rendered in UTC, so that readers of all zones share
 * one rendering; `localizePage` then replaces the content of their `<time>` elements.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLocalPath } from '../../../base/local-path.ts';
import { parseUrl } from '../../../base/parse-url.ts';
import { html } from '../../notify/rendering/markup.ts';
import { createCookie, isHttps, readCookie } from './cookies.ts';
import { formatInstant, MONTHS, shortenSpan } from './format.ts';
import { assertSameSite, formFields } from './forms.ts';
import type { Page } from './layout.ts';
import { readQuery } from './read-query.ts';

const cookieOf = (request: FastifyRequest) => ({ name: 'sonde_tz', isSecure: isHttps(request) });
const COOKIE_SECONDS = 365 * 24 * 60 * 60;
const ZONE = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
/** Formatters are expensive to create. */
const MAX_FORMATTERS = 50;

const formatters = new Map<string, Intl.DateTimeFormat>();

function createFormatter(zone: string): Intl.DateTimeFormat {
  const numeric = 'numeric';
  return new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, timeZoneName: 'short', hourCycle: 'h23' },
    ...{ year: numeric, month: numeric, day: numeric },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone) ?? createFormatter(zone);
  formatters.delete(zone);
  const [oldest] = formatters.keys();
  if (oldest !== undefined && formatters.size >= MAX_FORMATTERS) formatters.delete(oldest);
  formatters.set(zone, known);
  return known;
}

/**
 * Returns a zone in its usual case, such as `Europe/Berlin`; undefined for UTC and unknown zones. A zone with several names keeps
 * the name of the viewer, because the runtime would rename `Asia/Kolkata` to `Asia/Calcutta`.
 */
export function parseZone(text: string | null | undefined): string | undefined {
  if (!text || !ZONE.test(text)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-GB', { timeZone: text }).resolvedOptions();
    if (timeZone === 'UTC') return undefined;
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    // The runtime does not know the zone.
    return undefined;
  }
}

/** Returns the zone that a request names: `?tz=Europe/Berlin`, or else its cookie; undefined: UTC. */
export function zoneOf(request: FastifyRequest): string | undefined {
  const query = readQuery(request);
  return parseZone(query.has('tz') ? query.get('tz') : readCookie(request, cookieOf(request)));
}

/** Returns the zone that the address of a request names, `UTC` included; undefined if it names none. */
export function zoneInAddress(request: FastifyRequest): string | undefined {
  const text = readQuery(request).get('tz');
  return parseZone(text) ?? (/^utc$/i.test(text ?? '') ? 'UTC' : undefined);
}

/** Returns a local path with the zone that the address of the page names. */
export function withZone(path: string, zone: string | undefined): string {
  if (zone === undefined) return path;
  const [before = '', fragment] = path.split('#');
  const query = `${before.includes('?') ? '&' : '?'}tz=${encodeURIComponent(zone)}`;
  return `${before}${query}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** A link to a page of the service, and the start of a form. */
const LOCAL_LINK = /(<a\b[^<>]*? href=")([/?][^"]*)"/g;
const FORM = /<form\b[^<>]*>/g;
const ACTION = /( action="\/(?!time-zone")[^"?]*)"/;

/** Returns the page with links that keep the zone that its address names: a cookie is not theirs to change. */
export function keepZone<Body extends Pick<Page, 'body'>>(page: Body, zone: string | undefined): Body {
  if (zone === undefined) return page;
  const body = page.body
    .replace(LOCAL_LINK, (_, start: string, path: string) => {
      const plain = path.replaceAll('&amp;', '&');
      return `${start}${withZone(plain, zone).replaceAll('&', '&amp;')}"`;
    })
    .replace(FORM, (form) =>
      form.includes(' method="get"')
        ? `${form}${html`<input type="hidden" name="tz" value="${zone}">`}`
        : form.replace(ACTION, `$1?tz=${encodeURIComponent(zone)}"`),
    );
  return { ...page, body };
}

/** Formats an instant in a zone: `21 Nov 2026, 09:15 CET`. */
export function formatInZone(ms: number, zone: string, hasSeconds: boolean): string {
  const parts = Object.fromEntries(
    formatterOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const seconds = hasSeconds ? `:${parts.second}` : '';
  const day = `${Number(parts.day)} ${MONTHS[Number(parts.month) - 1]} ${parts.year}`;
  return `${day}, ${parts.hour}:${parts.minute}${seconds} ${parts.timeZoneName}`;
}

/** An instant, or a span of two. */
const TIME = /<time datetime="([^"]+)">([^<]*)<\/time>(?: to <time datetime="([^"]+)">[^<]*<\/time>)?/g;
const SUMMARY = '<summary>All times are UTC</summary>';

/** Renders the form of the footer that sets the zone. */
export const renderZoneForm = () =>
  html`<details class="zone"><summary>All times are UTC</summary><form method="post" action="/time-zone"><label for="tz">Time zone</label><input id="tz" name="tz" type="text" placeholder="Europe/Berlin" autocomplete="off" spellcheck="false"><button class="small quiet">Show times in this zone</button></form></details>`;

const shorten = ([start = '', end]: readonly string[]): readonly string[] =>
  end === undefined ? [start] : shortenSpan(start, end);

/** Returns the page with its times in a zone, and UTC beside them. */
export function localizePage<Body extends Pick<Page, 'body'>>(page: Body, zone: string | undefined): Body {
  if (zone === undefined) return page;
  const body = page.body
    .replace(TIME, (_, start: string, text: string, end?: string) => {
      const hasSeconds = /:\d\d:/.test(text);
      const instants = end === undefined ? [start] : [start, end];
      const local = instants.map((at) => formatInZone(Date.parse(at), zone, hasSeconds));
      const utc = instants.map((at) => formatInstant(Date.parse(at), hasSeconds));
      const day = `${utc[0]?.split(', ')[0]}, `;
      const isSameDay = [...local, ...utc].every((each) => each.startsWith(day));
      const beside = shorten(utc)
        .join(' to ')
        .slice(isSameDay ? day.length : 0);
      const times = shorten(local).map((each, index) => `<time datetime="${instants[index]}">${each}</time>`);
      return `${times.join(' to ')} <span class="utc">(${beside})</span>`;
    })
    .replace(SUMMARY, `<summary>Times are shown in ${zone} and UTC</summary>`);
  return { ...page, body };
}

/** Returns the local path of the page that sent a form. */
function refererPath({ headers }: FastifyRequest): string {
  const { referer = '', host } = headers;
  const url = parseUrl(referer);
  // A zone in the address would win over the new one.
  url?.searchParams.delete('tz');
  const path = url?.host === host ? `${url?.pathname}${url?.search}` : '/';
  return isLocalPath(path) ? path : '/';
}

/** Sets the zone of the form as a cookie, or deletes it for UTC. Ignores unknown zones. */
export async function submitZone(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  assertSameSite(request);
  const text = (formFields(request).tz ?? '').trim();
  const zone = parseZone(text);
  if (zone !== undefined || /^(?:UTC)?$/i.test(text))
    reply.header(
      'set-cookie',
      createCookie({
        ...cookieOf(request),
        value: zone ?? '',
        maxAgeSeconds: zone === undefined ? 0 : COOKIE_SECONDS,
      }),
    );
  return reply.header('cache-control', 'no-store').redirect(refererPath(request), 303);
}
