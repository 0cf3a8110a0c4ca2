/** Automation rules on a real service: which failures open their incidents, what resolves them, and who has the last word. */
import { beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import type { RunOutcome } from '../../../../src/runners/core/runner.ts';
import { advanceRules } from '../../../../src/service/notify/alerts/advance-rules.ts';
import type { AlertSubject } from '../../../../src/service/notify/alerts/alert-settings.ts';
import { NO_INCIDENT } from '../../../../src/service/notify/alerts/incident-escalation.ts';
import type { CheckGroupBody, StoreTransaction } from '../../../../src/service/store/index.ts';
import { ask, call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { openPostgres } from '../../../support/postgres.ts';
import { BAD, DEGRADED, GOOD } from './outcomes.ts';
import { scene } from './scene.ts';

const MINUTE = 60_000;

type Rule = contract.BodyOf<typeof contract.createAutomationRule>;
type Fields = NonNullable<Parameters<typeof scene>[0]>;

interface WorldOptions {
  readonly fields?: Fields;
  readonly group?: Partial<CheckGroupBody>;
  /** Fields of the rule; null: there is none. */
  readonly rule?: Partial<Rule> | null;
}

describe.each(['SQLite', 'Postgres'])('automation rules over %s', (database) => {
  let createDatabase = async (): Promise<string | undefined> => undefined;
  beforeAll(async () => {
    if (database === 'Postgres') createDatabase = (await openPostgres()).createDatabase;
  });

  /** Two checks with the tag of a rule, whose page shows two services. */
  async function world({ fields = { tags: ['shop'] }, group, rule = {} }: WorldOptions = {}) {
    const clock = createManualClock();
    const databaseUrl = await createDatabase();
    const at = await scene(fields, {
      clock,
      ...(group && { group }),
      ...(databaseUrl !== undefined && { databaseUrl }),
    });
    const createService = async (name: string) =>
      String((await call(at, contract.createService, { body: { name } })).id);
    const [web, mail] = [await createService('Web'), await createService('Mail')];
    const cards = (...ids: string[]) => [{ name: 'All', services: ids.map((id) => ({ id })) }];
    const page = { name: 'Ours', url: 'ours', cards: cards(web, mail) };
    const { id: statusPageId } = await call(at, contract.createStatusPage, { body: page });
    const body: Rule = {
      ...{ statusPageId, name: 'Shop fails', tags: ['shop', 'other'] },
      ...{ firstUpdate: 'We look into it.', lastUpdate: 'It works again.' },
      components: [
        { componentId: web, targetImpact: 'DEGRADED_PERFORMANCE' },
        { componentId: mail, targetImpact: 'PARTIAL_OUTAGE' },
      ],
      ...rule,
    };
    const createRule = () => call(at, contract.createAutomationRule, { body });
    const ruleId = rule === null ? '' : (await createRule()).id;
    const second = await at.store.checks.create(at.accountId, {
      type: 'DNS',
      body: { ...at.check.body, name: 'second' },
    } as Parameters<typeof at.store.checks.create>[1]);
    const run = async (checkId: string, next: RunOutcome) => {
      at.finds(async () => next);
      const target = { checkId: [checkId] };
      const [started] = await at.engine.startSessions({
        ...{ accountId: at.accountId, runSource: 'TRIGGER_API', target },
      });
      return at.ended(started?.checkSessionId ?? '');
    };
    const stored = async () => (await at.store.incidents.list(at.accountId)).toReversed();
    return {
      ...{ at, clock, web, mail, page, cards, statusPageId, ruleId, createRule },
      one: (next: RunOutcome) => run(at.check.id, next),
      two: (next: RunOutcome) => run(second.id, next),
      secondId: second.id,
      change: (checkBody: object, id = at.check.id) =>
        call(at, contract.updateCheck, { params: { id }, body: checkBody as never }),
      changeRule: (ruleBody: Partial<Rule>) =>
        call(at, contract.updateAutomationRule, { params: { id: ruleId }, body: ruleBody }),
      stored,
      /** The statuses of all incidents, oldest first. */
      statuses: async () => (await stored()).map(({ body: { lastUpdateStatus } }) => lastUpdateStatus),
      /** Waits until these are the statuses: what is due opens without a run. */
      opens: (expected: readonly string[]) =>
        eventually(async () => {
          await clock.advance(0);
          const found = await stored();
          expect(found.map(({ body: { lastUpdateStatus } }) => lastUpdateStatus)).toEqual(expected);
        }),
      lastText: async () => (await stored()).at(-1)?.body.incidentUpdates[0]?.description,
      async resolveByHand() {
        const id = (await stored()).at(-1)?.id ?? '';
        await call(at, contract.createIncidentUpdate, {
          params: { id },
          body: { description: 'It was the cable.', status: 'RESOLVED' },
        });
      },
    };
  }
  type World = Awaited<ReturnType<typeof world>>;

  it('open one incident for all failing checks, and resolve it when the last of them recovers', async () => {
    const w = await world();
    await w.one(BAD);
    const [incident] = await w.stored();
    expect(incident?.body).toMatchObject({
      // The worst impact counts for all components.
      ...{ name: 'Shop fails', severity: 'MAJOR', lastUpdateStatus: 'INVESTIGATING' },
      services: [{ id: w.web }, { id: w.mail }],
      incidentUpdates: [{ description: 'We look into it.', notifySubscribers: true }],
    });
    await w.two(BAD);
    await w.one(BAD);
    await w.one(GOOD);
    expect(await w.statuses()).toEqual(['INVESTIGATING']);
    await w.two(DEGRADED);
    expect(await w.statuses()).toEqual(['INVESTIGATING']);
    await w.two(GOOD);
    expect(await w.statuses()).toEqual(['RESOLVED']);
    expect((await w.stored())[0]?.body.incidentUpdates[0]).toMatchObject({
      ...{ description: 'It works again.', notifySubscribers: true },
    });
  });

  it.each<[impact: Rule['components'][number]['targetImpact'], severity: string]>([
    ['MAJOR_OUTAGE', 'CRITICAL'],
    ['PARTIAL_OUTAGE', 'MAJOR'],
    ['DEGRADED_PERFORMANCE', 'MEDIUM'],
    ['UNDER_MAINTENANCE', 'MINOR'],
  ])('make an incident with the impact %s one of severity %s', async (targetImpact, severity) => {
    const w = await world({ rule: null });
    const { id } = await w.createRule();
    const body = { components: [{ componentId: w.web, targetImpact }], notifySubscribers: false };
    await call(w.at, contract.updateAutomationRule, { params: { id }, body });
    await w.one(BAD);
    const [incident] = await w.stored();
    expect(incident?.body).toMatchObject({
      ...{ severity, services: [{ id: w.web }], incidentUpdates: [{ notifySubscribers: false }] },
    });
  });

  it.each<[what: string, options: WorldOptions, statuses: readonly string[]]>([
    ['a tag of the group', { fields: {}, group: { tags: ['other'] } }, ['INVESTIGATING']],
    ['a muted check', { fields: { tags: ['shop'], muted: true } }, ['INVESTIGATING']],
    ['no tag', { fields: { tags: ['Shop', 'mail'] } }, []],
    ['a disabled rule', { rule: { enabled: false } }, []],
    ['a check without tags', { fields: { tags: [] } }, []],
  ])('apply, or not, with %s', async (_, options, statuses) => {
    const w = await world(options);
    await w.one(BAD);
    expect(await w.statuses()).toEqual(statuses);
  });

  it('open nothing for a failure before the threshold', async () => {
    const settings = { runBasedEscalation: { failedRunThreshold: 2 } };
    const w = await world({
      fields: { tags: ['shop'], useGlobalAlertSettings: false, alertSettings: settings },
    });
    await w.one(BAD);
    expect(await w.statuses()).toEqual([]);
    await w.one(BAD);
    expect(await w.statuses()).toEqual(['INVESTIGATING']);
  });

  describe('the cool down', () => {
    it('delays the next incident, which opens without another run', async () => {
      const w = await world({ rule: { coolDownWindowMinutes: 10 } });
      await w.one(BAD);
      await w.one(GOOD);
      await w.clock.advance(4 * MINUTE);
      await w.one(BAD);
      await w.clock.advance(5 * MINUTE);
      expect(await w.statuses()).toEqual(['RESOLVED']);
      await w.clock.advance(MINUTE);
      await w.opens(['RESOLVED', 'INVESTIGATING']);
      await w.one(GOOD);
      expect(await w.statuses()).toEqual(['RESOLVED', 'RESOLVED']);
    });

    it('opens no incident of a check that recovers within it', async () => {
      const w = await world();
      await w.one(BAD);
      await w.one(GOOD);
      await w.one(BAD);
      await w.one(GOOD);
      await w.clock.advance(20 * MINUTE);
      expect(await w.statuses()).toEqual(['RESOLVED']);
      await w.one(BAD);
      expect(await w.statuses()).toEqual(['RESOLVED', 'INVESTIGATING']);
    });

    it('ends while the service is down', async () => {
      const w = await world();
      await w.one(BAD);
      await w.one(GOOD);
      await w.one(BAD);
      const start = await w.at.stop();
      w.clock.step(10 * MINUTE);
      await start();
      await w.opens(['RESOLVED', 'INVESTIGATING']);
    });

    it('is none with 0 minutes', async () => {
      const w = await world({ rule: { coolDownWindowMinutes: 0 } });
      for (const outcome of [BAD, GOOD, BAD]) await w.one(outcome);
      expect(await w.statuses()).toEqual(['RESOLVED', 'INVESTIGATING']);
    });
  });

  describe('a person', () => {
    it('who resolves the incident has the last word, until another check begins to fail', async () => {
      const w = await world();
      await w.one(BAD);
      await w.resolveByHand();
      await w.one(BAD);
      await w.clock.advance(6 * MINUTE);
      await w.one(BAD);
      await w.change({ description: 'Another text' });
      expect(await w.statuses()).toEqual(['RESOLVED']);
      await w.two(BAD);
      expect(await w.statuses()).toEqual(['RESOLVED', 'INVESTIGATING']);
      await w.two(GOOD);
      expect(await w.statuses()).toEqual(['RESOLVED', 'INVESTIGATING']);
      await w.one(GOOD);
      expect(await w.statuses()).toEqual(['RESOLVED', 'RESOLVED']);
    });

    it('who deletes the incident gets none for the same failure', async () => {
      const w = await world();
      await w.one(BAD);
      const [incident] = await w.stored();
      await call(w.at, contract.deleteIncident, { params: { id: incident?.id ?? '' } });
      await w.one(BAD);
      await w.one(GOOD);
      expect(await w.statuses()).toEqual([]);
      await w.one(BAD);
      expect(await w.statuses()).toEqual(['INVESTIGATING']);
    });

    it('who edits the incident keeps the edited fields; the rule changes the others', async () => {
      const w = await world();
      await w.one(BAD);
      const [incident] = await w.stored();
      const params = { id: incident?.id ?? '' };
      await call(w.at, contract.updateIncident, { params, body: { severity: 'MINOR' } });
      const components = [{ componentId: w.web, targetImpact: 'MAJOR_OUTAGE' } as const];
      await w.changeRule({ name: 'The shop is down', components });
      const [changed] = await w.stored();
      expect(changed?.body).toMatchObject({
        ...{ name: 'The shop is down', severity: 'MINOR', services: [{ id: w.web }] },
      });
      await w.one(GOOD);
      expect(await w.statuses()).toEqual(['RESOLVED']);
    });
  });

  describe.each<{
    readonly name: string;
    readonly end: (w: World) => Promise<unknown>;
    readonly text: string;
    /** Makes the failing check count again. */
    readonly undo?: (w: World) => Promise<unknown>;
  }>([
    {
      name: 'the check is deactivated',
      end: ({ change }) => change({ activated: false }),
      text: 'was deactivated',
      undo: async ({ change, one }) => {
        await change({ activated: true });
        await one(BAD);
      },
    },
    {
      name: 'the check is deleted',
      end: ({ at }) => call(at, contract.deleteCheck, { params: { id: at.check.id } }),
      text: 'was deleted',
    },
    {
      name: 'the check loses its tag',
      end: ({ change }) => change({ tags: ['mail'] }),
      text: 'no longer reports on this service',
      undo: ({ change }) => change({ tags: ['other'] }),
    },
    {
      name: 'the rule has other tags',
      end: ({ changeRule }) => changeRule({ tags: ['mail'] }),
      text: 'no longer reports on this service',
      undo: ({ changeRule }) => changeRule({ tags: ['shop'] }),
    },
    {
      name: 'the rule is disabled',
      end: ({ changeRule }) => changeRule({ enabled: false }),
      text: 'was turned off',
      undo: ({ changeRule }) => changeRule({ enabled: true }),
    },
    {
      name: 'the rule is deleted',
      end: ({ at, ruleId }) => call(at, contract.deleteAutomationRule, { params: { id: ruleId } }),
      text: 'was turned off',
      undo: ({ createRule }) => createRule(),
    },
    {
      name: 'the page is deleted',
      end: ({ at, statusPageId }) => call(at, contract.deleteStatusPage, { params: { statusPageId } }),
      text: 'was turned off',
    },
    {
      name: 'all its services are deleted',
      async end({ at, web, mail }) {
        for (const id of [web, mail])
          await call(at, contract.deleteService, { params: { id }, query: { force: true } });
      },
      text: 'was turned off',
    },
  ])('when $name', ({ end, text, undo }) => {
    it('the incident is resolved, and opened again without a cool down', async () => {
      const w = await world();
      await w.one(BAD);
      expect(await w.statuses()).toEqual(['INVESTIGATING']);
      await end(w);
      expect(await w.statuses()).toEqual(['RESOLVED']);
      expect(await w.lastText()).toContain(text);
      if (undo === undefined) return;
      await undo(w);
      expect(await w.statuses()).toEqual(['RESOLVED', 'INVESTIGATING']);
      await w.one(GOOD);
      expect(await w.statuses()).toEqual(['RESOLVED', 'RESOLVED']);
    });
  });

  it('keep the incident while another check fails, and leave it to that one', async () => {
    const w = await world();
    await w.one(BAD);
    await w.two(BAD);
    await w.change({ activated: false });
    expect(await w.statuses()).toEqual(['INVESTIGATING']);
    await call(w.at, contract.deleteCheck, { params: { id: w.secondId } });
    expect(await w.statuses()).toEqual(['RESOLVED']);
    expect(await w.lastText()).toContain('was deleted');
  });

  it('follow the tags of the group', async () => {
    const w = await world({ fields: {}, group: { tags: ['shop'], locations: ['eu-west-1'] } });
    await w.one(BAD);
    expect(await w.statuses()).toEqual(['INVESTIGATING']);
    const params = { id: w.at.grouped?.id ?? 0 };
    const body = { name: 'g', locations: ['eu-west-1'] };
    await call(w.at, contract.updateCheckGroup, { params, body: { ...body, tags: [] } as never });
    expect(await w.statuses()).toEqual(['RESOLVED']);
    await call(w.at, contract.updateCheckGroup, { params, body: { ...body, tags: ['other'] } as never });
    expect(await w.statuses()).toEqual(['RESOLVED', 'INVESTIGATING']);
  });

  it('open the incident of a check that fails already when the rule is created', async () => {
    const w = await world({ rule: null });
    await w.one(BAD);
    expect(await w.statuses()).toEqual([]);
    await w.createRule();
    expect(await w.statuses()).toEqual(['INVESTIGATING']);
    await w.one(GOOD);
    expect(await w.statuses()).toEqual(['RESOLVED']);
  });

  it('affect only what the page still shows', async () => {
    const w = await world();
    const params = { statusPageId: w.statusPageId };
    const show = (...ids: string[]) =>
      call(w.at, contract.updateStatusPage, { params, body: { ...w.page, cards: w.cards(...ids) } });
    await show(w.web);
    await w.one(BAD);
    const [incident] = await w.stored();
    expect(incident?.body).toMatchObject({ severity: 'MEDIUM', services: [{ id: w.web }] });
    // What was accepted before can be written back.
    const rule = await call(w.at, contract.getAutomationRule, { params: { id: w.ruleId } });
    const again = await ask(w.at, contract.updateAutomationRule, {
      params: { id: w.ruleId },
      body: { components: rule.components } as never,
    });
    expect(again.status).toBe(200);
    await w.one(GOOD);
    await show();
    await w.clock.advance(10 * MINUTE);
    await w.one(BAD);
    expect(await w.statuses()).toEqual(['RESOLVED']);
    await show(w.mail);
    await w.one(BAD);
    expect(await w.statuses()).toEqual(['RESOLVED', 'INVESTIGATING']);
  });

  describe('maintenance', () => {
    const window = async (w: World, serviceIds: readonly string[]) =>
      w.at.store.maintenanceWindows.create(w.at.accountId, {
        ...{ name: 'window', repeatUnit: null },
        statusPageVisibility: { enabled: true, suppressAutoIncidents: true, serviceIds: [...serviceIds] },
        startsAt: new Date(w.clock.now() - MINUTE).toISOString(),
        endsAt: new Date(w.clock.now() + 10 * MINUTE).toISOString(),
      });

    it('of all services suppresses the incident until the first failed run afterwards', async () => {
      const w = await world();
      await window(w, [w.web, w.mail]);
      await w.one(BAD);
      await w.one(BAD);
      await w.clock.advance(15 * MINUTE);
      expect(await w.statuses()).toEqual([]);
      await w.one(BAD);
      expect(await w.statuses()).toEqual(['INVESTIGATING']);
      await w.one(GOOD);
      expect(await w.statuses()).toEqual(['RESOLVED']);
    });

    it('of one of two services suppresses nothing', async () => {
      const w = await world();
      await window(w, [w.web]);
      await w.one(BAD);
      expect(await w.statuses()).toEqual(['INVESTIGATING']);
    });
  });
});

describe('two services on one Postgres', () => {
  it('open one incident of a rule at a time, and leave none open', async () => {
    const at = await scene(
      { tags: ['shop'] },
      { databaseUrl: await (await openPostgres()).createDatabase() },
    );
    const { id: serviceId } = await call(at, contract.createService, { body: { name: 'Web' } });
    const componentId = String(serviceId);
    const page = await call(at, contract.createStatusPage, {
      body: { name: 'p', url: 'p', cards: [{ services: [{ id: componentId }] }] },
    });
    await call(at, contract.createAutomationRule, {
      body: {
        ...{ statusPageId: page.id, name: 'r', tags: ['shop'], coolDownWindowMinutes: 0 },
        ...{ firstUpdate: 'f', lastUpdate: 'l', components: [{ componentId, targetImpact: 'MAJOR_OUTAGE' }] },
      },
    });
    const ids = [at.check.id];
    for (let more = 0; more < 7; more += 1) {
      const copy = { type: 'DNS', body: { ...at.check.body, name: `check ${more}` } };
      ids.push((await at.store.checks.create(at.accountId, copy as never)).id);
    }
    const services = [at.engine, (await at.another()).engine];
    const runAll = async (outcome: RunOutcome) => {
      at.finds(async () => outcome);
      const runs = ids.map(async (id, index) => {
        const target = { checkId: [id] };
        const engine = services[index % 2] ?? at.engine;
        const [started] = await engine.startSessions({
          ...{ accountId: at.accountId, runSource: 'TRIGGER_API', target },
        });
        return at.ended(started?.checkSessionId ?? '');
      });
      await Promise.all(runs);
    };
    for (let round = 1; round <= 4; round += 1) {
      await runAll(BAD);
      const open = (await at.store.incidents.list(at.accountId)).map(({ body }) => body.lastUpdateStatus);
      expect(open.sort()).toEqual(['INVESTIGATING', ...Array(round - 1).fill('RESOLVED')]);
      await runAll(GOOD);
      const ended = (await at.store.incidents.list(at.accountId)).map(({ body }) => body.lastUpdateStatus);
      expect(ended).toEqual(Array(round).fill('RESOLVED'));
    }
  });
});

describe('a result that changes nothing', () => {
  const unread = new Proxy({} as StoreTransaction, {
    get(_, name) {
      throw new Error(`read ${String(name)}`);
    },
  });
  const subject = { check: { id: 'c', accountId: 'a' } } as AlertSubject;
  const failing = {
    ...NO_INCIDENT,
    escalation: { ...NO_INCIDENT.escalation, level: 'failing', hasFailed: true },
  } as const;
  it.each([
    ['passed', NO_INCIDENT],
    ['failed', failing],
    ['degraded', failing],
  ] as const)('reads nothing of rules: a run that %s', async (verdict, state) => {
    const event = { type: 'run', verdict, at: 1 } as const;
    const step = { before: state, after: state, move: undefined, event, silence: 'none' } as const;
    await expect(advanceRules(unread, subject, step)).resolves.toBeUndefined();
    await expect(advanceRules(unread, subject, { ...step, move: 'resolve' })).rejects.toThrow('read');
  });
});
