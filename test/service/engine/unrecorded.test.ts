/** Test sessions that are not recorded: whoever waits has the verdict and its reasons, and then nothing is left of them. */
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { openPostgres } from '../../support/postgres.ts';
import { BAD, createHarness } from './harness.ts';

const HOUR = 60 * 60 * 1000;

it.each(['sqlite', 'postgres'])(
  'can be read for an hour, and are in no list and no error group (%s)',
  async (kind) => {
    const at = await createHarness(
      {},
      kind === 'postgres' ? { url: await (await openPostgres()).createDatabase() } : undefined,
    );
    onTestFinished(() => at.close());
    await at.engine.start();
    const { accountId } = at;
    const checkId = await at.check();
    const read = (id: string) => at.engine.testSessions.get(accountId, id);
    const run = async (record: boolean) => {
      at.target.finds(BAD);
      const started = await at.engine.testSessions.start({
        ...{ accountId, name: 'a test', runLocation: 'eu-west-1', target: { checkId: [checkId] }, record },
      });
      const id = started?.testSessionId ?? '';
      await eventually(async () => expect((await read(id))?.status).toBe('FAILED'));
      return { id, session: await read(id) };
    };
    const listed = async () => (await at.engine.testSessions.list({ accountId })).entries;
    const groups = () => at.engine.errorGroups.list({ accountId, checkId });

    const unrecorded = await run(false);
    expect(unrecorded.session).toMatchObject({
      ...{ status: 'FAILED', runSource: 'TEST_NO_RECORD', errorGroupIds: [] },
      results: [{ hasFailures: true, errors: BAD.errors }],
    });
    expect(await listed()).toEqual([]);
    expect(await groups()).toEqual([]);

    const recorded = await run(true);
    expect(recorded.session).toMatchObject({ status: 'FAILED', runSource: 'TEST_RECORD' });
    expect((await listed()).map(({ testSessionId }) => testSessionId)).toEqual([recorded.id]);
    expect(await groups()).toHaveLength(1);

    await at.clock.advance(HOUR / 2);
    expect((await read(unrecorded.id))?.status).toBe('FAILED');
    await eventually(async () => {
      await at.clock.advance(60_000);
      expect(await read(unrecorded.id)).toBeUndefined();
    });
    expect(await read(recorded.id)).toBeDefined();
    const left = await at.store.db.selectFrom('results').select('test_session_id').execute();
    expect(left.map(({ test_session_id }) => test_session_id)).toEqual([recorded.id]);
  },
);
