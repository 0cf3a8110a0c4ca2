/** Renders what a dashboard shows of a check over time: availability, response times and charts. */

import type { PeriodStatistics } from '../../../engine/results/check-statistics.ts';
import { html, type Markup } from '../../../notify/rendering/markup.ts';
import { type BarTone, type DayBar, renderDayBars, renderDayLegend } from '../charts/day-bars.ts';
import { renderChartTable } from '../charts/frame.ts';
import { renderLineChart, renderSparkline, type Slot } from '../charts/line-chart.ts';
import { formatDay, formatPercentage, renderTime } from '../format.ts';
import type { CheckView } from './dashboard-view.ts';

/** A day with a lower share of good results is an outage, otherwise only degraded. */
const OUTAGE_BELOW = 0.95;
const BAR_LABELS = { ok: 'All runs good', degraded: 'Some failed or degraded', outage: 'Under 95%' };

export const formatAvailability = (share: number | null): string =>
  share === null ? '–' : formatPercentage(share);

const availabilityOf = ({ runs, failed }: PeriodStatistics): number | null =>
  runs === 0 ? null : 1 - failed / runs;

function toneOf(period: PeriodStatistics): BarTone {
  const share = availabilityOf(period);
  if (share === null) return 'none';
  if (share < OUTAGE_BELOW) return 'outage';
  return period.failed > 0 || period.degraded > 0 ? 'degraded' : 'ok';
}

/** Describes a period: `99.3%, 1 of 144 runs failed`. */
function describePeriod(period: PeriodStatistics): string {
  const { runs, failed, degraded } = period;
  if (runs === 0) return 'no data';
  return [
    formatAvailability(availabilityOf(period)),
    ...(failed > 0 ? [`${failed} of ${runs} runs failed`] : []),
    ...(degraded > 0 ? [`${degraded} of ${runs} runs degraded`] : []),
  ].join(', ');
}

const toBar = (period: PeriodStatistics, label: string): DayBar => ({
  tone: toneOf(period),
  title: `${label}: ${describePeriod(period)}`,
});

const describeBars = (name: string, periods: readonly PeriodStatistics[], unit: string): string => {
  const bad = periods.filter(({ failed }) => failed > 0).length;
  const measured = periods.filter(({ runs }) => runs > 0).length;
  if (measured === 0) return `${name}: no data`;
  return `${name}: ${bad === 0 ? 'no failures' : `failures in ${bad} of ${measured} ${unit}`}`;
};

const toSlot = (period: PeriodStatistics, label: Slot['label'], isP95Shown: boolean): Slot => ({
  label,
  values: isP95Shown ? [period.p50, period.p95] : [period.p50],
  runs: period.runs,
  failed: period.failed,
});

const isMeasured = (periods: readonly PeriodStatistics[]): boolean => periods.some(({ p50 }) => p50 !== null);

/** Renders the last 24 hours in a line: response times, or availability for checks that measure no time. */
export function renderDayLine({ statistics }: CheckView): Markup {
  const hours = statistics.hours();
  if (!hours.some(({ runs }) => runs > 0)) return html`<span class="muted">No results</span>`;
  const name = describeBars('24 hours', hours, 'hours');
  if (isMeasured(hours))
    return renderSparkline(
      name,
      hours.map((hour) => toSlot(hour, '', false)),
    );
  return html`<div class="spark">${renderDayBars(
    name,
    hours.map((hour) => toBar(hour, new Date(hour.at).toISOString().slice(11, 16))),
  )}</div>`;
}

/** Renders the charts of a check: response times of 24 hours and of 90 days, and availability of 90 days. */
export function renderCheckCharts(
  { statistics }: Pick<CheckView, 'statistics'>,
  isP95Shown: boolean,
  isDetailed: boolean,
): Markup {
  const [hours, days] = [statistics.hours(), statistics.days()];
  const lines = isP95Shown ? ['p50', 'p95'] : ['p50'];
  const chart = (title: string, slots: Slot[], since: string, middle: string, end: string) =>
    renderLineChart({ title, lines, slots, labels: [since, middle, end] });
  const bars = days.map((day) => toBar(day, formatDay(day.at)));
  return html`<div class="charts">${
    isMeasured(hours) &&
    chart(
      'Response time, 24 hours',
      hours.map((hour) => toSlot(hour, renderTime(hour.at), isP95Shown)),
      ...(['24 h ago', '12 h ago', 'Now'] as const),
    )
  }${
    isDetailed &&
    isMeasured(days) &&
    chart(
      'Response time, 90 days',
      days.map((day) => toSlot(day, formatDay(day.at), isP95Shown)),
      ...(['90 days ago', '45 days ago', 'Today (UTC)'] as const),
    )
  }<figure class="chart"><figcaption><strong>Uptime, 90 days</strong><span class="num">${formatAvailability(statistics.availability['90d'])}</span></figcaption>${renderDayBars(
    describeBars('Uptime, 90 days', days, 'days'),
    bars,
  )}<div class="scale" aria-hidden="true"><span>90 days ago</span><span>Today (UTC)</span></div>${
    isDetailed &&
    renderDayLegend(
      bars.map(({ tone }) => tone),
      BAR_LABELS,
    )
  }${renderChartTable('Uptime, 90 days', {
    head: ['Day (UTC)', 'Uptime', 'Runs', 'Failed', 'Degraded'],
    rows: days
      .filter(({ runs }) => runs > 0)
      .map((day) => [
        formatDay(day.at),
        formatAvailability(availabilityOf(day)),
        day.runs,
        day.failed,
        day.degraded,
      ]),
  })}</figure></div>`;
}
