/** Renders the parts that pages of sessions and results share. */
import { formatLongDuration } from '../../../base/format-duration.ts';
import { cityOf } from '../../../contract/location-names.ts';
import { html, type Markup, type Value } from '../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import { type Page, renderLayout } from './layout.ts';
import { renderVerdict, resultVerdict } from './verdicts.ts';

/** Renders a location: `eu-west-1 (simulated: this machine)`, or the slug of a private one, whose agents are really there. */
export const renderLocation = (location: string): Markup =>
  cityOf(location) === undefined
    ? html`${location}`
    : html`<span class="whole">${location}</span> <span class="muted">(simulated: this machine)</span>`;

/** Formats a response time: `12.3 ms`, `1.2 s`; `–` if it was not measured. */
export const formatResponseTime = (microseconds: number | null): string =>
  microseconds === null ? '–' : formatLongDuration(microseconds / 1000);

/** A label and its value. A fact without a value is not shown. */
export type Fact = readonly [string, Value];

export const renderFacts = (facts: readonly Fact[]): Markup =>
  html`<dl class="facts">${facts.flatMap(([name, value]) => (value === undefined ? [] : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>`;

/** Renders a table. If it is too wide it scrolls, also by keyboard. */
export const renderTable = (name: string, head: readonly Markup[], rows: readonly Markup[]): Markup =>
  html`<div class="card scroll" role="group" aria-label="${name}, table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;

export const renderColumn = (name: string, isNumber = false): Markup =>
  html`<th scope="col"${isNumber && html` class="num"`}>${name}</th>`;

/** Renders a numeric column that phones hide. */
const renderMinorColumn = (name: string): Markup => html`<th scope="col" class="num less">${name}</th>`;

/** Renders the error messages of a run. */
export const renderErrors = (row: ResultRecord): Markup =>
  html`${(JSON.parse(row.errors) as string[]).map((message) => html`<pre>${message}</pre>`)}`;

/** Returns the last attempt of each run, in order. */
export function lastAttempts(results: readonly ResultRecord[]): ResultRecord[] {
  return [...new Map(results.map((row) => [row.sequence_id, row])).values()];
}

/** `of` completes the link text for screen readers, if the name contains more. */
export const renderResultRow = (row: ResultRecord, name: Value, link: string, of = name): Markup =>
  html`<tr><td>${name}</td><td>${renderVerdict(resultVerdict(row))}</td><td class="num less">${row.attempt + 1}</td><td class="num less">${formatResponseTime(row.response_time_us)}</td><td><a href="${link}">Details<span class="sr"> of ${of}</span></a></td></tr>`;

export const RESULT_COLUMNS = [
  renderColumn('Verdict'),
  renderMinorColumn('Attempts'),
  renderMinorColumn('Response time'),
  html`<td><span class="sr">Link</span></td>`,
];

/** Renders a page about a run. */
export const renderRunPage = (title: string, main: Markup, status = 200): Page =>
  renderLayout(status, {
    title: `${title} · sonde`,
    heading: html`<h1><bdi>${title}</bdi></h1>`,
    main,
    footer: html`<span>All times are UTC</span><span>Anyone with this link can view this page</span>`,
  });
