/** The DNS runner against a name server that others have written. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DnsCheck, RecordType } from '../../../src/runners/dns/types.ts';
import { type Knot, needsKnot, startKnot } from '../../support/dns/knot.ts';
import { dnsOf, runAt } from '../../support/dns/run.ts';

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

let knot: Knot | undefined;
beforeAll(async () => {
  knot = await startKnot({ 'example.test': ZONE, 'broken.test': null });
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
    expect(present.errors[0]).toMatch(/^the check expects a failure, but it succeeded in [\d.]+ m?s$/);
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
