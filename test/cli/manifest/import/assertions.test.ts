import { describe, expect, it } from 'vitest';
import { STATUS_CODES, statusAssertions } from '../../../../src/cli/manifest/import/assertions.ts';
import { measured } from '../../../../src/runners/assertions/subject.ts';
import { evaluateAssertion } from '../../../../src/runners/assertions.ts';

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
