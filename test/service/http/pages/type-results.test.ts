/** What the page of a result tells of each check type, from what its runner left. */
import { describe, expect, it } from 'vitest';
import { renderResultPage } from '../../../../src/service/http/pages/result-html.ts';
import { formatResponseTime } from '../../../../src/service/http/pages/run-components.ts';
import type { ResultRecord } from '../../../../src/service/store/engine/results.ts';

const pageOf = (checkType: string, details: object, more: Partial<ResultRecord> = {}): string => {
  const row = {
    ...{ id: 'r', check_name: 'c', check_type: checkType, location: 'eu-west-1', attempt: 0, errors: '[]' },
    ...{ has_failures: 0, has_errors: 0, is_degraded: 0, is_cancelled: 0, started_at: 0, stopped_at: 1 },
    ...{ response_time_us: 1000, details: JSON.stringify(details), ...more },
  } as unknown as ResultRecord;
  const link = () => '#';
  return JSON.stringify(
    renderResultPage(row, { attempts: [row], resultLink: link, artifactLink: link, sessionLink: '#' }),
  );
};

const exchange = {
  request: { method: 'POST', url: 'https://a.example/x', body: '{"sent": 1}' },
  response: {
    status: 201,
    statusText: 'Created',
    bytes: 12,
    body: 'received <b>',
    headers: { 'x-a': 'seen' },
  },
  timing: { dns: 1.5, firstByte: 20, download: 72_000, total: 4230.6 },
  redirects: [{ url: 'http://a.example/', status: 301 }],
  tls: { protocol: 'TLSv1.3', daysLeft: 9 },
  scripts: [{ phase: 'teardown', names: ['put away'], errors: ['it broke'], console: [{ text: 'hello' }] }],
  notes: ['over IPv4'],
};
const suite = {
  ...{ engine: 'node-24', counts: { passed: 3, failed: 0, flaky: 1, skipped: 0 }, durationMs: 61_000 },
  tests: [{ title: 'pays', status: 'passed', durationMs: 900 }],
};

describe('the page of a result', () => {
  it.each([
    [
      'URL',
      exchange,
      ['POST', 'https://a.example/x', '201 Created', '4.2 s', '1 min 12 s', '301', 'x-a', '9 days left'],
    ],
    [
      'API',
      exchange,
      ['sent', 'received &lt;b&gt;', 'Teardown', 'put away', 'it broke', 'hello', 'Over IPv4.'],
    ],
    [
      'TCP',
      {
        request: { hostname: 'mail', port: 25, data: 'QUIT' },
        response: { data: '220 hi', bytes: 6, isEnded: true },
      },
      ['mail', '25', 'QUIT', '220 hi', 'Closed by'],
    ],
    [
      'ICMP',
      {
        request: { hostname: 'gw' },
        response: { packetsSent: 10, packetsReceived: 7, packetLoss: 30, latency: { avg: 12.5, jitter: 2 } },
      },
      ['gw', '30%', '12.5 ms', 'Jitter'],
    ],
    [
      'HEARTBEAT',
      { event: 'MISSED', lastPingAt: '2026-11-21T08:00:00.000Z', dueAt: '2026-11-21T09:00:00.000Z' },
      ['Missed ping', 'Not received', '08:00:00', '09:00:00'],
    ],
    [
      'HEARTBEAT',
      { event: 'PING', pingedAt: '2026-11-21T08:00:00.000Z', method: 'POST' },
      ['Previous ping', 'POST'],
    ],
    ['MULTI_STEP', { tests: suite.tests }, ['pays', 'Environment']],
    ['PLAYWRIGHT', suite, ['3 passed, 1 flaky', 'node-24', 'pays']],
  ])('of the type %s tells what was found', (type, details, told) => {
    const page = pageOf(type, details);
    for (const words of told) expect(page).toContain(words);
  });

  it('says in its banner why it is degraded, and only there', () => {
    const notes = ['over IPv4', 'took 12 ms (degraded from 10 ms)'];
    const page = pageOf('URL', { notes }, { is_degraded: 1 });
    expect(page).toMatch(/<p>Degraded.*why[\\"]+>Took 12 ms \(degraded from 10 ms\)<\/p>/);
    expect(page).toContain('<p>Over IPv4.</p>');
    expect(page.match(/12 ms/g)).toHaveLength(1);
  });

  it.each(['URL', 'API', 'TCP', 'ICMP', 'HEARTBEAT', 'PLAYWRIGHT', 'AGENTIC', 'NEW'])(
    'of the type %s stands where nothing was found, and where nothing is as it should be',
    (type) => {
      expect(pageOf(type, {})).toContain('About this result');
      const odd = {
        request: 7,
        response: [],
        timing: 'x',
        tests: {},
        scripts: [null],
        notes: 'no',
        counts: [],
      };
      expect(pageOf(type, odd)).toContain('About this result');
    },
  );
});

it.each([
  [null, '–'],
  [0, '0 ms'],
  [36, '0.036 ms'],
  [2068, '2.1 ms'],
  [341_200, '341 ms'],
  [12_345_000, '12.3 s'],
])('calls a response time of %s µs %s', (microseconds, words) => {
  expect(formatResponseTime(microseconds)).toBe(words);
});
