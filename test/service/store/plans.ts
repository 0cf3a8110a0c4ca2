/**
 * Tests the query plans of statements whose cost must not grow with the account. The repositories run on thousands of rows;
 * their compiled statements are captured and explained.
 */
import { type CompiledQuery, type Dialect, Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/base/random.ts';
import { checks } from '../../../src/service/store/checks.ts';
import type { StoreContext } from '../../../src/service/store/context.ts';
import { retention } from '../../../src/service/store/engine/retention.ts';
import { runs } from '../../../src/service/store/engine/runs.ts';
import { schedule } from '../../../src/service/store/engine/schedule.ts';
import { sessions } from '../../../src/service/store/engine/sessions.ts';
import { openStore, type StoreLocation } from '../../../src/service/store/index.ts';
import { outbox } from '../../../src/service/store/outbox.ts';
import { subscribers } from '../../../src/service/store/subscribers.ts';
import { subscriptions } from '../../../src/service/store/subscriptions.ts';
import type { Database, DialectName } from '../../../src/service/store/tables.ts';
import { testDependencies } from './harness.ts';
import { ACCOUNT, fillTables, LATER, NOW, RARE } from './plans-rows.ts';

/** Explains a query; `faults` are sentences about steps whose cost grows with the account. */
export type Explain = (
  db: Kysely<Database>,
  query: CompiledQuery,
) => Promise<{ readonly faults: readonly string[]; readonly plan: string }>;

interface Case {
  readonly what: string;
  readonly run: (context: StoreContext) => Promise<unknown>;
  /** Indexes that the plans must use. */
  readonly uses?: readonly string[];
}

const claim = {
  sender: 'one',
  now: NOW,
  leaseUntil: LATER,
  perDestination: 4,
  inFlight: new Map(),
  limit: 20,
};
const page = { limit: 20, offset: 0 };

const CASES: readonly Case[] = [
  { what: 'due ticks', run: (at) => schedule(at).due(NOW, 256) },
  { what: 'what comes next', run: (at) => schedule(at).upcoming('public', NOW) },
  { what: 'taking ticks', run: (at) => schedule(at).advanceAll([{ id: RARE, from: NOW, to: LATER }]) },
  { what: 'taking turns', run: (at) => schedule(at).advanceLocations([RARE]) },
  {
    what: 'ticks that had their session',
    run: (at) => sessions(at).ticksWithSession([{ checkId: RARE, tick: NOW }]),
  },
  {
    what: 'what a session said of its check',
    run: (at) => checks(at).setStatuses(new Map([[RARE, 'passing']])),
  },
  {
    what: 'claims of attempts',
    run: (at) => runs(at).claim({ worker: 'one', pool: 'public', now: NOW, leaseUntil: LATER, limit: 10 }),
    uses: ['runs_queued'],
  },
  {
    what: 'attempts that nobody claimed',
    run: (at) => runs(at).unclaimed(NOW, 10),
    uses: ['runs_by_claim_by'],
  },
  {
    what: 'attempts whose worker is gone',
    run: (at) => runs(at).expired(NOW, 10),
    uses: ['runs_by_lease_until'],
  },
  { what: 'claims of messages', run: (at) => outbox(at).claim(claim), uses: ['outbox_in_turn'] },
  { what: 'the end of a message', run: (at) => outbox(at).markSent(1, 'one') },
  { what: 'when a message is due', run: (at) => outbox(at).nextInstant('one'), uses: ['outbox_due'] },
  { what: 'messages whose sender is gone', run: (at) => outbox(at).releaseExpired('one', NOW) },
  { what: 'bytes that wait', run: (at) => outbox(at).unsentBytes(), uses: ['outbox_sizes'] },
  {
    what: 'alerts',
    run: (at) => outbox(at).alerts({ accountId: ACCOUNT, limit: 20 }),
    uses: ['outbox_alerts'],
  },
  {
    what: 'alerts that failed',
    run: (at) => outbox(at).alerts({ accountId: ACCOUNT, limit: 20, state: 'FAILED' }),
    uses: ['outbox_alerts_by_state'],
  },
  {
    what: 'alerts of a check',
    run: (at) => outbox(at).alerts({ accountId: ACCOUNT, limit: 20, checkId: RARE }),
    uses: ['outbox_alerts_of_check'],
  },
  { what: 'checks of a tag', run: (at) => checks(at).tagged(ACCOUNT, [['rare']]) },
  { what: 'checks of the tag of a group', run: (at) => checks(at).tagged(ACCOUNT, [['grouped']]) },
  { what: 'checks of a rare and a common tag', run: (at) => checks(at).tagged(ACCOUNT, [['all', 'rare']]) },
  {
    what: 'checks of a tag without another',
    run: (at) => checks(at).tagged(ACCOUNT, [['rare', '!nothing']]),
  },
  { what: 'a page of checks', run: (at) => checks(at).list(ACCOUNT, page) },
  { what: 'a page of checks by a rare tag', run: (at) => checks(at).list(ACCOUNT, { ...page, tag: 'rare' }) },
  {
    what: 'a page of checks by a common tag',
    run: (at) => checks(at).list(ACCOUNT, { ...page, tag: 'all' }),
  },
  {
    what: 'a page of checks by a rare type',
    run: (at) => checks(at).list(ACCOUNT, { ...page, type: 'ICMP' }),
  },
  {
    what: 'a page of checks that fail',
    run: (at) => checks(at).list(ACCOUNT, { ...page, status: 'failing' }),
    uses: ['checks_by_status'],
  },
  { what: 'subscriptions of a page', run: (at) => subscriptions(at).ofMany(ACCOUNT, 'checkId', [RARE]) },
  {
    what: 'sessions of a rare status',
    run: (at) => sessions(at).list({ accountId: ACCOUNT, status: 'TIMED_OUT', limit: 20 }),
    uses: ['check_sessions_by_status'],
  },
  {
    what: 'sessions of a check of a rare status',
    run: (at) => sessions(at).list({ accountId: ACCOUNT, checkId: RARE, status: 'FAILED', limit: 20 }),
  },
  {
    what: 'sessions that are open',
    run: (at) => sessions(at).list({ accountId: ACCOUNT, status: 'STARTED', limit: 20 }),
  },
  { what: 'a page of sessions', run: (at) => sessions(at).list({ accountId: ACCOUNT, limit: 20 }) },
  { what: 'confirming a subscription', run: (at) => subscribers(at).confirmable('token') },
  { what: 'forgetting who did not confirm', run: (at) => subscribers(at).deleteUnconfirmed() },
  { what: 'removing tests that are not recorded', run: (at) => retention(at).removeUnrecorded(NOW, 10) },
];

export function planContract(
  name: DialectName,
  place: () => Promise<StoreLocation>,
  dialectAt: (location: StoreLocation) => Promise<Dialect>,
  explain: Explain,
): void {
  describe('statements that must not grow with the account', () => {
    const captured: CompiledQuery[] = [];
    let db: Kysely<Database>;
    let context: StoreContext;
    beforeAll(async () => {
      const location = await place();
      await (await openStore(location, testDependencies())).close();
      db = new Kysely<Database>({
        dialect: await dialectAt(location),
        log: (event) => void captured.push(event.query),
      });
      await fillTables(db, name);
      await sql.raw(name === 'postgres' ? 'vacuum analyze' : 'analyze').execute(db);
      const { clock } = testDependencies();
      context = {
        ...{ db, dialect: name, clock, random: systemRandom, readSync: undefined, apiKeyCache: undefined },
        atomically: (work) => work(context),
      };
    });
    afterAll(() => db?.destroy());

    test.each(CASES)('$what', async ({ run, uses = [] }) => {
      captured.length = 0;
      await run(context);
      const statements = captured.splice(0);
      expect(statements).not.toEqual([]);
      let plans = '';
      for (const statement of statements) {
        const { faults, plan } = await explain(db, statement);
        expect(faults, `${faults.join()}: ${statement.sql}\n${plan}`).toEqual([]);
        plans += plan;
      }
      for (const index of uses) expect(plans).toContain(index);
    });
  });
}
