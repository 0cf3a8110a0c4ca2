/** What a person sees half way through a dialogue, and at its end. */
import { describe, test } from 'vitest';
import { listCheckSessions, listPrivateLocations } from '../../src/contract/index.ts';
import { expectScreen } from '../support/screen/capture.ts';
import { serveStill, still } from '../support/screen/service.ts';
import { failedSession, passedSession, runningSession } from './sessions.ts';

const START = ['checks', 'create-dns'];
const KEYS = [
  ['Name of the check:', 'Apex record\r'],
  ['Domain name to query:', 'example.com\r'],
  ['Record type to query:', '\r'],
  ['Name server', '\r'],
] as const;

describe('sonde checks create-dns, typed bare', () => {
  test("the locations, by region, the account's own first", async () => {
    const cellar = {
      id: '3f0c9f34-51b8-4c1d-8a6b-90d3f5e2a711',
      name: 'The cellar',
      slugName: 'cellar',
      keys: [],
      created_at: '2026-11-20T08:00:00.000Z',
      lastSeen: null,
      agentCount: 0,
    };
    const env = await serveStill(still(listPrivateLocations, [cellar]));
    await expectScreen('asking-locations', START, { env, keys: KEYS, until: 'Enter done' });
  });

  test('the comparisons, and when each holds', async () => {
    const env = await serveStill(still(listPrivateLocations, []));
    const keys = [
      ...KEYS,
      ['Locations:', 'london\r\r'],
      ['Frequency:', '\r'],
      ['Assertions on the response:', 'another\r'],
      ['Source:', '\r'],
    ] as const;
    await expectScreen('asking-comparison', START, { env, keys, until: 'NOT_NULL' });
  });

  test('what is asked before it is sent', async () => {
    const env = await serveStill(still(listPrivateLocations, []));
    const keys = [
      ...KEYS,
      ['Locations:', 'london\r\r'],
      ['Frequency:', '\r'],
      ['Assertions on the response:', '\r'],
      ['Add another assertion?', '\r'],
    ] as const;
    await expectScreen('asking-summary', START, { env, keys, until: 'Create this check?' });
  });
});

test('sonde sessions get, typed bare: the sessions, the most recent first', async () => {
  const entries = [runningSession, failedSession, passedSession];
  const env = await serveStill(still(listCheckSessions, { entries, nextId: null, length: 3 }));
  await expectScreen('asking-session', ['sessions', 'get'], { env, until: 'to search' });
});
