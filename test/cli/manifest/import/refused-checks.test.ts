/** No import writes a check that a plan refuses, whatever its source says: a loss names the check. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { command as gatus } from '../../../../commands/import/gatus.ts';
import { command as kuma } from '../../../../commands/import/uptime-kuma.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { importInto } from './imported.ts';

const HOSTS = [
  '',
  ' ',
  'a b',
  'shop.example.com',
  'https://shop.example.com',
  '192.0.2.1',
  '::1',
  'a_b',
  '-',
];
const URLS = ['', 'https://', 'http://a b', 'ftp://a', 'https://shop.example.com', 'http://[::1', '{{x}}'];
const withoutVariables = (text: string): string => text.replaceAll('$', '');
const texts = fc.oneof(
  fc.constantFrom('', 'a', 'x'.repeat(300), '\n', 'é{{y}}'),
  fc.string().map(withoutVariables),
);

const monitor = fc.record({
  name: texts,
  type: fc.constantFrom('http', 'keyword', 'json-query', 'port', 'ping', 'dns', 'push', 'real-browser'),
  url: fc.constantFrom(...URLS),
  hostname: fc.constantFrom(null, ...HOSTS),
  port: fc.constantFrom(null, 0, -1, 53, 70_000, '443', 'x'),
  method: fc.constantFrom(null, 'GET', 'POST', 'BREW'),
  body: texts,
  keyword: texts,
  jsonPath: texts,
  headers: fc.constantFrom(null, '', '{"": "a"}', '{"a b": "c"}', '{"A": "b\\nc"}', '[1]'),
  accepted_statuscodes: fc.constantFrom([], ['200-299'], ['x'], ['404']),
  interval: fc.constantFrom(-1, 0, 1, 60, 1e9),
  maxretries: fc.constantFrom(0, 3, 99),
  retryInterval: fc.constantFrom(0, 1, 60, 1e6),
  timeout: fc.constantFrom(0, 0.1, 48, 1e6),
  dns_resolve_type: fc.constantFrom('A', 'CAA', 'LOC'),
  dns_resolve_server: fc.constantFrom('', '1.1.1.1', 'a b', '1.1.1.1,9.9.9.9'),
  description: texts,
  tags: fc.array(fc.record({ name: texts, value: texts }), { maxLength: 2 }),
});

const endpoint = fc.record({
  name: texts,
  url: fc.oneof(
    fc.constantFrom(...URLS),
    fc
      .tuple(
        fc.constantFrom('icmp://', 'tcp://', 'tls://', 'dns://'),
        fc.constantFrom(...HOSTS, 'a:99999', 'a:0'),
      )
      .map(([scheme, host]) => `${scheme}${host}`),
  ),
  dns: fc.constantFrom(
    undefined,
    { 'query-type': 'A', 'query-name': '' },
    { 'query-type': 'A', 'query-name': 'a b' },
  ),
  headers: fc.constantFrom(undefined, { '': 'a' }, { 'a b': 'c' }, { A: 'b\nc' }),
  body: texts,
  interval: fc.constantFrom('0s', '1ms', '60s', '9999h'),
  client: fc.constantFrom({}, { timeout: '0s' }, { timeout: '1us' }, { timeout: '9h' }),
  'extra-labels': fc.dictionary(texts, texts, { maxKeys: 2 }),
  conditions: fc.array(
    fc.constantFrom(
      '[STATUS] == x',
      '[STATUS] == 200',
      '[BODY] == pat(*)',
      '[BODY].a b == 1',
      '[CERTIFICATE_EXPIRATION] > 99999h',
      '[RESPONSE_TIME] < 0',
      '[BODY].. == any()',
      'len([BODY].a) == 1',
    ),
    { maxLength: 3 },
  ),
});

const RUNS = { numRuns: 5 };
const rows = <T>(row: fc.Arbitrary<T>) => fc.array(row, { minLength: 30, maxLength: 40 });

describe('an import of odd values', () => {
  it('of Uptime Kuma writes files that load', async () => {
    await fc.assert(
      fc.asyncProperty(rows(monitor), async (monitors) => {
        const cwd = await temporaryFolder();
        const monitorList = [{ name: 'valid', type: 'http', url: 'https://shop.example.com' }, ...monitors];
        const numbered = monitorList.map((each, id) => ({ ...each, id }));
        await writeFile(join(cwd, 'backup.json'), JSON.stringify({ monitorList: numbered }));
        const { bodies } = await importInto(cwd, kuma, ['backup.json']);
        expect(bodies('checks').length).toBeGreaterThan(0);
      }),
      RUNS,
    );
  });

  it('of Gatus writes files that load', async () => {
    await fc.assert(
      fc.asyncProperty(rows(endpoint), async (endpoints) => {
        const valid = { name: 'valid', url: 'https://shop.example.com', conditions: ['[STATUS] == 200'] };
        const input = JSON.stringify({ endpoints: [valid, ...endpoints] });
        const { bodies } = await importInto(await temporaryFolder(), gatus, ['-'], { input });
        expect(bodies('checks').length).toBeGreaterThan(0);
      }),
      RUNS,
    );
  });
});
