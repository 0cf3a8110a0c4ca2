/** The documented 429s, end to end: what is refused, what is said of it, and what waiting for it comes to. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import { DEFAULT_LIMITS } from '../../src/service/http/server/http-limits.ts';
import { createTarget } from '../service/engine/harness.ts';
import { bareEnv, errorOf, sonde, sondeInTerminal, watchSonde } from '../support/binary.ts';
import { byHand } from '../support/by-hand.ts';
import { call } from '../support/call.ts';
import { createManualClock } from '../support/clock.ts';
import { emptyHome } from '../support/e2e.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** What a key may ask in a minute here: the static addresses share it with all other endpoints. */
const A_MINUTE = 40;
/** The deprecated listing's own rate, per ten seconds (specification, Limits). */
const LISTINGS = 5;
const SECOND = 1000;

/** The rate windows move only when a test advances the clock. */
const clock = createManualClock(Date.now());
let service: TestService;
let user: Awaited<ReturnType<typeof emptyHome>>;
let env: Readonly<Record<string, string>>;
let checkId: string;
beforeAll(async () => {
  user = await emptyHome();
  service = await startTestService({
    clock,
    engine: { runners: { DNS: createTarget().runner } },
    limits: { rates: { ...DEFAULT_LIMITS.rates, standard: { requests: A_MINUTE, windowSeconds: 60 } } },
  });
  const { url, apiKey, accountId } = service;
  env = bareEnv(user.home, { SONDE_BASE_URL: url, SONDE_API_KEY: apiKey, SONDE_ACCOUNT_ID: accountId });
  const request = { query: 'good.test' };
  const check = await call(service, contract.createDnsCheck, {
    body: { name: 'a', request, heartbeat: {}, script: '', ...byHand(clock.now()) },
  });
  checkId = String(check.id);
  const { sessions } = await call(service, contract.triggerCheckSessions, {
    body: { target: { checkId: [checkId] } },
  });
  const params = { checkSessionId: String(sessions[0]?.checkSessionId) };
  await call(service, contract.awaitCheckSession, { params });
});
afterAll(async () => {
  await service.close();
  await user.remove();
});

const run = (...args: readonly string[]) => sonde(args, { env });

/** Asks until it is refused, and gives the refusal and how many were answered before. */
async function exhaust(line: string, atMost: number) {
  for (let answered = 0; answered <= atMost; answered += 1) {
    const answer = await send(service, line);
    if (answer.status === 429) return { answer, answered };
    expect(answer.status).toBe(200);
  }
  throw new Error(`${line} was answered more than ${atMost} times`);
}

const REFUSED = { statusCode: 429, error: 'Too Many Requests', message: expect.any(String), attributes: {} };

describe('the deprecated listing of results (endpoint 20)', () => {
  const listing = () => ['checks', 'results', checkId, '--deprecated-listing'];

  it('refuses the sixth request in ten seconds, with Retry-After; the client says when to come back, exit 6', async () => {
    const { answer, answered } = await exhaust(`GET /v1/check-results/${checkId}`, LISTINGS);
    expect(answered).toBe(LISTINGS);
    expect(answer.body).toEqual(REFUSED);
    expect(answer.headers.get('retry-after')).toBe('10');

    const { code, stdout, stderr } = await run(...listing(), '--retry-budget', '0s', '--json');
    expect(code, stderr).toBe(6);
    expect(stdout).toBe('');
    const hint = expect.stringMatching(/^retry in \d+ s, at \d{4}-/);
    expect(errorOf(stderr)).toMatchObject({ kind: 'api', status: 429, hint });
  });

  it('is waited for as long as Retry-After says, which is announced', async () => {
    await clock.advance(10 * SECOND);
    await exhaust(`GET /v1/check-results/${checkId}`, LISTINGS);
    await clock.advance(9 * SECOND);
    const waiting = watchSonde([...listing(), '--retry-budget', '60s'], { env });
    await waiting.saw('429 Too Many Requests; retrying in 1.0 s');
    await clock.advance(SECOND);
    const { code, stdout, stderr } = await waiting.ended;
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('PASSED');
  });
});

describe('the static source addresses (endpoint 19)', () => {
  it('are refused beyond the rate, also to a person, with exit 6', async () => {
    const { answer } = await exhaust('GET /v1/static-ips-by-region', A_MINUTE);
    expect(answer.body).toEqual(REFUSED);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);

    const { code, stdout, stderr } = await run('static-ips', '--retry-budget', '1s', '--json');
    expect(code, stderr).toBe(6);
    expect(stdout).toBe('');
    expect(errorOf(stderr)).toMatchObject({ status: 429, endpoint: 'GET /v1/static-ips-by-region' });

    const shown = await sondeInTerminal(['static-ips', '--retry-budget', '0s'], { env });
    expect(shown.code).toBe(6);
    expect(shown.screen).toContain('retry in');
  });
});
