/** Integers that JavaScript cannot distinguish compare by their digits, wherever they are. */
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../src/base/exact-numbers.ts';
import { evaluateAssertion } from '../../../src/runners/assertions/evaluate-assertions.ts';
import { selectJsonPath } from '../../../src/runners/assertions/jsonpath.ts';
import type { JsonValue } from '../../../src/runners/core/assertion.ts';
import { toSubject } from '../../support/assertions.ts';

const evaluate = (body: string, property: string, comparison: string, target: string) =>
  evaluateAssertion(
    { source: 'JSON_BODY', property, comparison, target },
    toSubject(selectJsonPath(parseExact(body) as JsonValue, property)),
  );

const ID = '12345678901234567891';
const NEXT = '12345678901234567892';
/** Larger than the largest number of JavaScript. */
const HUGE = '9'.repeat(400);

describe('a large integer', () => {
  it.each([
    [ID, 'EQUALS', ID, true],
    [ID, 'EQUALS', ` ${ID} `, true],
    [ID, 'EQUALS', `+00${ID}.00`, true],
    [ID, 'EQUALS', '1.2345678901234567891e19', true],
    [ID, 'EQUALS', '123456789012345678910E-1', true],
    [ID, 'EQUALS', NEXT, false],
    [ID, 'EQUALS', `${ID}.5`, false],
    [ID, 'EQUALS', `0.${ID}`, false],
    [ID, 'NOT_EQUALS', NEXT, true],
    [ID, 'NOT_EQUALS', ID, false],
    [ID, 'LESS_THAN', NEXT, true],
    [NEXT, 'LESS_THAN', ID, false],
    [ID, 'LESS_THAN', ID, false],
    [NEXT, 'GREATER_THAN', ID, true],
    [ID, 'GREATER_THAN', NEXT, false],
    [ID, 'GREATER_THAN', '5', true],
    [`-${ID}`, 'EQUALS', `-${ID}`, true],
    [`-${ID}`, 'GREATER_THAN', `-${NEXT}`, true],
    [`-${ID}`, 'LESS_THAN', `-${NEXT}`, false],
    ['1e20', 'EQUALS', '100000000000000000000', true],
    ['1e20', 'LESS_THAN', '100000000000000000001', true],
    // Both have the same nearest number in JavaScript, but not the same count of digits.
    ['99999999999999999999999', 'LESS_THAN', '100000000000000000000000', true],
    ['100000000000000000000000', 'GREATER_THAN', '99999999999999999999999', true],
    [HUGE, 'EQUALS', HUGE, true],
    [HUGE, 'EQUALS', `${HUGE.slice(1)}8`, false],
    ['1e400', 'EQUALS', `1${'0'.repeat(400)}`, true],
    ['1e400', 'EQUALS', '2e400', false],
  ])('%s %s %s: %s', (number, comparison, target, holds) => {
    expect(evaluate(`{"id":${number}}`, '$.id', comparison, target).passed).toBe(holds);
    expect(
      evaluate(`{"items":[{"id":0},{"id":${number}}]}`, '$.items[1].id', comparison, target).passed,
    ).toBe(holds);
  });

  it.each([
    [`{"items":[1,{"id":${ID}}]}`, '$', true],
    [`{"items":[1,{"id":${NEXT}}]}`, '$', false],
    [`{ "items": [1.0, {"id": ${ID}.0}] }`, '$', true],
    [`[1,{"id":${ID}}]`, '$.items', true],
    [`[1,{"id":${NEXT}}]`, '$.items', false],
    [`{"id":${ID}}`, '$.items[1]', true],
    [`{"id":${NEXT}}`, '$.items[1]', false],
  ])('in a document EQUALS %s from %s: %s', (target, property, holds) => {
    expect(evaluate(`{"items":[1,{"id":${ID}}]}`, property, 'EQUALS', target).passed).toBe(holds);
  });

  it('in an array or an object is a value of it, and its neighbour is not', () => {
    for (const body of [`[1,${ID}]`, `{"a":1,"b":${ID}}`]) {
      expect(evaluate(body, '$', 'HAS_VALUE', ID).passed).toBe(true);
      expect(evaluate(body, '$', 'HAS_VALUE', NEXT).passed).toBe(false);
    }
    expect(evaluate(`[${ID},${NEXT}]`, '$', 'EQUALS', `[${ID},${ID}]`).passed).toBe(false);
  });

  it('among several values equals the same one of an array', () => {
    const ids = `[{"id":1},{"id":${ID}}]`;
    expect(evaluate(ids, '$[*].id', 'EQUALS', `[${ID},1]`).passed).toBe(true);
    expect(evaluate(ids, '$[*].id', 'EQUALS', `[${NEXT},1]`).passed).toBe(false);
  });

  it.each([
    ['9007199254740992', 9007199254740992],
    [ID, ID],
    ['1e400', '1e400'],
  ])('%s is shown as %j', (number, actual) => {
    expect(evaluate(`{"id":${number}}`, '$.id', 'NOT_NULL', '')).toMatchObject({ passed: true, actual });
    expect(evaluate(`{"id":${number}}`, '$.id', 'IS_NULL', '').message).toBe(
      `JSON_BODY $.id IS_NULL: was ${number}`,
    );
  });
});
