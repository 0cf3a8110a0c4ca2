/** Renders the phases of HTTP requests: stacked bars of name lookup, connection, TLS, first byte and download. */
import { html, type Markup, type Value } from '../../../notify/rendering/markup.ts';
import { durationTicks } from './axis.ts';
import {
  type AxisLabels,
  DRAWING_HEIGHT,
  formatValue,
  renderChart,
  renderDrawing,
  renderGrid,
  renderNumbers,
  renderSeries,
  toneOf,
} from './frame.ts';

/** The phases in the order of a request. */
export const PHASES = [
  { key: 'dns', label: 'DNS' },
  { key: 'connect', label: 'Connect' },
  { key: 'tls', label: 'TLS' },
  { key: 'firstByte', label: 'First byte' },
  { key: 'download', label: 'Download' },
] as const;

/** Durations in ms. A phase that did not happen, such as TLS of plain HTTP, is absent. */
export type Phases = Readonly<Partial<Record<(typeof PHASES)[number]['key'], number>>>;

export interface PhaseSlot {
  readonly label: Value;
  /** Undefined if nothing was measured. */
  readonly phases: Phases | undefined;
}

const LABELS = PHASES.map(({ label }) => label);
const SLOT_WIDTH = 10;
const MAX_COLUMN_WIDTH = 8;
/** Few columns are as wide as if there were this many, so that two do not fill the drawing. */
const MIN_COLUMNS = 10;

const valuesOf = (phases: Phases | undefined): number[] =>
  PHASES.map(({ key }) => Math.max(0, phases?.[key] ?? 0));
const totalOf = (phases: Phases | undefined): number =>
  valuesOf(phases).reduce((sum, value) => sum + value, 0);
const cellsOf = (phases: Phases | undefined): string[] => [
  ...PHASES.map(({ key }) => formatValue(phases?.[key])),
  phases === undefined ? '–' : formatValue(totalOf(phases)),
];

/** Renders one column for each slot, oldest first. */
export function renderPhaseChart(title: string, slots: readonly PhaseSlot[], labels: AxisLabels): Markup {
  const most = Math.max(0, ...slots.map(({ phases }) => totalOf(phases)));
  const ticks = durationTicks(most);
  const scale = DRAWING_HEIGHT / (ticks.at(-1) ?? 1);
  const width = Math.max(1, slots.length) * SLOT_WIDTH;
  const columnWidth = Math.min(MAX_COLUMN_WIDTH, width / MIN_COLUMNS);
  const paths = PHASES.map((_, phase) =>
    slots
      .map(({ phases }, index) => {
        const values = valuesOf(phases);
        const below = values.slice(0, phase).reduce((sum, value) => sum + value, 0);
        const [from, to] = [below, below + (values[phase] ?? 0)].map(
          (ms) => Math.round((DRAWING_HEIGHT - ms * scale) * 10) / 10,
        );
        if (from === undefined || to === undefined || from === to) return '';
        const left = index * SLOT_WIDTH + (SLOT_WIDTH - columnWidth) / 2;
        return `M${left} ${from}V${to}h${columnWidth}V${from}z`;
      })
      .join(''),
  );
  const drawing = renderDrawing(
    width,
    `${title}: ${most === 0 ? 'no measurements' : `up to ${formatValue(most)}`}`,
    html`${renderGrid(width, ticks)}${paths.map((path, phase) => path !== '' && html`<path class="fill ${toneOf(phase)}" d="${path}"/>`)}`,
  );
  const table = {
    head: ['Time', ...LABELS, 'Total'],
    rows: slots.map(({ label, phases }) => [label, ...cellsOf(phases)]),
  };
  const legend = PHASES.map(({ key, label }) =>
    slots.some(({ phases }) => phases?.[key] !== undefined) ? label : undefined,
  );
  return renderChart({ title, legend, ticks, labels, drawing, table });
}

/** A shorter rest is rounding, in ms. */
const MIN_REST = 0.1;

/**
 * Renders the phases of one request as a horizontal bar over their durations. `duration` is that of the whole request in ms:
 * the rest is in no phase, such as the wait for an answer that never came.
 */
export function renderPhaseBar(title: string, phases: Phases, duration = totalOf(phases)): Markup {
  const values = valuesOf(phases);
  const total = Math.max(duration, totalOf(phases));
  const rest = total - totalOf(phases);
  let at = 0;
  const parts = values.map((value, phase) => {
    const from = at;
    at += (1000 * value) / (total || 1);
    const [left, width] = [Math.round(from), Math.round(at) - Math.round(from)];
    return (
      width > 0 &&
      html`<path class="fill ${toneOf(phase)}" d="M${left} 0h${width}v${DRAWING_HEIGHT}h-${width}z"/>`
    );
  });
  const present = PHASES.flatMap(({ key, label }, index) =>
    phases[key] === undefined ? [] : [{ label, index, value: formatValue(phases[key]) }],
  );
  const description = present.map(({ label, value }) => `${label} ${value}`).join(', ');
  return html`<figure class="chart"><figcaption><strong>${title}</strong></figcaption><div class="phases">${renderDrawing(1000, `${title}: ${description}`, parts)}</div><div class="data durations">${renderNumbers(
    title,
    {
      head: ['Phase', 'Duration'],
      rows: [
        ...present.map(({ label, index, value }) => [renderSeries(label, index), value]),
        ...(rest < MIN_REST ? [] : [[html`<i class="tone n"></i>Other`, formatValue(rest)]]),
        ['Total', formatValue(duration)],
      ],
    },
  )}</div></figure>`;
}
