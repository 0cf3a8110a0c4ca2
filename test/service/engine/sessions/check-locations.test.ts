/** The last result of a check in each location, written with each final result. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BAD, createHarness, type Harness, SLOW, START } from '../harness.ts';

const MINUTE = 60_000;
const ERROR = { hasErrors: true, errors: ['no resolver'] };
const fingerprint = Array.from({ length: 32 }, () => 'AB').join(':');
const withTls = (validTo: string, host = 'shop.example.com') => ({
  details: { tls: { host, validTo, fingerprint }, timing: { dns: 1.5, connect: 2, tls: 3, total: 9 } },
});

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

const rowsOf = (id: string) => at.store.checkLocations.ofChecks([id]);
async function runWith(check: string, ...findings: Parameters<Harness['target']['finds']>) {
  at.target.finds(...findings);
  const session = await at.run(check);
  await at.clock.advance(MINUTE);
  return session;
}
const resultIdOf = async (checkId: string) => {
  const [result] = await at.engine.results.list({ accountId: at.accountId, checkId });
  return result?.id;
};

describe('a row of a check and location', () => {
  it('has the last verdict, what it measured, and the number of results', async () => {
    const check = await at.check();
    await runWith(check, { details: { dns: { timing: { lookup: null, total: 4.25 } } }, responseTime: 4.25 });
    const good = await resultIdOf(check);
    expect(await rowsOf(check)).toEqual([
      {
        ...{ checkId: check, accountId: at.accountId, location: 'eu-west-1', status: 'passing' },
        ...{ resultId: good, goodResultId: good, startedAt: START, responseTime: 4.25 },
        ...{ phases: { query: 4.25 }, certificate: null },
        counts: { passed: 1, degraded: 0, failed: 0, errors: 0 },
      },
    ]);
    await runWith(check, SLOW);
    await runWith(check, { ...BAD, responseTime: null, details: {} });
    const [row] = await rowsOf(check);
    expect(row).toMatchObject({
      ...{ status: 'failing', goodResultId: good, startedAt: START + 2 * MINUTE, responseTime: null },
      ...{ phases: null, counts: { passed: 1, degraded: 1, failed: 1, errors: 0 } },
    });
    expect(row?.resultId).toBe(await resultIdOf(check));
  });

  it('keeps its verdict through monitor errors and cancelled runs, and counts only the errors', async () => {
    const check = await at.check();
    await runWith(check);
    const [before] = await rowsOf(check);
    await runWith(check, ERROR);
    at.target.hang();
    const session = await at.start(check);
    await at.clock.advance(1000);
    await at.clock.run(at.engine.cancelSession(at.accountId, session));
    await at.clock.advance(MINUTE);
    expect((await at.read(session)).status).toBe('CANCELLED');
    expect(await rowsOf(check)).toEqual([{ ...before, counts: { ...before?.counts, errors: 1 } }]);
    const unknown = await at.check();
    at.target.letGo();
    await runWith(unknown, ERROR);
    expect(await rowsOf(unknown)).toMatchObject([{ status: null, startedAt: null, counts: { errors: 1 } }]);
  });

  it('belongs to the location of the first attempt, wherever the retry ran', async () => {
    const retryStrategy = { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 0, sameRegion: false };
    const check = await at.check({ retryStrategy, locations: ['eu-west-1', 'us-east-1'] });
    await runWith(check, BAD, BAD);
    expect(at.target.attempts.map(({ location }) => location)).toEqual(['eu-west-1', 'us-east-1']);
    expect(await rowsOf(check)).toMatchObject([
      { location: 'eu-west-1', status: 'failing', counts: { passed: 0, failed: 1 } },
    ]);
  });

  it('ignores test sessions', async () => {
    const check = await at.check();
    await runWith(check);
    const before = await rowsOf(check);
    at.target.finds(BAD);
    const target = { checkId: [check] };
    await at.engine.testSessions.start({
      accountId: at.accountId,
      name: 'a test',
      target,
      runLocation: 'eu-west-1',
    } as never);
    await at.clock.advance(MINUTE);
    expect(at.target.attempts).toHaveLength(2);
    expect(await rowsOf(check)).toEqual(before);
  });

  it('has the certificate that was last presented: a failure before TLS says nothing about it', async () => {
    const check = await at.check();
    await runWith(check, withTls('2027-01-01T00:00:00.000Z'));
    const certificate = { host: 'shop.example.com', expiresAt: Date.parse('2027-01-01'), fingerprint };
    expect(await rowsOf(check)).toMatchObject([{ certificate, phases: { dns: 1.5, connect: 2, tls: 3 } }]);
    await runWith(check, BAD);
    expect(await rowsOf(check)).toMatchObject([{ certificate }]);
    await runWith(check, { ...BAD, ...withTls('2028-01-01T00:00:00.000Z') });
    expect(await rowsOf(check)).toMatchObject([{ certificate: { expiresAt: Date.parse('2028-01-01') } }]);
    expect(await at.store.checkLocations.withCertificate()).toHaveLength(1);
    await runWith(check);
    expect(await rowsOf(check)).toMatchObject([{ certificate: null }]);
    expect(await at.store.checkLocations.withCertificate()).toEqual([]);
  });

  it('leaves with its location and its check', async () => {
    const group = await at.group({ locations: ['eu-west-1', 'us-east-1'], runParallel: true });
    const check = await at.check({ groupId: group });
    await runWith(check);
    const locations = async () => (await rowsOf(check)).map(({ location }) => location);
    expect(await locations()).toEqual(['eu-west-1', 'us-east-1']);
    const body = { name: 'a group', locations: ['us-east-1'], runParallel: true } as never;
    await at.store.groups.replace(at.accountId, group, body);
    await at.engine.rescheduleChecks([check]);
    expect(await locations()).toEqual(['us-east-1']);
    await at.clock.run(
      at.engine.deleteCheck(at.accountId, check, (tx) => tx.checks.delete(at.accountId, check)),
    );
    expect(await locations()).toEqual([]);
  });

  it('of a run that was under way when its location was removed leaves soon after it', async () => {
    const check = await at.check({ locations: [] });
    at.target.hang();
    await at.start(check);
    await at.clock.advance(1000);
    const stored = await at.store.checks.get(at.accountId, check);
    const body = { ...stored?.body, locations: ['us-east-1'] };
    await at.store.checks.replace(at.accountId, check, { type: 'DNS', body } as never);
    await at.engine.rescheduleChecks([check]);
    at.target.letGo();
    await at.clock.advance(1000);
    expect(await rowsOf(check)).toMatchObject([{ location: 'eu-west-1' }]);
    await at.clock.advance(6 * MINUTE);
    expect(await rowsOf(check)).toEqual([]);
  });
});
