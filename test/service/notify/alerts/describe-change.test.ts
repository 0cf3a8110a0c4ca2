/** What changed between a good and a failed result, and the line of the last results. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/object.ts';
import { describeChange } from '../../../../src/service/notify/alerts/describe-change.ts';
import { formatRecent } from '../../../../src/service/notify/alerts/recent-results.ts';

const http = (response: JsonObject, more: JsonObject = {}): JsonObject => ({ response, ...more });
const tls = (issuer: string, fingerprint: string) => ({
  tls: { issuer, fingerprint, validTo: '2027-01-31T00:00:00Z' },
});
const timing = (values: JsonObject) => ({ timing: values });
const dns = (...data: string[]) => ({
  dns: {
    response: {
      Status: data.length > 0 ? 'NOERROR' : 'NXDOMAIN',
      Answer: data.map((one) => ({ data: one })),
    },
  },
});
const reads = (source: string, property = '') => ({ assertions: [{ source, property, passed: false }] });

describe('a change', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['the same', http({ status: 200 }), http({ status: 200 }), []],
    ['no details', {}, {}, []],
    ['a status', http({ status: 200 }), http({ status: 503 }), ['the status changed from 200 to 503']],
    [
      'an answer of DNS, in whatever order',
      dns('192.0.2.1', '192.0.2.2'),
      dns('192.0.2.2', '192.0.2.9'),
      ['the DNS answer changed from 192.0.2.1, 192.0.2.2 to 192.0.2.2, 192.0.2.9'],
    ],
    ['rotated records', dns('192.0.2.1', '192.0.2.2'), dns('192.0.2.2', '192.0.2.1'), []],
    [
      'no more records',
      dns('192.0.2.1'),
      dns(),
      [
        'the DNS response code changed from NOERROR to NXDOMAIN',
        'the DNS answer changed from 192.0.2.1 to nothing',
      ],
    ],
    [
      'a certificate of another issuer',
      tls('R3', 'AA'),
      tls('Proxy CA', 'BB'),
      ['the certificate changed: issued by Proxy CA instead of R3, valid until 2027-01-31'],
    ],
    [
      'a renewed certificate',
      { response: { certificate: { issuerCN: 'R3', fingerprintSha256: 'AA', validTo: '2026-01-01' } } },
      { response: { certificate: { issuerCN: 'R3', fingerprintSha256: 'BB', validTo: '2027-01-01' } } },
      ['the certificate changed: still issued by R3, valid until 2027-01-01'],
    ],
    [
      'an address',
      { address: '192.0.2.1:443' },
      { address: '192.0.2.7:443' },
      ['the address changed from 192.0.2.1:443 to 192.0.2.7:443'],
    ],
    [
      'a header that an assertion reads, before others',
      http({ headers: { Server: 'nginx', 'x-cache': 'HIT' } }),
      http({ headers: { Server: 'envoy', 'x-cache': 'MISS' } }, reads('HEADERS', 'X-Cache')),
      ['the header x-cache changed from HIT to MISS'],
    ],
    [
      'a header that matters',
      http({ headers: { 'content-type': 'application/json' } }),
      http({ headers: { 'content-type': 'text/html' } }),
      ['the header content-type changed from application/json to text/html'],
    ],
    [
      'a smaller body',
      http({ bytes: 12_800 }),
      http({ bytes: 120 }),
      ['the body has 120 B instead of 12.5 KB'],
    ],
    ['a body with the time', http({ bytes: 9, body: 'a' }), http({ bytes: 9, body: 'b' }), []],
    [
      'a body that an assertion reads',
      http({ bytes: 9, body: 'a' }),
      http({ bytes: 9, body: 'b' }, reads('TEXT_BODY')),
      ['the body changed, but not its size'],
    ],
    [
      'the slowest phase',
      timing({ dns: 20, connect: 10, tls: 40, firstByte: 80, total: 150 }),
      timing({ dns: 300, connect: 12, tls: 45, firstByte: 4100, total: 4457 }),
      ['the wait for the first byte took 4.1 s instead of 80 ms'],
    ],
    ['phases that are little slower', timing({ dns: 20, total: 20 }), timing({ dns: 90, total: 90 }), []],
    ['untrusted details', { response: 'x', timing: [] }, { response: null, assertions: 'y' }, []],
  ])('%s', (_, good, failed, expected) => {
    expect(describeChange({ good, failed })).toEqual(expected);
  });

  it('has at most three lines, the most telling first, and values of limited length', () => {
    const good = http(
      { status: 200, bytes: 100, headers: { server: 'a' } },
      { address: '192.0.2.1', ...tls('a', '1') },
    );
    const failed = http(
      { status: 500, bytes: 900, headers: { server: 'b'.repeat(500) } },
      { address: '192.0.2.2', ...tls('b', '2') },
    );
    expect(describeChange({ good, failed })).toEqual([
      'the status changed from 200 to 500',
      expect.stringContaining('the certificate changed'),
      'the address changed from 192.0.2.1 to 192.0.2.2',
    ]);
    const header = describeChange({
      good: http({ headers: { server: 'a' } }),
      failed: http({ headers: { server: 'b'.repeat(500) } }),
    });
    expect(header[0]?.length).toBeLessThan(200);
  });
});

describe('the last results', () => {
  const result = (
    verdict: Parameters<typeof formatRecent>[0][number]['verdict'],
    responseTime: number | null = null,
  ) => ({
    verdict,
    responseTime,
  });

  it('are bars of the response times, with the same in words', () => {
    expect(
      formatRecent([
        ...[100, 200, 100].map((ms) => result('passed', ms)),
        ...[result('degraded', 800), result('error'), result('failed', 5000), result('failed')],
      ]),
    ).toBe('▁▂▁█?×× (oldest first: 3 passed, 1 degraded, 2 failed, 1 monitor error)');
    expect(formatRecent([result('passed', 5), result('passed', 5)])).toBe('▁▁ (oldest first: 2 passed)');
  });
});
