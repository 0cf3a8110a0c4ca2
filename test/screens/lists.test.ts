/** What lists look like to a person: long messages, wide letters, nothing at all. */
import { describe, test } from 'vitest';
import {
  getCheckSession,
  listCheckResults,
  listCheckSessions,
  listErrorGroups,
  listStaticIpsByRegion,
} from '../../src/contract/index.ts';
import { expectScreen } from '../support/screen/capture.ts';
import { serveStill, still } from '../support/screen/service.ts';
import { failedSession } from './sessions.ts';

const CHECK = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
const MESSAGE =
  'TEXT_ANSWER CONTAINS "v=spf1 include:_spf.example.com include:mail.example.com -all": was "example.com. 300 IN TXT v=spf1 -all", from the name server 192.0.2.53, asked three times over UDP';
const group = (number: number, message: string, more: object = {}) => ({
  id: `a000000${number}-0000-4000-8000-000000000000`,
  checkId: CHECK,
  errorHash: 'hash',
  rawErrorMessage: message,
  cleanedErrorMessage: message,
  firstSeen: '2026-11-01T12:00:00.000Z',
  lastSeen: '2026-11-21T11:57:00.000Z',
  archivedUntilNextEvent: false,
  rootCauseAnalyses: [],
  ...more,
});
const result = (number: number, runLocation: string, errors: readonly string[], took: number) => ({
  id: `a000000${number}-0000-4000-8000-000000000000`,
  name: 'Apex record',
  checkId: CHECK,
  hasFailures: errors.length > 0,
  hasErrors: false,
  isDegraded: false,
  runLocation,
  startedAt: '2026-11-21T11:57:00.000Z',
  responseTime: took,
  attempts: number - 4,
  resultType: 'FINAL' as const,
  errors: [...errors],
});
const results = {
  entries: [
    result(4, 'ap-northeast-1', [MESSAGE], 38.2),
    result(5, 'eu-central-1', [], 9.31),
    result(6, 'us-east-1', ['日本語の長いエラーメッセージは単語の間に空白がありません'], 62_510),
  ],
  nextId: 'YTAwMDAwMDY',
  length: 3,
};

describe('a list', () => {
  test('of error groups breaks long messages into lines', async () => {
    const groups = [
      group(1, MESSAGE),
      group(2, 'connect ECONNREFUSED <ip>', { archivedUntilNextEvent: true }),
      group(3, 'took <duration>, the limit is <duration>', { archiveForEver: true }),
    ];
    const env = await serveStill(still(listErrorGroups, groups));
    await expectScreen('error-groups-list', ['error-groups', 'list', CHECK], { env });
  });

  test('of results tells what went wrong, and how to see more', async () => {
    const env = await serveStill(still(listCheckResults, results));
    await expectScreen('checks-results', ['checks', 'results', CHECK], { env });
  });

  test('of addresses has a row a region', async () => {
    const addresses = {
      'eu-west-1': [...Array.from({ length: 9 }, (_, index) => `192.0.2.${index}`)],
      'us-east-1': ['198.51.100.7'],
    };
    const env = await serveStill(still(listStaticIpsByRegion, addresses));
    await expectScreen('static-ips', ['static-ips'], { env });
  });

  test('of nothing says what to do', async () => {
    const env = await serveStill(still(listCheckSessions, { entries: [], nextId: null, length: 0 }));
    await expectScreen('sessions-list-empty', ['sessions', 'list'], { env });
  });
});

test('a session that failed tells why, and how long each location took', async () => {
  const told = failedSession.results.flatMap(
    ({ checkResultId = '', runLocation = '', hasFailures }, index) => [
      { ...result(4, runLocation, hasFailures ? [MESSAGE] : [], 21.5 * (index + 1)), id: checkResultId },
    ],
  );
  const env = await serveStill(
    still(getCheckSession, failedSession),
    still(listCheckResults, { entries: told, nextId: null, length: told.length }),
  );
  await expectScreen('sessions-get-told', ['sessions', 'get', failedSession.checkSessionId], { env });
});
