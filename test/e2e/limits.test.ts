/** The documented 429s, end to end: what is refused, what is said of it, and what waiting for it comes to. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, sonde, sondeInTerminal } from '../support/binary.ts';
import type { E2eService } from '../support/e2e.ts';
import { makeSession, startWorld } from './world.ts';

/** What a key may ask in a minute here: the static addresses share it with all other endpoints. */
const A_MINUTE = 40;
/** The deprecated listing's own rate, per ten seconds (specification, Limits). */
const LISTINGS = 5;

let service: E2eService;
let checkId: string;
beforeAll(async () => {
  const world = await startWorld(A_MINUTE);
  service = world.service;
  try {
    ({ checkId } = await makeSession(world));
  } finally {
    await world.names.close();
  }
});
afterAll(() => service.close());

const run = (...args: readonly string[]) => sonde(args, { env: service.env });

/** Asks until it is refused, and gives the refusal and how many were answered before. */
async function exhaust(line: string, atMost: number) {
  for (let answered = 0; answered <= atMost; answered += 1) {
    const answer = await service.api(line);
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
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);

    const { code, stdout, stderr } = await run(...listing(), '--retry-budget', '0s', '--json');
    expect(code, stderr).toBe(6);
    expect(stdout).toBe('');
    const hint = expect.stringMatching(/^come back in \d+ s, at \d{4}-/);
    expect(errorOf(stderr)).toMatchObject({ kind: 'api', status: 429, hint });
  });

  it('is waited for as long as Retry-After says, which is announced', async () => {
    await exhaust(`GET /v1/check-results/${checkId}`, LISTINGS);
    const { code, stdout, stderr } = await run(...listing(), '--retry-budget', '20s');
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('PASSED');
    expect(stderr).toMatch(/429 Too Many Requests; trying again in \d+(\.\d+)? s/);
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

    const shown = await sondeInTerminal(['static-ips', '--retry-budget', '0s'], { env: service.env });
    expect(shown.code).toBe(6);
    expect(shown.screen).toContain('come back in');
  });
});
