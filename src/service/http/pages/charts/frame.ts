/**
 * Renders the frame that charts share: caption, legend, axes and the same numbers as a table. Drawings stretch to the width
 * of the page, and labels are text beside them, which keeps its size on every screen.
 */
import { formatLongDuration } from '../../../../base/format-duration.ts';
import { html, type Markup, type Value } from '../../../notify/rendering/markup.ts';

/** Height of the coordinate system of drawings. */
export const DRAWING_HEIGHT = 200;

/** The number of different colors of series. More series repeat them. */
const TONES = 6;
export const toneOf = (index: number): string => `c${index % TONES}`;

/** Formats a duration in ms; `–` for none. */
export const formatValue = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? '–' : formatLongDuration(ms);

/** Renders a drawing. `name` says to screen readers what it shows; without a name they skip it. */
export const renderDrawing = (width: number, name: string | undefined, content: Value): Markup =>
  html`<svg viewBox="0 0 ${width} ${DRAWING_HEIGHT}" preserveAspectRatio="none"${
    name === undefined ? html` aria-hidden="true"` : html` role="img" aria-label="${name}"`
  }>${content}</svg>`;

export interface ChartTable {
  readonly head: readonly Value[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly Value[])[];
}

const isLong = (name: Value): boolean => typeof name === 'string' && name.length > 12;

/** Renders the numbers of a chart. `about` names the table to screen readers. */
export const renderNumbers = (about: string, { head, rows }: ChartTable): Markup =>
  html`<div class="scroll" role="group" aria-label="${about}, table" tabindex="0"><table><thead><tr>${head.map(
    (name, index) =>
      html`<th scope="col"${index > 0 && html` class="num${isLong(name) && ' wraps'}"`}>${name}</th>`,
  )}</tr></thead><tbody>${rows.map(
    ([name, ...cells]) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="num">${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;

/** Renders the numbers of a chart behind a line that opens them without a script. `about` completes it for screen readers. */
export const renderChartTable = (about: string, table: ChartTable): Markup =>
  html`<details class="data"><summary>Show the numbers<span class="sr"> of ${about}</span></summary>${renderNumbers(about, table)}</details>`;

/** Renders the name of a series with its color. */
export const renderSeries = (name: string, index: number): Markup =>
  html`<i class="tone ${toneOf(index)}"></i>${name}`;

/** Renders the names of series. Undefined stands for a series that the chart does not have. */
export const renderLegend = (names: readonly (string | undefined)[], hasFailures = false): Markup =>
  html`<ul class="legend">${names.map((name, index) => name !== undefined && html`<li>${renderSeries(name, index)}</li>`)}${hasFailures && html`<li><i class="tone bad"></i>Failures</li>`}</ul>`;

/** Labels at the start, in the middle and at the end of the horizontal axis. */
export type AxisLabels = readonly [Value, Value, Value];

export interface ChartFrame {
  readonly title: string;
  readonly legend: readonly (string | undefined)[];
  /** Whether some of its intervals are marked as failures. */
  readonly hasFailures?: boolean;
  /** Ascending, evenly spaced, in ms. */
  readonly ticks: readonly number[];
  readonly labels: AxisLabels;
  readonly drawing: Markup;
  readonly table: ChartTable;
}

export const renderChart = ({
  title,
  legend,
  hasFailures,
  ticks,
  labels,
  drawing,
  table,
}: ChartFrame): Markup =>
  html`<figure class="chart"><figcaption><strong>${title}</strong>${(legend.length > 1 || hasFailures) && renderLegend(legend, hasFailures)}</figcaption><div class="plot"><div class="y" aria-hidden="true">${ticks
    .toReversed()
    .map(
      (tick) => html`<span>${tick === 0 ? '0' : formatLongDuration(tick)}</span>`,
    )}</div>${drawing}<div class="x" aria-hidden="true">${labels.map((label) => html`<span>${label}</span>`)}</div></div>${renderChartTable(title, table)}</figure>`;

/** Renders the horizontal grid lines of ticks. */
export const renderGrid = (width: number, ticks: readonly number[]): Markup =>
  html`<path class="grid" d="${ticks
    .map((_, index) => `M0 ${Math.round((DRAWING_HEIGHT * index) / (ticks.length - 1))}h${width}`)
    .join('')}"/>`;
