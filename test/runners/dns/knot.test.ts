/** The DNS runner against a name server that others have written. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DnsCheck, RecordType } from '../../../src/runners/dns/types.ts';
import { type Knot, needsKnot, startKnot } from '../../support/dns/knot.ts';
import { dnsOf, runAt } from '../../support/dns/run.ts';
import { needs } from '../../support/needs.ts';

const ZONE = `
$ORIGIN example.test.
$TTL 300
@       SOA ns1 host\\.master.example.test. 7 3600 900 604800 60
@       NS  ns1
@       NS  ns2
@       MX  10 mail
@       MX  20 backup.example.net.
@       TXT "v=spf1 include:_spf.example.net " "-all"
@       TXT "say \\"hi\\" \\\\ tab:\\009 gr\\195\\188n"
ns1     A   192.0.2.53
ns2     A   192.0.2.54
mail    A   192.0.2.25
web     A   192.0.2.1
web     A   192.0.2.2
web     AAAA 2001:db8::1
www     CNAME alias
alias   CNAME web
dangling CNAME nothing
xn--mnchen-3ya A 192.0.2.89
${Array.from({ length: 40 }, (_, index) => `big TXT "record ${index} ${'x'.repeat(100)}"`).join('\n')}
`;

const needsKdig = needs('kdig', 'knot-dnsutils');

/** Records of services, certificates and keys. */
const SERVICES = `
$ORIGIN services.test.
$TTL 300
@       SOA ns1 host 7 3600 900 604800 60
@       NS  ns1.example.test.
caa     CAA 0 issue "ca.example.net; account=1"
caa     CAA 128 iodef "mailto:sec@example.test"
caa     CAA 0 issuewild ";"
key     DNSKEY 257 3 13 mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==
child   NS ns1.example.test.
child   DS 60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118
https   HTTPS 1 . alpn=h3,h2 port=8443 ipv4hint=192.0.2.1,192.0.2.2 ech=AEX+DQBB ipv6hint=2001:db8::1
alias   HTTPS 0 pool.example.test.
svcb    SVCB 16 foo mandatory=alpn,ipv4hint alpn="f\\\\\\\\oo\\\\,bar,h2" ipv4hint=192.0.2.1 no-default-alpn key667="hello\\210qoo" key668
naptr   NAPTR 100 10 "U" "E2U+sip" "!^.*$!sip:info@example.test!" .
naptr   NAPTR 100 20 "S" "SIP+D2U" "" _sip._udp
sip     SRV 10 60 5060 Big
none    SRV 0 0 0 .
tlsa    TLSA 3 1 1 0C72AC70B745AC19998811B131D662C9AC69DBDBE7CB23E5B514B56664C5D3D6
`;

const reverseZone = (origin: string, label: string) => `
$ORIGIN ${origin}.
$TTL 60
@ SOA ns1.example.test. host.example.test. 1 1 1 1 1
@ NS ns1.example.test.
${label} PTR Web.example.test.
`;
const REVERSE_4 = '2.0.192.in-addr.arpa';
const REVERSE_6 = '8.b.d.0.1.0.0.2.ip6.arpa';

let knot: Knot | undefined;
beforeAll(async () => {
  knot = await startKnot({
    'example.test': ZONE,
    'broken.test': null,
    'services.test': SERVICES,
    [REVERSE_4]: reverseZone(REVERSE_4, '1'),
    [REVERSE_6]: reverseZone(REVERSE_6, `1.${'0.'.repeat(22)}0`),
  });
});
afterAll(async () => {
  await knot?.stop();
});
beforeEach((context) => needsKnot(context));

function ask(query: string, recordType: RecordType, more: Partial<DnsCheck['request']> = {}, check = {}) {
  return runAt(knot ?? { address: 'none', port: 1 }, { query, recordType, ...more }, check);
}

async function dataOf(query: string, recordType: RecordType): Promise<string[]> {
  const outcome = await ask(query, recordType);
  expect(outcome.errors).toEqual([]);
  return dnsOf(outcome)
    .response.Answer.map((record) => record.data)
    .sort();
}

describe('answers of a real name server', () => {
  it('reads every record of each type, written as dig writes it', async () => {
    expect(await dataOf('web.example.test', 'A')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await dataOf('web.example.test', 'AAAA')).toEqual(['2001:db8::1']);
    expect(await dataOf('www.example.test', 'CNAME')).toEqual(['alias.example.test.']);
    expect(await dataOf('example.test', 'MX')).toEqual(['10 mail.example.test.', '20 backup.example.net.']);
    expect(await dataOf('example.test', 'NS')).toEqual(['ns1.example.test.', 'ns2.example.test.']);
    expect(await dataOf('example.test', 'SOA')).toEqual([
      'ns1.example.test. host\\.master.example.test. 7 3600 900 604800 60',
    ]);
  });

  it('joins the strings of a text record, and keeps control characters out of the plain text', async () => {
    expect(await dataOf('example.test', 'TXT')).toEqual([
      'say "hi" \\ tab:\t grün',
      'v=spf1 include:_spf.example.net -all',
    ]);
    const { text } = dnsOf(await ask('example.test', 'TXT'));
    expect(text.split('\n').sort()).toEqual([
      'example.test.\t300\tIN\tTXT\t"say \\"hi\\" \\\\ tab:\\009 gr\\195\\188n"',
      'example.test.\t300\tIN\tTXT\t"v=spf1 include:_spf.example.net -all"',
    ]);
  });

  it('shows flags, question, resolver and a time with decimals', async () => {
    const outcome = await ask('WEB.example.test.', 'A');
    const { response, resolver, protocol, timing } = dnsOf(outcome);
    expect(response).toMatchObject({
      Status: 'NOERROR',
      TC: false,
      RD: true,
      RA: false,
      AD: false,
      CD: false,
    });
    expect(response.Question).toEqual([{ name: 'web.example.test.', type: 'A' }]);
    expect(response.Answer[0]).toMatchObject({ type: 'A', TTL: 300 });
    expect({ resolver, protocol }).toEqual({ resolver: `127.0.0.1:${knot?.port}`, protocol: 'UDP' });
    expect(outcome.responseTime).toBe(timing.total);
    expect(timing.total).toBeGreaterThan(0);
  });

  it('follows a chain of aliases to its end, and to where it breaks off', async () => {
    const whole = dnsOf(await ask('www.example.test', 'A'));
    expect(whole.chain).toEqual(['www.example.test.', 'alias.example.test.', 'web.example.test.']);
    expect(whole.response.Answer.map((record) => record.type)).toEqual(['CNAME', 'CNAME', 'A', 'A']);
    const dangling = dnsOf(await ask('dangling.example.test', 'A'));
    expect(dangling.chain).toEqual(['dangling.example.test.', 'nothing.example.test.']);
  });

  it('asks again over TCP when the answer over UDP was truncated', async () => {
    const outcome = await ask('big.example.test', 'TXT');
    const { protocol, truncated, response } = dnsOf(outcome);
    expect({ protocol, truncated, count: response.Answer.length }).toEqual({
      protocol: 'TCP',
      truncated: true,
      count: 40,
    });
    expect(outcome.hasFailures).toBe(false);
  });

  it('asks over TCP alone where the check says so', async () => {
    const outcome = await ask('web.example.test', 'A', { protocol: 'TCP' });
    expect(dnsOf(outcome)).toMatchObject({ protocol: 'TCP', truncated: false });
    expect(outcome.hasFailures).toBe(false);
  });

  it('asks for an internationalised name in its ASCII form', async () => {
    expect(await dataOf('münchen.example.test', 'A')).toEqual(['192.0.2.89']);
  });
});

describe('records of services, certificates and keys', () => {
  beforeEach((context) => needsKdig(context));

  /** Returns the records as kdig prints them, with single tabs and without quotes, which it writes only where needed. */
  async function askKdig(query: string, recordType: RecordType): Promise<readonly string[]> {
    const argv = ['@127.0.0.1', '-p', String(knot?.port), '+noall', '+answer', query, recordType];
    const { stdout } = await promisify(execFile)('kdig', argv);
    return toLines(stdout);
  }

  const toLines = (text: string): readonly string[] =>
    text
      .trim()
      .split('\n')
      .map((line) =>
        line
          .trim()
          .replaceAll(/[ \t]+/g, ' ')
          .replaceAll('"', ''),
      )
      .sort();

  it.each([
    ['caa', 'CAA'],
    ['key', 'DNSKEY'],
    ['child', 'DS'],
    ['https', 'HTTPS'],
    ['alias', 'HTTPS'],
    ['svcb', 'SVCB'],
    ['naptr', 'NAPTR'],
    ['sip', 'SRV'],
    ['none', 'SRV'],
    ['tlsa', 'TLSA'],
  ] as const)('%s %s reads as kdig prints it', async (label, recordType) => {
    const query = `${label}.services.test`;
    const outcome = await ask(query, recordType);
    expect(outcome.errors).toEqual([]);
    expect(toLines(dnsOf(outcome).text)).toEqual(await askKdig(query, recordType));
  });

  it.each(['192.0.2.1', '2001:DB8::1', '2001:db8:0:0:0:0:0:1', '1.2.0.192.in-addr.arpa.'])(
    'finds the name of %s',
    async (query) => {
      expect(await dataOf(query, 'PTR')).toEqual(['web.example.test.']);
    },
  );

  it('finds no name of another address', async () => {
    expect((await ask('192.0.2.2', 'PTR')).errors).toEqual(['2.2.0.192.in-addr.arpa PTR: answered NXDOMAIN']);
  });

  it.each([
    ['https', 'HTTPS', '1 . alpn="h3,h2" port=8443', true],
    ['https', 'HTTPS', '1 . alpn=h3,h2 port=8443', true],
    ['https', 'HTTPS', 'alpn="H3,H2"', false],
    ['https', 'HTTPS', 'ipv6hint=2001:DB8:0::1', true],
    ['https', 'HTTPS', 'ech=aex+dqbb', false],
    ['alias', 'HTTPS', '0 POOL.example.TEST.', true],
    ['key', 'DNSKEY', '257 3 13 mdsswUyr3DPW', true],
    ['key', 'DNSKEY', '257 3 13 MDSSWUYR3DPW', false],
    ['child', 'DS', '2bb183af5f22588179a53b0a98631fad1a292118', true],
    ['caa', 'CAA', '0 issuewild ";"', true],
    ['sip', 'SRV', '10 60 5060 BIG.services.test', true],
    ['svcb', 'SVCB', 'alpn="f\\\\\\\\oo\\\\,bar,h2"', true],
    ['svcb', 'SVCB', 'oo,bar,h2', false],
  ] as const)('%s %s contains %j: %s', async (label, recordType, target, holds) => {
    for (const source of ['TEXT_ANSWER', 'JSON_ANSWER'])
      for (const [comparison, passes] of [
        ['CONTAINS', holds],
        ['NOT_CONTAINS', !holds],
      ] as const) {
        if (label === 'caa' && source === 'JSON_ANSWER') continue;
        const assertion = {
          source,
          comparison,
          target,
          property: source === 'JSON_ANSWER' ? '$.Answer[0].data' : '',
        };
        const { hasFailures } = await ask(`${label}.services.test`, recordType, { assertions: [assertion] });
        expect([source, comparison, !hasFailures]).toEqual([source, comparison, passes]);
      }
  });
});

describe('response codes of a real name server', () => {
  it.each([
    ['nope.example.test', 'NXDOMAIN'],
    ['elsewhere.test', 'REFUSED'],
    ['www.broken.test', 'SERVFAIL'],
  ])('fails for %s, which answers %s, unless an assertion expects it', async (query, rcode) => {
    const outcome = await ask(query, 'A');
    expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
    expect(outcome.errors).toEqual([`${query} A: answered ${rcode}`]);
    const expected = { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: rcode };
    expect((await ask(query, 'A', { assertions: [expected] })).hasFailures).toBe(false);
    const other = { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' };
    expect((await ask(query, 'A', { assertions: [other] })).errors).toEqual([
      `RESPONSE_CODE EQUALS "NOERROR": was "${rcode}"`,
    ]);
  });

  it('fails an answer without records, unless an assertion judges it', async () => {
    const outcome = await ask('mail.example.test', 'AAAA');
    expect(outcome.errors).toEqual(['mail.example.test AAAA: the answer has no AAAA record']);
    expect(dnsOf(outcome).response.Answer).toEqual([]);
    const empty = { source: 'TEXT_ANSWER', comparison: 'IS_EMPTY' };
    expect((await ask('mail.example.test', 'AAAA', { assertions: [empty] })).errors).toEqual([]);
    const time = { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '5000' };
    expect((await ask('mail.example.test', 'AAAA', { assertions: [time] })).hasFailures).toBe(true);
  });

  it('turns pass and fail around where the check should fail', async () => {
    const missing = await ask('nope.example.test', 'A', {}, { shouldFail: true });
    expect(missing).toMatchObject({ hasFailures: false, errors: [] });
    expect(missing.details.expectedFailures).toEqual(['nope.example.test A: answered NXDOMAIN']);
    const present = await ask('web.example.test', 'A', {}, { shouldFail: true });
    expect(present.hasFailures).toBe(true);
    expect(present.errors[0]).toMatch(
      /^the check expects a failure, but the target succeeded in [\d.]+ m?s$/,
    );
  });
});

describe('assertions on a real answer', () => {
  it.each([
    ['TEXT_ANSWER', '', 'EQUALS', '192.0.2.2\n192.0.2.1', true],
    ['TEXT_ANSWER', '', 'EQUALS', 'web.example.test. 300 IN A 192.0.2.2\n192.0.2.1', true],
    ['TEXT_ANSWER', '', 'EQUALS', '192.0.2.1', false],
    ['TEXT_ANSWER', '', 'NOT_EQUALS', '192.0.2.1', true],
    ['TEXT_ANSWER', '', 'CONTAINS', 'IN A 192.0.2.2', true],
    ['TEXT_ANSWER', '', 'NOT_CONTAINS', '192.0.2.3', true],
    ['JSON_ANSWER', '$.Answer[*].data', 'EQUALS', '["192.0.2.2","192.0.2.1"]', true],
    ['JSON_ANSWER', '$.Answer[*].data', 'EQUALS', '192.0.2.1', false],
    ['JSON_ANSWER', '$.Answer[*].data', 'CONTAINS', '192.0.2.', true],
    ['JSON_ANSWER', '$.Answer[?(@.data == "192.0.2.2")]', 'NOT_EMPTY', '', true],
    ['JSON_ANSWER', '$.Answer.length', 'EQUALS', '2', true],
    ['JSON_ANSWER', '$.Answer[*].TTL', 'LESS_THAN', '301', true],
    ['JSON_ANSWER', '$.Status', 'EQUALS', 'NOERROR', true],
    ['RESPONSE_CODE', '', 'EQUALS', 'noerror', true],
    ['RESPONSE_TIME', '', 'LESS_THAN', '5000', true],
    ['RESPONSE_TIME', '', 'GREATER_THAN', '5000', false],
  ])('%s %s %s %j is %s', async (source, property, comparison, target, passes) => {
    const outcome = await ask('web.example.test', 'A', {
      assertions: [{ source, property, comparison, target }],
    });
    expect(outcome.hasFailures).toBe(!passes);
    expect(outcome.details.assertions).toMatchObject([
      { source, property, comparison, target, passed: passes },
    ]);
  });
});
