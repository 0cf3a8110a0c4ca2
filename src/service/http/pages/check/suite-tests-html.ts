/** Renders how the tests of a Playwright suite did: outcomes and durations by result, the slowest and the flakiest tests. */
import type { TestOutcome } from '../../../../contract/analytics-metrics.ts';
import { sortTests, type TestStatistics } from '../../../engine/results/test-statistics.ts';
import { html, type Markup } from '../../../notify/rendering/markup.ts';
import type { SuiteRun } from '../../../store/engine/suite-runs.ts';
import { type BarTone, type DayBar, renderDayBars, renderDayLegend } from '../charts/day-bars.ts';
import { renderChartTable } from '../charts/frame.ts';
import { renderLineChart } from '../charts/line-chart.ts';
import { renderTime } from '../format.ts';
import { renderSection } from '../layout.ts';
import { formatMilliseconds, renderColumn, renderTable } from '../run-components.ts';

/** Tests in the chart of durations, and in the table. A chart has six colors. */
const MAX_LINES = 5;
const MAX_ROWS = 50;
/** Longer titles lose their start in the legend of the chart: the end names the test. */
const MAX_LEGEND = 48;

const OUTCOMES = ['passed', 'flaky', 'failed', 'skipped'] as const satisfies readonly TestOutcome[];
const TONES: Readonly<Record<TestOutcome, BarTone>> = {
  passed: 'ok',
  flaky: 'degraded',
  failed: 'outage',
  skipped: 'none',
};
const LABELS = { ok: 'Passed', degraded: 'Flaky', outage: 'Failed', none: 'Skipped' };

const countOutcomes = ({ tests }: SuiteRun): readonly number[] =>
  OUTCOMES.map((name) => tests.filter(([, outcome]) => outcome === name).length);

const describeCounts = (counts: readonly number[]): string =>
  OUTCOMES.flatMap((name, index) => (counts[index] ? [`${counts[index]} ${name}`] : [])).join(', ');

const dateOf = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The worst outcome of the tests of a result. */
function toneOfRun(counts: readonly number[]): BarTone {
  const [, flaky = 0, failed = 0] = counts;
  if (failed > 0) return 'outage';
  return flaky > 0 ? 'degraded' : 'ok';
}

function renderOutcomes(runs: readonly SuiteRun[]): Markup {
  const rows = runs.map((run) => ({ ...run, counts: countOutcomes(run) }));
  const bars = rows.map(
    ({ startedAt, counts }): DayBar => ({
      tone: toneOfRun(counts),
      title: `${dateOf(startedAt)}: ${describeCounts(counts)}`,
    }),
  );
  const bad = bars.filter(({ tone }) => tone === 'outage').length;
  const title = 'Outcomes of the tests, by result';
  return html`<figure class="chart"><figcaption><strong>${title}</strong></figcaption>${renderDayBars(
    `${title}: tests failed in ${bad} of ${bars.length} results`,
    bars,
  )}<div class="scale" aria-hidden="true"><span>Oldest</span><span>Latest</span></div>${renderDayLegend(
    bars.map(({ tone }) => tone),
    { ok: 'All tests passed', degraded: 'Some were flaky', outage: 'Some failed' },
  )}${renderChartTable(title, {
    head: ['Time', 'Passed', 'Flaky', 'Failed', 'Skipped'],
    rows: rows.map(({ startedAt, counts }) => [renderTime(startedAt), ...counts]),
  })}</figure>`;
}

const shortenForLegend = (title: string): string =>
  title.length <= MAX_LEGEND ? title : `…${title.slice(1 - MAX_LEGEND)}`;

function renderDurations(runs: readonly SuiteRun[], tests: readonly TestStatistics[]): Markup | false {
  const slowest = sortTests(tests, 'duration')
    .filter(({ duration }) => duration !== null)
    .slice(0, MAX_LINES);
  if (slowest.length === 0) return false;
  const slots = runs.map(({ startedAt, tests: inRun }) => {
    const durations = new Map(
      inRun.flatMap(([title, outcome, ms]) => (outcome === 'skipped' ? [] : [[title, ms] as const])),
    );
    const hasFailed = inRun.some(([, outcome]) => outcome === 'failed');
    return {
      label: renderTime(startedAt),
      values: slowest.map(({ title }) => durations.get(title) ?? null),
      ...{ runs: 1, failed: hasFailed ? 1 : 0 },
    };
  });
  return renderLineChart({
    title: slowest.length === 1 ? 'Duration of the test' : 'Durations of the slowest tests',
    lines: slowest.map(({ title }) => shortenForLegend(title)),
    slots,
    labels: ['Oldest', '', 'Latest'],
  });
}

function renderRow({ title, counts, flakiness, duration, runs }: TestStatistics): Markup {
  const bars = runs.map(({ startedAt, outcome }) => ({
    tone: TONES[outcome],
    title: `${dateOf(startedAt)}: ${outcome}`,
  }));
  const share = flakiness === null ? '–' : `${Math.round(flakiness * 100)}%`;
  const outcomes = describeCounts(OUTCOMES.map((name) => counts[name]));
  const [p50, max] = [formatMilliseconds(duration?.p50) ?? '–', formatMilliseconds(duration?.max) ?? '–'];
  return html`<tr><td><bdi>${title}</bdi>${renderDayBars(outcomes, bars)}<span class="more muted small">${outcomes}; flakiness ${share}</span></td><td class="num less">${counts.failed}</td><td class="num less">${share}</td><td class="num">${p50}</td><td class="num less">${max}</td></tr>`;
}

/** Renders the tests of the latest results, oldest first; nothing without results. */
export function renderSuiteTests(
  runs: readonly SuiteRun[],
  tests: readonly TestStatistics[],
): Markup | false {
  if (runs.length === 0) return false;
  const sorted = sortTests(tests, 'flakiness');
  const tones = tests.flatMap(({ runs: ofTest }) => ofTest.map(({ outcome }) => TONES[outcome]));
  const omitted = sorted.length - MAX_ROWS;
  return renderSection(
    'tests',
    `Tests in the last ${runs.length === 1 ? 'result' : `${runs.length} results`}`,
    html`<div class="stack"><div class="card"><div class="charts">${renderOutcomes(runs)}${renderDurations(runs, tests)}</div></div>${renderTable(
      'Tests, the flakiest first',
      [
        renderColumn('Test, the flakiest first'),
        html`<th scope="col" class="num less">Failed</th><th scope="col" class="num less">Flakiness</th>`,
        renderColumn('p50', true),
        html`<th scope="col" class="num less">Longest</th>`,
      ],
      sorted.slice(0, MAX_ROWS).map(renderRow),
    )}${renderDayLegend(tones, LABELS)}${
      omitted > 0 &&
      html`<p class="muted small">${omitted} more ${omitted === 1 ? 'test is' : 'tests are'} not shown. List all of them with <code class="whole">sonde checks tests</code>.</p>`
    }</div>`,
  );
}
