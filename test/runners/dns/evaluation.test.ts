/** The verdict on a DNS answer: its faults, and the assertions that decide instead. */
import { type Answer, encode } from 'dns-packet';
import { describe, expect, it } from 'vitest';
import type { Assertion } from '../../../src/runners/core/assertion.ts';
import { resolveAliases } from '../../../src/runners/dns/aliases.ts';
import { dnsEvaluation } from '../../../src/runners/dns/evaluation.ts';
import type { AnswerRecord } from '../../../src/runners/dns/message.ts';

const NXDOMAIN = 3;
const alias = (name: string, data: string): Answer => ({ type: 'CNAME', name, ttl: 60, data });
const assertion = (source: string, comparison: string, target: string): Assertion => ({
  ...{ source, comparison, target },
});

function evaluate(
  answers: Answer[],
  { flags = 0, name = 'www.a.test' },
  assertions: readonly Assertion[] = [],
) {
  const message = encode({ type: 'response', id: 1, flags, questions: [{ type: 'A', name }], answers });
  return dnsEvaluation.run({
    ...{ check: {}, assertions, question: { name, type: 'A' }, responseTime: 12 },
    message: message.toString('base64'),
  });
}

describe('a name that does not exist', () => {
  it.each<[string, Answer[], string]>([
    ['alone', [], 'www.a.test A: answered NXDOMAIN'],
    [
      'behind one alias',
      [alias('www.a.test', 'b.test')],
      'www.a.test A: answered NXDOMAIN; the aliases are www.a.test. → b.test.',
    ],
    [
      'behind two aliases',
      [alias('www.a.test', 'b.test'), alias('b.test', 'c.test')],
      'www.a.test A: answered NXDOMAIN; the aliases are www.a.test. → b.test. → c.test.',
    ],
  ])('%s fails with the aliases that lead to it', (_name, answers, error) => {
    expect(evaluate(answers, { flags: NXDOMAIN }).errors).toEqual([error]);
  });

  it('is an answer, in time', () => {
    const outcome = evaluate([], { flags: NXDOMAIN });
    expect(outcome).toMatchObject({ hasFailures: true, isNetworkError: false, responseTime: 12 });
    expect(outcome.isUnanswered).toBeUndefined();
  });

  it('passes if the response code is asserted, in any case', () => {
    const asserted = assertion('RESPONSE_CODE', 'EQUALS', 'nxdomain');
    expect(evaluate([], { flags: NXDOMAIN }, [asserted]).errors).toEqual([]);
  });
});

describe('a name without a record', () => {
  const FAULT = 'www.a.test A: the answer has no A record';
  const inTime = assertion('RESPONSE_TIME', 'LESS_THAN', '1000');
  const isEmpty = assertion('TEXT_ANSWER', 'IS_EMPTY', '');

  it.each<[string, readonly Assertion[], readonly string[]]>([
    ['fails without assertions', [], [FAULT]],
    ['fails with an assertion only on the response time', [inTime], [FAULT]],
    ['passes with an assertion on the answer', [isEmpty], []],
    ['passes with assertions on both', [inTime, isEmpty], []],
  ])('%s', (_name, assertions, errors) => {
    expect(evaluate([], {}, assertions).errors).toEqual(errors);
  });
});

it.each(['a name below itself', '60 aliases'])('an answer with %s ends as a failure', (name) => {
  const record = (type: 'CNAME' | 'DNAME', owner: string, target: string) =>
    ({ type, name: owner, names: [target], class: 'IN' }) as unknown as AnswerRecord;
  const records =
    name === '60 aliases'
      ? Array.from({ length: 60 }, (_, at) =>
          record('CNAME', at === 0 ? 'x.a.' : `x${at}.a.`, `x${at + 1}.a.`),
        )
      : [record('DNAME', 'a.', 'b.a.')];
  expect(resolveAliases({ name: 'x.a', type: 'A' }, records).fault).toBe(
    'the answer has more than 50 aliases in a row',
  );
});
