/** Renders availability as one bar for each day. */
import { html, type Markup } from '../../../notify/rendering/markup.ts';

export type BarTone = 'none' | 'ok' | 'degraded' | 'outage';

export interface DayBar {
  readonly tone: BarTone;
  /** Says what happened on that day: `21 Nov 2026: 99.3%`. */
  readonly title: string;
}

const BAR_WIDTH = 10;
const GAP = 2;
const CLASSES = { none: 'n', ok: 'o', degraded: 'd', outage: 'x' } as const;

/** Renders what the colors of bars mean: those that occur. */
export const renderDayLegend = (
  tones: readonly BarTone[],
  {
    none = 'No data',
    ...labels
  }: Readonly<Record<Exclude<BarTone, 'none'>, string>> & {
    readonly none?: string;
  },
): Markup =>
  html`<ul class="legend small">${(['ok', 'degraded', 'outage', 'none'] as const).map(
    (tone) =>
      tones.includes(tone) &&
      html`<li><i class="tone ${CLASSES[tone]}"></i>${tone === 'none' ? none : labels[tone]}</li>`,
  )}</ul>`;

/** Returns a path of bars next to each other, which dashes of its line separate. */
const runPath = (from: number, length: number): string =>
  `M${from * BAR_WIDTH} 50h${length * BAR_WIDTH - GAP}`;

/**
 * Renders the bars, oldest first, as one image. Days that are alike share one path, so that 90 good days take no more bytes
 * than one; each bad day has a tooltip. `name` says to screen readers what the image shows.
 */
export function renderDayBars(name: string, bars: readonly DayBar[]): Markup {
  const runs: { tone: BarTone; from: number; length: number; title: string }[] = [];
  bars.forEach(({ tone, title }, index) => {
    const last = runs.at(-1);
    if (last !== undefined && last.tone === tone && (tone === 'ok' || tone === 'none')) last.length += 1;
    else runs.push({ tone, from: index, length: 1, title });
  });
  return html`<svg class="bars" viewBox="0 0 ${bars.length * BAR_WIDTH - GAP} 100" preserveAspectRatio="none" role="img" aria-label="${name}">${runs.map(
    ({ tone, from, length, title }) =>
      html`<path class="${CLASSES[tone]}" d="${runPath(from, length)}">${(tone === 'degraded' || tone === 'outage') && html`<title>${title}</title>`}</path>`,
  )}</svg>`;
}
