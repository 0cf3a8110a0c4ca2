/** The upside-down mode of Uptime Kuma: a check that passes whenever the monitor is down. */
import { expect, it } from 'vitest';
import type { Assertion } from '../../../../src/cli/manifest/import/assertions.ts';
import { turnUpsideDown } from '../../../../src/cli/manifest/import/uptime-kuma/upside-down.ts';

const SUCCESS = { source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '300' };
const KEYWORD = { source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'Sign in' };
const RECORD = { source: 'JSON_ANSWER', property: '$.Answer[0]', comparison: 'NOT_EMPTY' };
const ANY_STATUS = { source: 'STATUS_CODE', comparison: 'NOT_NULL' };
const ANY_CODE = { source: 'RESPONSE_CODE', comparison: 'NOT_NULL' };

const isSuccess = (code: number) => code >= 200 && code < 300;
const isTeapot = (code: number) => code === 418;

it.each<[string, string, Assertion[], (code: number) => boolean, object]>([
  ['a port', 'TCP', [], isSuccess, { shouldFail: true }],
  ['the usual statuses', 'API', [SUCCESS], isSuccess, { shouldFail: true, request: { assertions: [] } }],
  [
    'one status',
    'API',
    [SUCCESS],
    isTeapot,
    { request: { assertions: [{ source: 'STATUS_CODE', comparison: 'NOT_EQUALS', target: '418' }] } },
  ],
  [
    'a keyword',
    'API',
    [SUCCESS, KEYWORD],
    isSuccess,
    { request: { assertions: [ANY_STATUS, { ...KEYWORD, comparison: 'NOT_CONTAINS' }] } },
  ],
  [
    'a record',
    'DNS',
    [RECORD],
    isSuccess,
    { request: { assertions: [ANY_CODE, { ...RECORD, comparison: 'IS_EMPTY' }] } },
  ],
])('inverts %s', (_name, checkType, assertions, isAccepted, expected) => {
  const check = { checkType, ...(assertions.length > 0 ? { request: { assertions } } : {}) };
  const outcomes: string[] = [];
  const turned = turnUpsideDown(check, isAccepted, (outcome) => outcomes.push(outcome));
  expect(turned).toEqual({ checkType, ...expected });
  expect(outcomes).toEqual(assertions.length > 0 ? ['changed'] : []);
});

it.each([
  ['a number', [{ source: 'JSON_BODY', comparison: 'GREATER_THAN', target: '3' }]],
  ['two conditions', [KEYWORD, { ...KEYWORD, target: 'Welcome' }]],
])('pauses a check of %s, which has no opposite', (_name, assertions) => {
  const outcomes: string[] = [];
  const check = { checkType: 'API', request: { assertions } };
  expect(turnUpsideDown(check, isSuccess, (outcome) => outcomes.push(outcome))).toBe(check);
  expect(outcomes).toEqual(['paused']);
});
