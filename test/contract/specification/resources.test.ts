/** Walks the other resources of the specification row by row: every field, type, default and bound stands in the contract. */
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../src/contract/index.ts';
import { expectBounds, expectType, fieldAt } from './fields.ts';
import { rowsOf, sectionOf } from './markdown.ts';
import { answer, body, item } from './schemas.ts';

const page = { request: body('updateStatusPage'), response: answer('getStatusPage') };

describe('status page', () => {
  test.each(rowsOf('Status page'))('%s is %s: %s', (name, type, notes) => {
    const responseOnly = String(notes).includes('response only');
    for (const [side, schema] of Object.entries(page)) {
      const field = fieldAt(schema, String(name));
      if (side === 'request' && responseOnly) expect(field).toBeUndefined();
      else {
        expectType(field, String(type));
        expectBounds(field, String(notes));
      }
    }
    const required =
      String(notes).startsWith('required') || /required in (request|response)/.test(String(notes));
    if (required && !responseOnly) expect(page.request.required).toContain(name);
    if (String(notes) === 'required' || String(notes).includes('required in response'))
      expect(page.response.required).toContain(name);
  });
  test('cards hold name, id, statusPageId and services in a request, timestamps and services in full in an answer', () => {
    // docs/gaps.md adds fields.
    const specified = (list: JsonSchema | undefined) =>
      Object.entries(list?.items?.properties ?? {})
        .filter(([, field]) => field['x-gaps']?.includes('*') !== true)
        .map(([name]) => name);
    expect(specified(fieldAt(page.request, 'cards'))).toEqual(['name', 'id', 'statusPageId', 'services']);
    expectType(fieldAt(page.request, 'cards.services.id'), 'string');
    for (const name of ['id', 'name', 'created_at', 'updated_at'])
      expect(fieldAt(page.response, `cards.${name}`)).toBeDefined();
    expect(specified(fieldAt(page.response, 'cards.services')).toSorted()).toEqual([
      ...['accountId', 'created_at', 'id', 'name', 'updated_at'],
    ]);
  });
  test('both palettes hold the twelve colours as strings', () => {
    const [, names = ''] =
      /string members (.+)$/.exec(
        rowsOf('Status page').find(([name]) => name === 'themeColors')?.[2] ?? '',
      ) ?? [];
    expect(names.split(', ')).toHaveLength(12);
    for (const theme of ['light', 'dark']) {
      for (const colour of names.split(', '))
        expectType(fieldAt(page.request, `themeColors.${theme}.${colour}`), 'string');
    }
  });
});

describe.each([
  ['Maintenance window', answer('getMaintenanceWindow')],
  ['Maintenance window', item(answer('listMaintenanceWindows'))],
  ['Check session', answer('getCheckSession')],
  ['Check session', answer('awaitCheckSession')],
  ['Test session', answer('getTestSession')],
  ['Error group', answer('updateErrorGroup')],
  ['Error group', item(answer('listErrorGroups'))],
])('%s', (title, schema) => {
  test.each(rowsOf(title))(`%s is %s: %s (${schema.title})`, (name, type, notes) => {
    const field = fieldAt(schema, String(name));
    // stoppedAt is the one field whose nullability depends on the endpoint.
    const cell =
      title === 'Check session' && name === 'stoppedAt' && schema.title === 'CheckSession'
        ? 'date-time or null'
        : String(type);
    expectType(field, cell);
    const required = /^required/.test(String(notes));
    expect(schema.required?.includes(String(name)) ?? false, 'required').toBe(required);
    const [, members = ''] =
      /(?:items: |repoUrl|^)((?:\w+ \(|enabled|environment).+)/.exec(String(notes)) ?? [];
    for (const member of members.replaceAll(/\([^)]*\)/g, '').match(/[a-z]\w+/g) ?? []) {
      expect(fieldAt(schema, `${name}.${member}`), member).toBeDefined();
    }
  });
});

test('check session results hold what their sentence names', () => {
  const [, sentence = ''] = /Result items: (.+)\./.exec(sectionOf('Check session').prose) ?? [];
  const names = sentence.replaceAll(/\([^)]*\)/g, '').match(/\w+/g) ?? [];
  expect(names).toHaveLength(10);
  for (const name of names) expect(fieldAt(answer('getCheckSession'), `results.${name}`), name).toBeDefined();
  for (const name of ['checkResultId', 'checkId'])
    expectType(fieldAt(answer('getCheckSession'), `results.${name}`), 'uuid');
});

test('a raw result carries every meaning that the specification lists', () => {
  const record = item(answer('listCheckResultsDeprecated')).properties ?? {};
  for (const name of [
    'resultType',
    'id',
    'name',
    'checkId',
    'hasFailures',
    'hasErrors',
    'isDegraded',
    'isCancelled',
    'overMaxResponseTime',
    'runLocation',
    'responseTime',
    'apiCheckResult',
    'browserCheckResult',
    'multiStepCheckResult',
    'agenticCheckResult',
    'checkRunId',
    'attempts',
    'sequenceId',
    'errorGroupIds',
  ]) {
    expect(record[name], name).toBeDefined();
  }
  for (const name of ['apiCheckResult', 'browserCheckResult', 'multiStepCheckResult', 'agenticCheckResult']) {
    expect(record[name]?.type).toContain('null');
  }
});
