/** Error groups: which failures they collect, and their archive. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BAD, createHarness, createTarget, type Harness, START } from '../harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

const groupsOf = (checkId: string) => at.engine.errorGroups.list({ accountId: at.accountId, checkId });

describe('error groups', () => {
  it('collect failures that differ only in numbers, with the times of the first and the last', async () => {
    const check = await at.check();
    for (const ms of [1203.2, 1877]) {
      at.target.finds({ hasFailures: true, errors: [`took ${ms} ms, the limit is 1000 ms`] });
      await at.run(check);
      await at.clock.advance(60_000);
    }
    at.target.finds(BAD);
    await at.run(check);
    const groups = await groupsOf(check);
    expect(groups).toHaveLength(2);
    expect(groups[1]).toMatchObject({
      checkId: check,
      rawErrorMessage: 'took 1203.2 ms, the limit is 1000 ms',
      cleanedErrorMessage: 'took <duration>, the limit is <duration>',
      errorHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      firstSeen: new Date(START).toISOString(),
      lastSeen: new Date(START + 60_000).toISOString(),
      archivedUntilNextEvent: false,
    });
    const results = await at.engine.results.list({ accountId: at.accountId, checkId: check });
    expect(results.map(({ errorGroupIds }) => errorGroupIds)).toEqual([
      [groups[0]?.id],
      [groups[1]?.id],
      [groups[1]?.id],
    ]);
  });

  it('leave the archive at the next event, unless archived for ever', async () => {
    const check = await at.check();
    const fail = async () => {
      at.target.finds(BAD);
      await at.run(check);
    };
    await fail();
    const [{ id = '' } = {}] = await groupsOf(check);
    const patch = (change: object) => at.engine.errorGroups.patch(at.accountId, id, change);
    expect((await patch({ archivedUntilNextEvent: true }))?.archivedUntilNextEvent).toBe(true);
    await fail();
    expect((await at.engine.errorGroups.get(at.accountId, id))?.archivedUntilNextEvent).toBe(false);
    const forEver = { archiveForEver: true, archivedUntilNextEvent: false };
    expect(await patch({ archiveForEver: true })).toMatchObject(forEver);
    await fail();
    expect(await groupsOf(check)).toMatchObject([forEver]);
    await patch({ archiveForEver: true, archivedUntilNextEvent: true });
    await fail();
    expect(await groupsOf(check)).toMatchObject([forEver]);
    await patch({ archivedUntilNextEvent: true });
    expect(await patch({ archiveForEver: false })).toMatchObject({
      ...{ archiveForEver: false, archivedUntilNextEvent: false },
    });
    expect(await at.engine.errorGroups.patch('another account', id, {})).toBeUndefined();
  });

  it('are one for each failing test of a browser check, and one for other checks', async () => {
    const target = createTarget();
    const own = await createHarness({ runners: { BROWSER: target.runner, DNS: target.runner } });
    await own.engine.start();
    const groupsAfter = async (type: string, errors: readonly string[]) => {
      const check = await own.check({ type, script: 'x' });
      target.finds({ hasFailures: true, errors });
      await own.run(check);
      const query = { accountId: own.accountId, checkId: check };
      const [result] = await own.engine.results.list(query);
      const groups = new Map(
        (await own.engine.errorGroups.list(query)).map(({ id, rawErrorMessage }) => [id, rawErrorMessage]),
      );
      return (result?.errorGroupIds ?? []).map((id) => groups.get(id));
    };
    try {
      const errors = ['cart: took 12 ms', 'login: no button', 'cart: took 3 ms', 'login: no field'];
      expect(await groupsAfter('BROWSER', errors)).toEqual([errors[0], errors[1], errors[3]]);
      expect(await groupsAfter('DNS', errors)).toEqual([errors[0]]);
      const letters = [...'abcdefghijklmnopqrstuvwxyz'];
      const many = letters.map((letter) => `test ${letter} failed`);
      expect(await groupsAfter('BROWSER', many)).toEqual(many.slice(0, 10));
      const alike = Array.from({ length: 10_000 }, (_, index) => `took ${index} ms`);
      expect(await groupsAfter('BROWSER', [...alike, 'beyond'])).toEqual(['took 0 ms']);
    } finally {
      await own.close();
    }
  });

  it('contain only failures of the target, not monitor errors', async () => {
    const check = await at.check();
    at.target.finds({ hasErrors: true, errors: ['the sandbox did not start'] });
    await at.run(check);
    expect(await groupsOf(check)).toEqual([]);
  });
});
