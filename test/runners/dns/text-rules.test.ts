/** How the spellings of names, addresses and texts in targets compare with an answer. */
import { describe, expect, it } from 'vitest';
import type { Assertion } from '../../../src/runners/core/assertion.ts';
import { dnsEvaluation } from '../../../src/runners/dns/evaluation.ts';
import type { Question } from '../../../src/runners/dns/query.ts';

/** The bytes of a name, where a label may have any byte. */
const nameOf = (...labels: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([
    ...labels.map((label) =>
      Buffer.concat([Buffer.of(label.length), Buffer.from(label as string, 'latin1')]),
    ),
    Buffer.of(0),
  ]);

function record(owner: Buffer, code: number, data: Buffer, recordClass = 1): Buffer {
  const fixed = Buffer.from('00000001000000003c0000'.slice(0, 20), 'hex');
  fixed.writeUInt16BE(code, 0);
  fixed.writeUInt16BE(recordClass, 2);
  fixed.writeUInt32BE(60, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

/** A well-formed reply without a question. */
function replyWith(...records: readonly Buffer[]): string {
  const header = Buffer.from('000081800000000000000000', 'hex');
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, ...records]).toString('base64');
}

/** Returns the failures of assertions on a reply, or of none. */
function judge(question: Question, message: string, assertions: readonly Assertion[]): readonly string[] {
  const check = { degradedResponseTime: null, maxResponseTime: null, shouldFail: false };
  return dnsEvaluation.run({ check, assertions, question, message, responseTime: 1 }).errors;
}

const OPPOSITES = { EQUALS: 'NOT_EQUALS', CONTAINS: 'NOT_CONTAINS' } as const;

/** Checks a comparison and its opposite, of which exactly one must hold. */
function expectBoth(
  [question, message]: readonly [Question, string],
  [source, property, comparison, target, regex]: readonly [
    string,
    string,
    'EQUALS' | 'CONTAINS',
    string,
    string?,
  ],
  holds: boolean,
): void {
  const assertion = { source, property, target, regex: regex ?? '' };
  expect(judge(question, message, [{ ...assertion, comparison }]).length === 0).toBe(holds);
  const opposite = OPPOSITES[comparison];
  expect(judge(question, message, [{ ...assertion, comparison: opposite }]).length === 0).toBe(!holds);
}

const WWW = nameOf('wWw', 'Test');
const WEB = nameOf('WEB', 'test');

describe('names and addresses', () => {
  const addresses = [
    { name: 'www.test', type: 'AAAA' },
    replyWith(record(WWW, 5, WEB), record(WEB, 28, Buffer.from('20010db8000000000000000000000001', 'hex'))),
  ] as const;

  it.each([
    ['TEXT_ANSWER', '', 'EQUALS', '2001:DB8:0::1\nweb.TEST.', true],
    ['TEXT_ANSWER', '', 'EQUALS', '  WEB.test.\r\n\r\n2001:db8::1\n', true],
    [
      'TEXT_ANSWER',
      '',
      'EQUALS',
      'web.test. 60 IN AAAA 2001:db8::1\nwww.test.\t\t60\tIN\tCNAME\tweb.test.',
      true,
    ],
    ['TEXT_ANSWER', '', 'EQUALS', 'web.test\n2001:db8:0:0:0:0:0:1', true],
    ['TEXT_ANSWER', '', 'EQUALS', '2001:db8::1', false],
    ['TEXT_ANSWER', '', 'EQUALS', '2001:db8::1\n2001:db8::1', false],
    ['TEXT_ANSWER', '', 'EQUALS', '2001:db8::1\nweb.test.\n2001:db8::2', false],
    ['TEXT_ANSWER', '', 'EQUALS', '', false],
    ['TEXT_ANSWER', '', 'CONTAINS', 'Web.Test.', true],
    ['TEXT_ANSWER', '', 'CONTAINS', '2001:0DB8:0000::1', true],
    ['TEXT_ANSWER', '', 'CONTAINS', '2001:db8::2', false],
    ['JSON_ANSWER', '$.Answer[0].data', 'EQUALS', 'WEB.test', true],
    ['JSON_ANSWER', '$.Answer[0].name', 'EQUALS', 'WWW.TEST.', true],
    ['JSON_ANSWER', '$.Answer[1].data', 'EQUALS', '2001:DB8::0001', true],
    ['JSON_ANSWER', '$.Answer[?@.name == "WEB.TEST."].data', 'EQUALS', '2001:db8::1', true],
    ['JSON_ANSWER', '$.Answer[?@.data == "2001:DB8:0::1"].name', 'EQUALS', 'web.test.', true],
    ['JSON_ANSWER', '$.Answer[?match(@.data, "WEB.*")].name', 'EQUALS', 'www.test.', true],
    ['JSON_ANSWER', '$.Answer[*].data', 'EQUALS', '["2001:DB8::1", "Web.test."]', true],
  ] as const)('%s %s %s %j: %s', (source, property, comparison, target, holds) => {
    expectBoth(addresses, [source, property, comparison, target], holds);
  });

  it('match regular expressions in any case', () => {
    expectBoth(addresses, ['TEXT_ANSWER', '', 'EQUALS', 'WEB', 'CNAME\\t(WEB)\\.'], true);
    const absent = { source: 'TEXT_ANSWER', comparison: 'IS_EMPTY', regex: 'WEB\\.TEST' };
    expect(judge(...addresses, [absent])).toHaveLength(1);
  });

  it('escape what zone files escape', () => {
    const odd = nameOf('a.b', Buffer.from([0, 255, 34, 59]), 'c\\d');
    const aliases = [{ name: 'www.test', type: 'CNAME' }, replyWith(record(WWW, 5, odd))] as const;
    const written = 'a\\.b.\\000\\255\\"\\;.c\\\\d.';
    expectBoth(aliases, ['JSON_ANSWER', '$.Answer[0].data', 'EQUALS', written], true);
    expectBoth(aliases, ['TEXT_ANSWER', '', 'CONTAINS', written], true);
  });
});

describe('texts', () => {
  const textOf = (...strings: readonly (string | Buffer)[]) =>
    [
      { name: 'www.test', type: 'TXT' },
      replyWith(
        record(
          WWW,
          16,
          Buffer.concat(
            strings.map((one) => Buffer.concat([Buffer.of(Buffer.from(one).length), Buffer.from(one)])),
          ),
        ),
      ),
    ] as const;

  it.each([
    ['said "hi"', true],
    ['said \\"hi\\"', true],
    ['he said "hi" \\ ; für', true],
    ['"he said \\"hi\\" \\\\ ; f\\195\\188r"', true],
    ['"he said \\"hi\\" \\\\ \\; für"', true],
    ['f\\195\\188r', true],
    ['WWW.test. 60 IN TXT "he said', true],
    ['He said', false],
    ['fur', false],
  ])('contain %j: %s', (target, holds) => {
    const text = textOf('he said "hi" ', '\\ ; für');
    expectBoth(text, ['TEXT_ANSWER', '', 'CONTAINS', target], holds);
    if (!target.includes('IN TXT'))
      expectBoth(text, ['JSON_ANSWER', '$.Answer[0].data', 'CONTAINS', target], holds);
  });

  it.each([
    ['v=DKIM1; p=AAAA', true],
    ['"v=DKIM1; p=AAAA"', true],
    ['"v=DKIM1; p=" "AAAA"', true],
    ['"v=DKIM1\\; p=AAAA"', true],
    ['www.TEST. 60 IN TXT "v=DKIM1; p=" "AAAA"', true],
    ['v=DKIM1; p=aaaa', false],
    ['v=DKIM1; p=AAA', false],
  ])('equal %j: %s', (target, equal) => {
    expectBoth(textOf('v=DKIM1; p=', 'AAAA'), ['TEXT_ANSWER', '', 'EQUALS', target], equal);
  });

  it('that are not UTF-8 match as bytes and as Latin-1', () => {
    const text = textOf(Buffer.from('TELECOMUNICA\xc7\xd5ES', 'latin1'));
    for (const target of ['TELECOMUNICA\\199\\213ES', 'TELECOMUNICAÇÕES']) {
      expectBoth(text, ['TEXT_ANSWER', '', 'EQUALS', target], true);
      expectBoth(text, ['JSON_ANSWER', '$.Answer[0].data', 'CONTAINS', target], true);
    }
  });

  it('are searched in each spelling', () => {
    const absent = { source: 'TEXT_ANSWER', comparison: 'IS_EMPTY', regex: 'said "hi"' };
    expect(judge(...textOf('he said "hi"'), [absent])).toHaveLength(1);
    expect(judge(...textOf('he said'), [absent])).toEqual([]);
  });
});

describe('an answer without assertions', () => {
  const ADDRESS = Buffer.of(192, 0, 2, 1);
  const OTHER = nameOf('other', 'test');
  const OTHER_OWNER = 'the A records of the answer belong to web.test., not to www.test.';
  it.each<[string, readonly Buffer[], string | undefined]>([
    ['a record', [record(WWW, 1, ADDRESS)], undefined],
    ['an alias', [record(WEB, 1, ADDRESS), record(WWW, 5, WEB)], undefined],
    [
      'a DNAME',
      [record(nameOf('test'), 39, nameOf('o', 'x')), record(nameOf('www', 'o', 'x'), 1, ADDRESS)],
      undefined,
    ],
    ['nothing', [], 'the answer has no A record'],
    [
      'an alias alone',
      [record(WWW, 5, WEB)],
      'www.test. → web.test. (CNAME), but the answer has no A record of web.test.',
    ],
    [
      'a loop',
      [record(WWW, 5, WEB), record(WEB, 5, WWW)],
      'the aliases (CNAME) form a loop: www.test. → web.test. → www.test.',
    ],
    [
      'another owner',
      [record(OTHER, 1, ADDRESS)],
      'the A records of the answer belong to other.test., not to www.test.',
    ],
    ['another class', [record(WWW, 1, ADDRESS, 3)], 'the A records of www.test. are not of the class IN'],
    ['an alias of another class', [record(WWW, 5, WEB, 3), record(WEB, 1, ADDRESS)], OTHER_OWNER],
    ['another type', [record(WWW, 16, Buffer.of(1, 65))], 'the answer has no A record'],
  ])('that has %s', (_, records, fault) => {
    const errors = judge({ name: 'WWW.test', type: 'A' }, replyWith(...records), []);
    expect(errors).toEqual(fault === undefined ? [] : [`WWW.test A: ${fault}`]);
  });

  it('resolves an alias that is asked for', () => {
    expect(judge({ name: 'www.test', type: 'CNAME' }, replyWith(record(WWW, 5, WEB)), [])).toEqual([]);
  });
});
