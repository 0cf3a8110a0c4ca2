/** The parts that pages of sessions and of results share. */
import { cityOf } from '../../../contract/location-names.ts';
import { html, type Markup, type Value } from '../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import { type Page, renderLayout } from './layout.ts';
import { renderVerdict, resultVerdict } from './verdicts.ts';

/** `eu-west-1 (simulated: this machine)`; a private location by its slug, for its agents are really there. */
export const renderLocation = (location: string): Markup =>
  cityOf(location) === undefined
    ? html`${location}`
    : html`<span class="whole">${location}</span> <span class="muted">(simulated: this machine)</span>`;

/** `12.3 ms`, `0.036 ms` of what would else be none; nothing where nothing was measured. */
export function formatResponseTime(microseconds: number | null): string {
  if (microseconds === null) return '–';
  const ms = microseconds / 1000;
  if (ms >= 100) return `${Math.round(ms)} ms`;
  return `${ms.toFixed(ms > 0 && ms < 0.05 ? 3 : 1)} ms`;
}

/** A label and its value. A fact without a value is not shown. */
export type Fact = readonly [string, Value];

export const renderFacts = (facts: readonly Fact[]): Markup =>
  html`<dl class="facts">${facts.flatMap(([name, value]) => (value === undefined ? [] : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>`;

export const renderSection = (id: string, title: string, content: Markup): Markup =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

/** A table that a phone has room for; where it is wider all the same it scrolls by itself, by keyboard too. */
export const renderTable = (name: string, head: readonly Markup[], rows: readonly Markup[]): Markup =>
  html`<div class="card scroll" role="group" aria-label="${name}, table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;

export const renderColumn = (name: string, isNumber = false): Markup =>
  html`<th scope="col"${isNumber && html` class="num"`}>${name}</th>`;

/** A number that phones leave to the details. */
const renderMinorColumn = (name: string): Markup => html`<th scope="col" class="num less">${name}</th>`;

/** What is wrong, as the run said it. */
export const renderErrors = (row: ResultRecord): Markup =>
  html`${(JSON.parse(row.errors) as string[]).map((message) => html`<pre>${message}</pre>`)}`;

/** The last result of each location's run, in the order they came. */
export function lastAttempts(results: readonly ResultRecord[]): ResultRecord[] {
  return [...new Map(results.map((row) => [row.sequence_id, row])).values()];
}

/** `of`: what the link is read aloud of, where the name is more than that. */
export const renderResultRow = (row: ResultRecord, name: Value, link: string, of = name): Markup =>
  html`<tr><td>${name}</td><td>${renderVerdict(resultVerdict(row))}</td><td class="num less">${row.attempt + 1}</td><td class="num less">${formatResponseTime(row.response_time_us)}</td><td><a href="${link}">Details<span class="sr"> of ${of}</span></a></td></tr>`;

export const RESULT_COLUMNS = [
  renderColumn('Verdict'),
  renderMinorColumn('Attempts'),
  renderMinorColumn('Response time'),
  html`<td><span class="sr">Link</span></td>`,
];

/** A page of ours about a run. */
export const renderRunPage = (title: string, main: Markup, status = 200): Page =>
  renderLayout(status, {
    title: `${title} · sonde`,
    heading: html`<h1><bdi>${title}</bdi></h1>`,
    main,
    footer: html`<span>All times are UTC</span><span>Anyone with this link can view this page</span>`,
  });
