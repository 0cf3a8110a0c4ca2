import { describe, expect, it } from 'vitest';
import {
  anyOfRecord,
  recordAssertion,
  recordCondition,
  STATUS_CODES,
  statusAssertions,
} from '../../../../src/cli/manifest/import/assertions.ts';
import { evaluateAssertion } from '../../../../src/runners/assertions/evaluate-assertions.ts';
import { selectJsonPath } from '../../../../src/runners/assertions/jsonpath.ts';
import { complete } from '../../../../src/runners/assertions/observed.ts';
import { measured, selectFrom } from '../../../../src/runners/assertions/subject.ts';

describe('assertions of status codes', () => {
  it.each([
    [[200, 299]],
    [[100, 404]],
    [[404, 999]],
    [
      [204, 204],
      [207, 226],
    ],
    [
      [200, 228],
      [300, 300],
      [311, 399],
    ],
    [
      [100, 199],
      [395, 612],
      [990, 999],
    ],
  ])('hold for exactly %j %j %j', (...ranges) => {
    const isAccepted = (code: number) => ranges.some(([from = 0, to = 0]) => from <= code && code <= to);
    const assertions = statusAssertions(isAccepted);
    const passing = STATUS_CODES.filter((code) =>
      assertions.every((each) => evaluateAssertion(each, measured(code)).passed),
    );
    expect(passing).toEqual(STATUS_CODES.filter(isAccepted));
  });
});

describe('assertions of DNS records', () => {
  const subjectOf = (type: string, data: string, property = '') =>
    selectFrom(complete({ Answer: [{ type, data }] }), (document) => selectJsonPath(document, property));

  it.each([
    ['PTR', 'web\\.example\\.test', 'web.example.test.', 'web.example.test.other.'],
    ['SRV', 'big\\.example\\.test', '10 60 5060 big.example.test.', '10 60 5060 x.big.example.test.'],
    ['CAA', 'ca\\.example', '0 issue "ca.example"', '0 issuewild "ca.example"'],
    ['CAA', `ca${anyOfRecord('CAA')}`, '0 issue "ca.example; account=1"', '0 issue "other.example"'],
    ['SOA', 'ns1\\.test', 'ns1.test. host.test. 7 3600 900 604800 60', 'ns2.test. ns1.test. 7 1 1 1 1'],
  ])('of the type %s with %s hold for %j, not for %j', (type, pattern, good, bad) => {
    const assertion = recordAssertion(type, [recordCondition(type, pattern)]);
    const passes = (data: string, ofType = type) =>
      evaluateAssertion(assertion, subjectOf(ofType, data, assertion.property)).passed;
    expect([passes(good), passes(bad), passes(good, 'A')]).toEqual([true, false, false]);
  });
});
