/** Renders response times over time as lines, such as p50 and p95, or one for each location. */
import { html, type Markup, type Value } from '../../../notify/rendering/markup.ts';
import { durationTicks } from './axis.ts';
import {
  type AxisLabels,
  DRAWING_HEIGHT,
  formatValue,
  renderChart,
  renderDrawing,
  renderGrid,
  toneOf,
} from './frame.ts';

/** An interval of a chart. All intervals have the same length, also those without data. */
export interface Slot {
  /** Its time, for the table. */
  readonly label: Value;
  /** One value for each line, in ms; null without measurements. */
  readonly values: readonly (number | null)[];
  readonly runs: number;
  readonly failed: number;
}

export interface LineChart {
  readonly title: string;
  readonly lines: readonly string[];
  /** Oldest first. */
  readonly slots: readonly Slot[];
  readonly labels: AxisLabels;
}

/** Width of a slot in the drawing. */
const SLOT_WIDTH = 10;
/** The height of a sparkline in relation to its highest value. */
const HEADROOM = 1.15;

/**
 * Returns the paths of a line through the middles of the slots. It has a gap where there is no value. `dots` are the values
 * between two gaps: lines of length 0, which round ends make visible.
 */
export function linePaths(values: readonly (number | null)[], top: number): { line: string; dots: string } {
  const paths = { line: '', dots: '' };
  values.forEach((value, index) => {
    if (value === null) return;
    const y = Math.round(DRAWING_HEIGHT * (1 - Math.min(value, top) / top));
    const point = `${index * SLOT_WIDTH + SLOT_WIDTH / 2} ${y}`;
    const [isFirst, isLast] = [-1, 1].map((step) => (values[index + step] ?? null) === null);
    if (isFirst && isLast) paths.dots += `M${point}h0`;
    else paths.line += `${isFirst ? 'M' : 'L'}${point}`;
  });
  return paths;
}

function renderLine(values: readonly (number | null)[], top: number, tone: string): Markup {
  const { line, dots } = linePaths(values, top);
  return html`${line !== '' && html`<path class="line ${tone}" d="${line}"/>`}${dots !== '' && html`<path class="line dot ${tone}" d="${dots}"/>`}`;
}

/** Returns the path that fills the slots with failures. */
const failurePath = (slots: readonly Slot[]): string =>
  slots
    .map(({ failed }, index) =>
      failed > 0 ? `M${index * SLOT_WIDTH} 0h${SLOT_WIDTH}v${DRAWING_HEIGHT}h-${SLOT_WIDTH}z` : '',
    )
    .join('');

/** Describes the range of each line: `p50 from 120 ms to 1.2 s`. */
function describeLines(lines: readonly string[], slots: readonly Slot[]): string {
  const ranges = lines.flatMap((name, line) => {
    const values = slots.flatMap(({ values: all }) => all[line] ?? []);
    if (values.length === 0) return [];
    return `${name} from ${formatValue(Math.min(...values))} to ${formatValue(Math.max(...values))}`;
  });
  const failing = slots.filter(({ failed }) => failed > 0).length;
  return [
    ranges.length === 0 ? 'no response times' : ranges.join(', '),
    ...(failing > 0 ? [`failures in ${failing} of ${slots.length} intervals`] : []),
  ].join('; ');
}

export function renderLineChart({ title, lines, slots, labels }: LineChart): Markup {
  const ticks = durationTicks(
    Math.max(0, ...slots.flatMap(({ values }) => values.map((value) => value ?? 0))),
  );
  const top = ticks.at(-1) ?? 1;
  const width = slots.length * SLOT_WIDTH;
  const failures = failurePath(slots);
  const drawing = renderDrawing(
    width,
    `${title}: ${describeLines(lines, slots)}`,
    html`${renderGrid(width, ticks)}${failures !== '' && html`<path class="bad" d="${failures}"/>`}${lines
      .map((_, line) =>
        renderLine(
          slots.map(({ values }) => values[line] ?? null),
          top,
          toneOf(line),
        ),
      )
      .toReversed()}`,
  );
  const table = {
    head: ['Time', ...lines, 'Runs', 'Failed'],
    rows: slots.map(({ label, values, runs, failed }) => [label, ...values.map(formatValue), runs, failed]),
  };
  return renderChart({ title, legend: lines, hasFailures: failures !== '', ticks, labels, drawing, table });
}

/** Renders one line of values without axes. `name` says to screen readers what it shows. */
export function renderSparkline(name: string, slots: readonly Slot[]): Markup {
  const values = slots.map((slot) => slot.values[0] ?? null);
  const top = Math.max(1e-3, ...values.map((value) => value ?? 0)) * HEADROOM;
  const failures = failurePath(slots);
  return html`<div class="spark">${renderDrawing(
    slots.length * SLOT_WIDTH,
    name,
    html`${failures !== '' && html`<path class="bad" d="${failures}"/>`}${renderLine(values, top, toneOf(0))}`,
  )}</div>`;
}
