/** Formats times, sizes and states for pages. All times are UTC; `time-zone.ts` shows them in the zone of the viewer. */

import { formatLongDuration } from '../../../base/format-duration.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import type { Day, State } from './history.ts';

export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const padTwo = (number: number): string => String(number).padStart(2, '0');

/** Formats a day: `21 Nov 2026`. */
export function formatDay(ms: number): string {
  const date = new Date(ms);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** Formats an instant: `21 Nov 2026, 08:15 UTC`, optionally with seconds. */
export function formatInstant(ms: number, hasSeconds = false): string {
  const date = new Date(ms);
  const seconds = hasSeconds ? `:${padTwo(date.getUTCSeconds())}` : '';
  return `${formatDay(ms)}, ${padTwo(date.getUTCHours())}:${padTwo(date.getUTCMinutes())}${seconds} UTC`;
}

export const renderTime = (ms: number, hasSeconds = false): Markup =>
  html`<time datetime="${new Date(ms).toISOString()}">${formatInstant(ms, hasSeconds)}</time>`;

/** Returns both ends of a span without what the reader sees twice: the zone of the start, and the day of the end. */
export function shortenSpan(from: string, to: string): readonly [string, string] {
  const [fromDay = '', fromClock = ''] = from.split(', ');
  const [toDay = '', toClock = ''] = to.split(', ');
  const [clock = '', zone] = fromClock.split(' ');
  return [zone === toClock.split(' ')[1] ? `${fromDay}, ${clock}` : from, fromDay === toDay ? toClock : to];
}

/** Renders a time span: `21 Nov 2026, 08:15 to 09:15 UTC`, with both days if they differ. */
export function renderTimeSpan(from: number, to: number): Markup {
  const [start, end] = shortenSpan(formatInstant(from), formatInstant(to));
  return html`<time datetime="${new Date(from).toISOString()}">${start}</time> to <time datetime="${new Date(to).toISOString()}">${end}</time>`;
}

/** Formats a size in powers of 1000: `1.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const STATE_LABELS: Readonly<Record<State, string>> = {
  operational: 'Operational',
  degraded: 'Degraded performance',
  partial: 'Partial outage',
  outage: 'Major outage',
  maintenance: 'Under maintenance',
};

export const OVERALL_STATE_LABELS: Readonly<Record<State, string>> = {
  ...STATE_LABELS,
  operational: 'All systems operational',
};

/** Formats a share: `99.98%`. Never rounds up to 100%. */
export function formatPercentage(share: number): string {
  const percent = Math.floor(share * 100_000) / 1000;
  if (percent === 0 || percent === 100) return `${percent}%`;
  return `${percent.toFixed(percent >= 99 ? 3 : 2)}%`;
}

/** Formats the tooltip of a day's bar. */
export function formatDayState({ date, outage, degraded }: Day): string {
  if (outage === null || degraded === null) return `${formatDay(date)}: no data`;
  const parts = [
    ...(outage > 0 ? [`outage for ${formatLongDuration(outage)}`] : []),
    ...(degraded > 0 ? [`degraded for ${formatLongDuration(degraded)}`] : []),
  ];
  return `${formatDay(date)}: ${parts.length === 0 ? 'no incidents' : parts.join(', ')}`;
}

/** `pending`: it runs or will run. */
export type IconState = State | 'none' | 'pending';

const CLOCK = html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.2 2"/>`;

const ICONS: Readonly<Record<IconState, Markup>> = {
  operational: html`<circle cx="12" cy="12" r="9"/><path d="m8 12.5 2.8 2.8L16 9.5"/>`,
  degraded: html`<path d="M12 3.5 2.5 20h19z"/><path d="M12 10v4.5M12 17.4v.1"/>`,
  partial: html`<circle cx="12" cy="12" r="9"/><path d="M12 7.5V13M12 16.3v.1"/>`,
  outage: html`<circle cx="12" cy="12" r="9"/><path d="m9 9 6 6m0-6-6 6"/>`,
  maintenance: CLOCK,
  pending: CLOCK,
  none: html`<circle cx="12" cy="12" r="9"/><path d="M8 12h8"/>`,
};

/** Renders an icon with a different shape for each state, because not everyone can tell the colors apart. */
export const renderIcon = (state: IconState): Markup =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${ICONS[state]}</svg>`;
