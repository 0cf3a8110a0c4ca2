/** A session whose deadline really passes: an agent that lives holds its run for ever, and the gate sees TIMED_OUT. */
import { expect, it, onTestFinished } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import { createAgent, createCheckAt, createPlace, readSession } from '../service/agents/support.ts';
import { bareEnv, startSonde } from '../support/binary.ts';
import { call } from '../support/call.ts';
import { createManualClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startTestService } from '../support/service.ts';

const MINUTE = 60_000;
/** Claimed within 6 minutes, 30 s at the most, once more after an agent died, and one minute: 13 minutes for a DNS check. */
const DEADLINE_MINUTES = 13;

it('ends as TIMED_OUT at its deadline, and checks run and sessions wait exit 1 by it', async () => {
  const clock = createManualClock();
  const at = await startTestService({ clock });
  onTestFinished(() => at.close());
  const place = await createPlace(at, 'cellar');
  const check = await createCheckAt(at, ['cellar'], { name: 'held for ever' });
  const env = bareEnv(await temporaryFolder(), { SONDE_BASE_URL: at.url, SONDE_API_KEY: at.apiKey });
  const gate = startSonde(['checks', 'run', check, '--timeout', '5m', '--json'], { env });
  await gate.saw('Started 1 session');
  const agent = createAgent(place);
  const [run] = await agent.claim();
  const { entries } = await call(at, contract.listCheckSessions, { query: {} });
  const session = entries[0]?.checkSessionId ?? '';
  for (let minute = 1; minute < DEADLINE_MINUTES; minute += 1) {
    await clock.advance(MINUTE);
    expect((await agent.renew([run?.id ?? 0])).held).toEqual([run?.id]);
    expect((await readSession(at, session)).status).toBe('STARTED');
  }
  await clock.advance(MINUTE);
  await eventually(async () => expect((await readSession(at, session)).status).toBe('TIMED_OUT'));
  const { code, stdout, stderr } = await gate.ended;
  expect(code, stderr).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ checkSessionId: session, status: 'TIMED_OUT' });
  expect(await readSession(at, session)).toMatchObject({
    results: [{ hasErrors: true, hasFailures: false, aborted: true, resultType: 'FINAL' }],
  });
  const waited = await startSonde(['sessions', 'wait', session], { env }).ended;
  expect(waited.code).toBe(1);
  expect(waited.stdout).toContain('TIMED_OUT');
  // What the agent says now comes too late.
  expect((await agent.renew([run?.id ?? 0])).held).toEqual([]);
});
