/** How pages say times and states. All times are UTC: without a program in the browser nobody knows the reader's. */

import { formatDuration } from '../../notify/rendering/format-duration.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import type { Day, State } from './history.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const two = (number: number): string => String(number).padStart(2, '0');

/** `21 Nov 2026` */
export function dayWords(ms: number): string {
  const date = new Date(ms);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** `21 Nov 2026, 08:15 UTC`; with seconds where they matter. */
export function instantWords(ms: number, hasSeconds = false): string {
  const date = new Date(ms);
  const seconds = hasSeconds ? `:${two(date.getUTCSeconds())}` : '';
  return `${dayWords(ms)}, ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${seconds} UTC`;
}

export const time = (ms: number, hasSeconds = false): Markup =>
  html`<time datetime="${new Date(ms).toISOString()}">${instantWords(ms, hasSeconds)}</time>`;

/** `21 Nov 2026, 08:15 to 09:15 UTC`; both days where they are two. */
export function spanOf(from: number, to: number): Markup {
  if (dayWords(from) !== dayWords(to)) return html`${time(from)} to ${time(to)}`;
  const [start = '', end = ''] = [from, to].map((ms) => instantWords(ms).replace(/ UTC$/, ''));
  const mark = (ms: number, words: string) =>
    html`<time datetime="${new Date(ms).toISOString()}">${words}</time>`;
  return html`${mark(from, start)} to ${mark(to, `${end.replace(/^.*, /, '')} UTC`)}`;
}

/** `1.4 MB`: powers of a thousand. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const STATE_WORDS: Readonly<Record<State, string>> = {
  operational: 'Operational',
  degraded: 'Degraded performance',
  partial: 'Partial outage',
  outage: 'Major outage',
  maintenance: 'Under maintenance',
};

/** The headline of a page. */
export const OVERALL_WORDS: Readonly<Record<State, string>> = {
  ...STATE_WORDS,
  operational: 'All systems operational',
};

/** `99.98%`; never rounded up to 100. */
export function shareWords(share: number): string {
  const percent = Math.floor(share * 100_000) / 1000;
  return `${percent === 100 ? '100' : percent.toFixed(percent >= 99 ? 3 : 2)}%`;
}

/** What a day's bar says. */
export function dayStateWords({ at, outage, degraded }: Day): string {
  if (outage === null || degraded === null) return `${dayWords(at)}: no data`;
  const parts = [
    ...(outage > 0 ? [`outage for ${formatDuration(outage)}`] : []),
    ...(degraded > 0 ? [`degraded for ${formatDuration(degraded)}`] : []),
  ];
  return `${dayWords(at)}: ${parts.length === 0 ? 'no incidents' : parts.join(', ')}`;
}

const ICONS: Readonly<Record<State | 'none', Markup>> = {
  operational: html`<circle cx="12" cy="12" r="9"/><path d="m8 12.5 2.8 2.8L16 9.5"/>`,
  degraded: html`<path d="M12 3.5 2.5 20h19z"/><path d="M12 10v4.5M12 17.4v.1"/>`,
  partial: html`<circle cx="12" cy="12" r="9"/><path d="M12 7.5V13M12 16.3v.1"/>`,
  outage: html`<circle cx="12" cy="12" r="9"/><path d="m9 9 6 6m0-6-6 6"/>`,
  maintenance: html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.2 2"/>`,
  none: html`<circle cx="12" cy="12" r="9"/><path d="M8 12h8"/>`,
};

/** A shape of its own for each state: colour alone tells nothing to some. */
export const icon = (state: State | 'none'): Markup =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${ICONS[state]}</svg>`;
