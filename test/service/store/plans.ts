/**
 * Tests the query plans of statements whose cost must not grow with the account. The repositories run on thousands of rows;
 * their compiled statements are captured and explained.
 */
import { type CompiledQuery, type Dialect, Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/base/random.ts';
import { subscriptions } from '../../../src/service/store/alerts.ts';
import { checkActivity } from '../../../src/service/store/check-activity.ts';
import { checkLocations } from '../../../src/service/store/check-locations.ts';
import { checks } from '../../../src/service/store/checks.ts';
import type { Database, DialectName, StoreContext } from '../../../src/service/store/context.ts';
import { measurements } from '../../../src/service/store/engine/measurements.ts';
import { retention } from '../../../src/service/store/engine/retention.ts';
import { runs } from '../../../src/service/store/engine/runs.ts';
import { schedule } from '../../../src/service/store/engine/schedule.ts';
import { sessions } from '../../../src/service/store/engine/sessions.ts';
import { statistics } from '../../../src/service/store/engine/statistics.ts';
import { suiteRuns } from '../../../src/service/store/engine/suite-runs.ts';
import { openStore, type StoreLocation } from '../../../src/service/store/index.ts';
import { outbox } from '../../../src/service/store/outbox.ts';
import { signIns } from '../../../src/service/store/sign-ins.ts';
import { subscribers } from '../../../src/service/store/subscribers.ts';
import { testDependencies } from './harness.ts';
import { ACCOUNT, fillTables, LATER, NOW, RARE } from './plans-rows.ts';

/** Explains a query; `faults` are sentences about steps whose cost grows with the account. */
export type Explain = (
  db: Kysely<Database>,
  query: CompiledQuery,
) => Promise<{ readonly faults: readonly string[]; readonly plan: string }>;

interface Case {
  readonly title: string;
  readonly run: (context: StoreContext) => Promise<unknown>;
  /** Indexes that the plans must use. */
  readonly uses?: readonly string[];
}

const claim = {
  sender: 'one',
  now: NOW,
  leaseUntil: LATER,
  perDestination: 4,
  inFlight: [],
  limit: 20,
};
const page = { limit: 20, offset: 0 };

const CASES: readonly Case[] = [
  { title: 'due ticks', run: (at) => schedule(at).due(NOW, 256) },
  { title: 'next instants', run: (at) => schedule(at).upcoming('public', NOW) },
  { title: 'claims of ticks', run: (at) => schedule(at).advanceAll([{ id: RARE, from: NOW, to: LATER }]) },
  { title: 'next locations', run: (at) => schedule(at).advanceLocations([RARE]) },
  {
    title: 'ticks with a session',
    run: (at) => sessions(at).ticksWithSession([{ checkId: RARE, tick: NOW }]),
  },
  {
    title: 'verdicts of checks',
    run: (at) => checks(at).setStatuses(new Map([[RARE, 'passing']])),
  },
  {
    title: 'claims of attempts',
    run: (at) => runs(at).claim({ worker: 'one', pool: 'public', now: NOW, leaseUntil: LATER, limit: 10 }),
    uses: ['runs_queued'],
  },
  {
    title: 'unclaimed attempts',
    run: (at) => runs(at).unclaimed(NOW, 10),
    uses: ['runs_by_claim_by'],
  },
  {
    title: 'attempts with an expired lease',
    run: (at) => runs(at).expired(NOW, 10),
    uses: ['runs_by_lease_until'],
  },
  { title: 'claims of messages', run: (at) => outbox(at).claim(claim), uses: ['outbox_in_turn'] },
  { title: 'the end of a message', run: (at) => outbox(at).markSent(1, 'one') },
  {
    title: 'the message to reply to',
    run: (at) => outbox(at).findReceipt('lane', NOW),
    uses: ['outbox_receipts'],
  },
  { title: 'next due message', run: (at) => outbox(at).nextInstant('one'), uses: ['outbox_due'] },
  { title: 'messages with an expired lease', run: (at) => outbox(at).releaseExpired('one', NOW) },
  { title: 'unsent bytes', run: (at) => outbox(at).unsentBytes(), uses: ['outbox_sizes'] },
  {
    title: 'alerts',
    run: (at) => outbox(at).alerts({ accountId: ACCOUNT, limit: 20 }),
    uses: ['outbox_alerts'],
  },
  {
    title: 'failed alerts',
    run: (at) => outbox(at).alerts({ accountId: ACCOUNT, limit: 20, state: 'FAILED' }),
    uses: ['outbox_alerts_by_state'],
  },
  {
    title: 'alerts of a check',
    run: (at) => outbox(at).alerts({ accountId: ACCOUNT, limit: 20, checkId: RARE }),
    uses: ['outbox_alerts_of_check'],
  },
  { title: 'checks of a tag', run: (at) => checks(at).tagged(ACCOUNT, [['rare']]) },
  { title: 'checks of the tag of a group', run: (at) => checks(at).tagged(ACCOUNT, [['grouped']]) },
  { title: 'checks of a rare and a common tag', run: (at) => checks(at).tagged(ACCOUNT, [['all', 'rare']]) },
  {
    title: 'checks of a tag without another',
    run: (at) => checks(at).tagged(ACCOUNT, [['rare', '!nothing']]),
  },
  { title: 'a page of checks', run: (at) => checks(at).list(ACCOUNT, page) },
  {
    title: 'a page of checks by a rare tag',
    run: (at) => checks(at).list(ACCOUNT, { ...page, tags: ['rare'] }),
  },
  {
    title: 'a page of checks by a common tag',
    run: (at) => checks(at).list(ACCOUNT, { ...page, tags: ['all'] }),
  },
  {
    title: 'a page of checks by one of two rare tags',
    run: (at) => checks(at).list(ACCOUNT, { ...page, tags: ['rare', 'grouped'] }),
  },
  {
    title: 'a page of checks by a rare type',
    run: (at) => checks(at).list(ACCOUNT, { ...page, type: 'ICMP' }),
  },
  {
    title: 'a page of failing checks',
    run: (at) => checks(at).list(ACCOUNT, { ...page, status: 'failing', isActive: true }),
    uses: ['checks_by_status'],
  },
  {
    title: 'some of all checks of an account',
    run: async (at) => void (await checks(at).walkHeads(ACCOUNT).next()),
    uses: ['check_listing_by_age'],
  },
  {
    title: 'the activity of checks, for metrics',
    run: (at) => checkActivity(at).list(20, ACCOUNT),
    uses: ['check_listing_by_age'],
  },
  {
    title: 'the last runs of some checks',
    run: (at) => checkActivity(at).lastRuns([RARE]),
  },
  { title: 'a browser session', run: (at) => signIns(at).findSession('unknown') },
  { title: 'a sign-in link', run: (at) => signIns(at).useLink('unknown') },
  { title: 'subscriptions of a page', run: (at) => subscriptions(at).ofMany(ACCOUNT, 'checkId', [RARE]) },
  {
    title: 'sessions of a rare status',
    run: (at) => sessions(at).list({ accountId: ACCOUNT, status: 'TIMED_OUT', limit: 20 }),
    uses: ['check_sessions_by_status'],
  },
  {
    title: 'sessions of a check of a rare status',
    run: (at) => sessions(at).list({ accountId: ACCOUNT, checkId: RARE, status: 'FAILED', limit: 20 }),
  },
  {
    title: 'open sessions',
    run: (at) => sessions(at).list({ accountId: ACCOUNT, status: 'STARTED', limit: 20 }),
  },
  { title: 'a page of sessions', run: (at) => sessions(at).list({ accountId: ACCOUNT, limit: 20 }) },
  { title: 'confirming a subscription', run: (at) => subscribers(at).confirmable('token') },
  { title: 'deleting unconfirmed subscribers', run: (at) => subscribers(at).deleteUnconfirmed() },
  {
    title: 'values of the results of a check',
    run: async (at) => {
      const filter = { accountId: ACCOUNT, checkId: RARE, from: NOW - 1000, to: NOW };
      await measurements(at).count(filter, 100);
      await measurements(at).read(filter, [['timing', 'dns']]);
    },
  },
  {
    title: 'tests of the last results',
    run: (at) => suiteRuns(at).latest({ accountId: ACCOUNT, checkId: RARE, limit: 30 }),
  },
  { title: 'last results by location', run: (at) => checkLocations(at).ofChecks([RARE]) },
  { title: 'last results of a page', run: (at) => measurements(at).last([RARE], [['tls', 'daysLeft']]) },
  { title: 'response times of a page', run: (at) => measurements(at).responseTimeRanges([RARE]) },
  {
    title: 'statistics of a page',
    run: async (at) => {
      await statistics(at).byChecks([RARE]);
      await statistics(at).daysByChecks([RARE]);
      await statistics(at).pending([RARE]);
    },
  },
  { title: 'deleting unrecorded test sessions', run: (at) => retention(at).removeUnrecorded(NOW, 10) },
];

export function planContract(
  name: DialectName,
  place: () => Promise<StoreLocation>,
  dialectAt: (location: StoreLocation) => Promise<Dialect>,
  explain: Explain,
): void {
  describe('statements whose cost must not grow with the account', () => {
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

    test.each(CASES)('$title', async ({ run, uses = [] }) => {
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
