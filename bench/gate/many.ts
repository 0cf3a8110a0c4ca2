/** Measures the requests of a gate over a thousand sessions, and its delay after the last one, within the usual rate limit. */
import { startLoopbackNameServer } from '../../src/runners/dns/loopback-server.ts';
import { startE2eService } from '../../test/support/e2e.ts';
import { makeManyChecks, runManyChecks } from '../../test/support/many-sessions.ts';
import { quantile, type Row } from './table.ts';

const SESSIONS = 1000;
const ROUNDS = 3;
/** The rate limit counts a minute back, in ms. */
const MINUTE_MS = 61_000;

export async function measureMany(): Promise<readonly Row[]> {
  const names = await startLoopbackNameServer({
    records: { 'good.test': [{ type: 'A', data: '192.0.2.7' }] },
  });
  const service = await startE2eService();
  const [requests, delays]: [number[], number[]] = [[], []];
  let bad = 0;
  try {
    await makeManyChecks({ service, names }, SESSIONS);
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round > 0) await new Promise((resolve) => setTimeout(resolve, MINUTE_MS));
      const { ran, ...cost } = await runManyChecks({ service, names });
      requests.push(cost.requests);
      delays.push(cost.delayMs);
      if (ran.code !== 0) bad += 1;
    }
  } finally {
    await Promise.all([service.close(), names.close()]);
  }
  const note = `${ROUNDS} runs: ${requests.join(', ')} requests, ${delays.map(Math.round).join(', ')} ms`;
  return [
    {
      what: `Requests of ${SESSIONS} sessions that pass`,
      value: Math.max(...requests) / SESSIONS,
      unit: '/session',
      most: 0.3,
      note,
    },
    { what: `Delay to the exit, ${SESSIONS} sessions`, value: quantile(delays, 1), unit: 'ms', most: 2000 },
    { what: `Wrong exit codes, ${SESSIONS} sessions`, value: bad, unit: '', most: 0 },
  ];
}
