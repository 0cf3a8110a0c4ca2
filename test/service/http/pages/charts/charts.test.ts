/** Charts draw real numbers: round ticks, gaps where nothing was measured, and the same numbers as a table. */
import { describe, expect, it } from 'vitest';
import { durationTicks } from '../../../../../src/service/http/pages/charts/axis.ts';
import { renderDayBars, renderDayLegend } from '../../../../../src/service/http/pages/charts/day-bars.ts';
import {
  linePaths,
  renderLineChart,
  renderSparkline,
} from '../../../../../src/service/http/pages/charts/line-chart.ts';
import {
  renderPhaseBar,
  renderPhaseChart,
} from '../../../../../src/service/http/pages/charts/phase-chart.ts';

const HOUR = 3_600_000;

describe('the ticks of an axis', () => {
  it.each([
    [0, [0, 0.5, 1]],
    [0.8, [0, 0.2, 0.4, 0.6, 0.8]],
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 50, 100]],
    [340, [0, 100, 200, 300, 400]],
    [1000, [0, 500, 1000]],
    [4200, [0, 2000, 4000, 6000]],
    [59_000, [0, 15_000, 30_000, 45_000, 60_000]],
    [150_000, [0, 60_000, 120_000, 180_000]],
    [3 * HOUR, [0, HOUR, 2 * HOUR, 3 * HOUR]],
    [10 * HOUR, [0, 3 * HOUR, 6 * HOUR, 9 * HOUR, 12 * HOUR]],
  ])('for %d ms are round', (most, ticks) => {
    expect(durationTicks(most)).toEqual(ticks);
  });

  it('reach every value with two to five ticks', () => {
    for (let most = 0.01; most < 100 * HOUR; most *= 1.37) {
      const ticks = durationTicks(most);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-9));
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(5);
    }
  });
});

describe('a line', () => {
  it('has a gap where there is no value, and a dot for a value between gaps', () => {
    expect(linePaths([0, 50, null, 100, null, 100, 25], 100)).toEqual({
      line: 'M5 200L15 100M55 0L65 150',
      dots: 'M35 0h0',
    });
  });

  it('is empty without values', () => {
    expect(linePaths([null, null], 1)).toEqual({ line: '', dots: '' });
  });
});

const slot = (label: string, values: (number | null)[], failed = 0) => ({ label, values, runs: 4, failed });

describe('a chart of response times', () => {
  const text = String(
    renderLineChart({
      title: 'Response <time>',
      lines: ['p50', 'p95'],
      slots: [slot('08:00', [120, 340]), slot('09:00', [null, null], 4), slot('10:00', [150, 1200])],
      labels: ['3 h ago', '', 'Now'],
    }),
  );

  it('describes the ranges and the failures', () => {
    expect(text).toContain(
      'aria-label="Response &lt;time&gt;: p50 from 120 ms to 150 ms, p95 from 340 ms to 1.2 s; failures in 1 of 3 intervals"',
    );
  });
  it('has few round ticks with units', () => {
    expect(text).toContain('<span>1.5 s</span><span>1 s</span><span>500 ms</span><span>0</span>');
  });
  it('marks the slots with failures', () => {
    expect(text).toContain('<path class="bad" d="M10 0h10v200h-10z"/>');
  });
  it('has the same numbers as a table', () => {
    expect(text).toContain(
      '<tr><th scope="row">10:00</th><td class="num">150 ms</td><td class="num">1.2 s</td><td class="num">4</td><td class="num">0</td></tr>',
    );
    expect(text).toContain('<tr><th scope="row">09:00</th><td class="num">–</td>');
  });
  it('needs no style or script within its markup', () => {
    expect(text).not.toMatch(/ style=|<script/);
  });
});

it('a chart without measurements says so', () => {
  const text = String(
    renderLineChart({ title: 'T', lines: ['p50'], slots: [slot('a', [null])], labels: ['', '', ''] }),
  );
  expect(text).toContain('aria-label="T: no response times"');
});

it('a sparkline leaves room above its highest value', () => {
  expect(String(renderSparkline('name', [slot('a', [0]), slot('b', [100])]))).toContain('d="M5 200L15 26"');
});

describe('bars of days', () => {
  it('draw days that are alike with one path, and each bad day with its tooltip', () => {
    const bars = [
      ...Array.from({ length: 3 }, () => ({ tone: 'ok', title: 'fine' }) as const),
      { tone: 'outage', title: '21 Nov 2026: 99.3%' } as const,
      { tone: 'outage', title: '22 Nov 2026: 12%' } as const,
      { tone: 'none', title: 'no data' } as const,
    ];
    expect(String(renderDayBars('Availability', bars))).toBe(
      '<svg class="bars" viewBox="0 0 58 100" preserveAspectRatio="none" role="img" aria-label="Availability">' +
        '<path class="o" d="M0 50h28"></path>' +
        '<path class="x" d="M30 50h8"><title>21 Nov 2026: 99.3%</title></path>' +
        '<path class="x" d="M40 50h8"><title>22 Nov 2026: 12%</title></path>' +
        '<path class="n" d="M50 50h8"></path></svg>',
    );
    const labels = { ok: 'Good', degraded: 'Slow', outage: 'Bad' };
    const legend = String(
      renderDayLegend(
        bars.map(({ tone }) => tone),
        labels,
      ),
    );
    expect(legend.match(/<\/i>[^<]+/g)).toEqual(['</i>Good', '</i>Bad', '</i>No data']);
  });
});

describe('phases of requests', () => {
  const phases = { dns: 10, connect: 20, firstByte: 60, download: 10 };

  it('are stacked in the order of a request', () => {
    const text = String(
      renderPhaseChart(
        'Phases',
        [
          { label: 'first', phases },
          { label: 'second', phases: undefined },
        ],
        ['a', '', 'b'],
      ),
    );
    expect(text).toContain('class="fill c0" d="M4 200V180h2V200z"');
    expect(text).toContain('class="fill c3" d="M4 140V20h2V140z"');
    // Plain HTTP has no TLS, which is not the same as 0 ms.
    expect(text).toContain(
      '<th scope="row">first</th><td class="num">10 ms</td><td class="num">20 ms</td><td class="num">–</td>',
    );
    expect(text).toContain('<th scope="row">second</th><td class="num">–</td>');
    expect(text).toContain('<li><i class="tone c3"></i>First byte</li>');
    expect(text).not.toContain('</i>TLS');
  });

  it('have a gap between many columns', () => {
    const slots = Array.from({ length: 10 }, (_, index) => ({ label: `${index}`, phases }));
    expect(String(renderPhaseChart('Phases', slots, ['a', '', 'b']))).toContain(
      'class="fill c0" d="M1 200V180h8V200zM11 200V180h8V200z',
    );
  });

  it('of one request fill a bar', () => {
    const text = String(renderPhaseBar('Phases', phases));
    expect(text).toContain('aria-label="Phases: DNS 10 ms, Connect 20 ms, First byte 60 ms, Download 10 ms"');
    expect(text).toContain('class="fill c3" d="M300 0h600v200h-600z"');
    expect(text).toContain('<th scope="row">Total</th><td class="num">100 ms</td>');
  });

  it('of a request without an answer say how long it waited', () => {
    const text = String(renderPhaseBar('Phases', { dns: 10, connect: 20 }, 30_000));
    expect(text).toContain('<th scope="row"><i class="tone n"></i>Other</th><td class="num">30 s</td>');
    expect(text).toContain('class="fill c1" d="M0 0h1v200h-1z"');
    expect(text).toContain('<th scope="row">Total</th><td class="num">30 s</td>');
  });
});
