/** Incidents of dashboards, over HTTP: opened, updated and deleted; the page of their dashboard follows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { send } from '../../../support/send.ts';
import { makeDashboard } from '../pages/dashboards-world.ts';
import { get, startWorld, type World } from '../pages/world.ts';
import { violations } from './support.ts';

const HOUR_MS = 60 * 60 * 1000;
type Body = contract.BodyOf<typeof contract.createDashboardIncident>;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** Returns the number of a new dashboard. */
const makeBoard = async (slug: string, enableIncidents = true): Promise<number> =>
  Number((await makeDashboard(world, slug, { enableIncidents })).id);
const open = (dashboardId: number, more: Partial<Body> = {}) =>
  call(world, contract.createDashboardIncident, {
    body: {
      ...{ name: 'Orders fail', dashboardId },
      incidentUpdates: [{ status: 'INVESTIGATING', description: 'We look for the cause.' }],
      ...more,
    },
  });
const add = (id: string, body: contract.BodyOf<typeof contract.createDashboardIncidentUpdate>) =>
  call(world, contract.createDashboardIncidentUpdate, { params: { id }, body });
const read = (id: string, includeAllIncidentUpdates = true) =>
  call(world, contract.getDashboardIncident, { params: { id }, query: { includeAllIncidentUpdates } });
/** Returns the page of a dashboard, which is cached for a few seconds. */
async function page(slug: string): Promise<string> {
  world.step(10_000);
  return (await get(world, `/dashboards/${slug}`)).text();
}
const inMs = (ms: number) => new Date(world.now() + ms).toISOString();

describe('an incident of a dashboard', () => {
  it('is answered as published, with its newest update or all of them', async () => {
    const dashboardId = await makeBoard('published');
    const created = await open(dashboardId, { startedAt: '2026-11-21' });
    expect(created).toEqual({
      ...{ id: expect.any(String), name: 'Orders fail', impact: 'MINOR', dashboardId },
      ...{ startedAt: '2026-11-21T00:00:00.000Z', stoppedAt: null },
      ...{ created_at: expect.stringMatching(/Z$/), updated_at: null },
      incidentUpdates: [
        {
          ...{ id: expect.any(String), incidentId: created.id, status: 'INVESTIGATING' },
          ...{ description: 'We look for the cause.', created_at: expect.any(String), updated_at: null },
        },
      ],
    });
    world.step(1000);
    const found = await add(created.id, { status: 'IDENTIFIED', description: 'It is the cable.' });
    const all = await read(created.id);
    expect(all.incidentUpdates).toEqual([found, ...(created.incidentUpdates ?? [])]);
    expect((await read(created.id, false)).incidentUpdates).toEqual([found]);
    const body = { name: 'Some orders fail', stoppedAt: inMs(HOUR_MS) };
    const changed = await call(world, contract.updateDashboardIncident, { params: { id: created.id }, body });
    expect(changed).toEqual({
      ...{ ...created, ...body, incidentUpdates: undefined },
      updated_at: expect.stringMatching(/Z$/),
    });
    await call(world, contract.deleteDashboardIncident, { params: { id: created.id } });
    const gone = await ask(world, contract.getDashboardIncident, { params: { id: created.id } });
    expect(gone.status).toBe(404);
  });

  it('refuses other statuses, several first updates, an end before its start, and a time that does not exist', async () => {
    const dashboardId = await makeBoard('refusals');
    const [update] = [{ status: 'INVESTIGATING', description: 'x' }];
    const body = { name: 'x', dashboardId, incidentUpdates: [update] };
    const post = async (more: object) => {
      const answer = await send(world, 'POST /v1/incidents', { ...body, ...more });
      return [answer.status, violations(answer.body).map(({ path }) => path)];
    };
    expect(await post({ incidentUpdates: [update, update] })).toEqual([400, ['incidentUpdates']]);
    expect(await post({ incidentUpdates: [] })).toEqual([400, ['incidentUpdates']]);
    expect(await post({ incidentUpdates: [{ ...update, status: 'DONE' }] })).toEqual([
      400,
      ['incidentUpdates[0].status'],
    ]);
    expect(await post({ startedAt: inMs(HOUR_MS), stoppedAt: inMs(0) })).toEqual([400, ['stoppedAt']]);
    expect(await post({ startedAt: '2026-02-30T10:00:00Z' })).toEqual([400, ['startedAt']]);
    const { id } = await open(dashboardId, { stoppedAt: inMs(0) });
    const late = await send(world, `PUT /v1/incidents/${id}`, { startedAt: inMs(HOUR_MS) });
    expect([late.status, violations(late.body).map(({ path }) => path)]).toEqual([400, ['stoppedAt']]);
  });

  it('belongs to a dashboard of its account, and disappears with it', async () => {
    const board = await makeDashboard(world, 'gone', { enableIncidents: true });
    const { id } = await open(Number(board.id));
    const other = { ...world, ...(await world.newAccount()) };
    const incidentUpdates = [{ status: 'MONITORING' as const, description: 'x' }];
    for (const dashboardId of [Number(board.id), 0, 2 ** 48, 1e300]) {
      const body = { name: 'x', dashboardId, incidentUpdates };
      expect((await ask(other, contract.createDashboardIncident, { body })).status).toBe(404);
    }
    await call(world, contract.deleteDashboard, { params: { dashboardId: board.dashboardId } });
    expect((await ask(world, contract.getDashboardIncident, { params: { id } })).status).toBe(404);
  });
});

describe('updates of an incident of a dashboard', () => {
  it('are corrected and deleted, but not the only one', async () => {
    const { id, incidentUpdates: [first] = [] } = await open(await makeBoard('corrected'));
    const params = { id, updateId: first?.id ?? '' };
    world.step(1000);
    const body = { description: 'We look for the caus' };
    const changed = await call(world, contract.updateDashboardIncidentUpdate, { params, body });
    expect(changed).toEqual({ ...first, ...body, updated_at: expect.stringMatching(/Z$/) });
    const only = await ask(world, contract.deleteDashboardIncidentUpdate, { params });
    expect([only.status, (only.body as { message: string }).message]).toEqual([
      409,
      expect.stringContaining('is the only update'),
    ]);
    const next = await add(id, { status: 'RESOLVED', description: 'Done.' });
    await call(world, contract.deleteDashboardIncidentUpdate, { params });
    expect((await read(id)).incidentUpdates).toEqual([next]);
    expect((await ask(world, contract.deleteDashboardIncidentUpdate, { params })).status).toBe(404);
    expect((await ask(world, contract.updateDashboardIncidentUpdate, { params, body })).status).toBe(404);
  });
});

describe('the page of a dashboard', () => {
  it('shows its incidents, with the newest update, until they are resolved', async () => {
    const { id } = await open(await makeBoard('shown'), { impact: 'MAJOR', name: 'No <orders>' });
    await makeBoard('not-shown');
    const text = await page('shown');
    expect(text).toContain(`s-partial" id="incident-${id}"`);
    expect(text).toContain('No &lt;orders&gt;');
    expect(text).toContain('We look for the cause.');
    expect(await page('not-shown')).not.toContain(id);
    await add(id, { status: 'MAINTENANCE', description: 'We replace the cable.' });
    const later = await page('shown');
    expect(later).toContain('<strong>Maintenance</strong><p class="lines" dir="auto">We replace the cable.');
    expect(later).not.toContain('We look for the cause.');
    const resolved = await add(id, { status: 'RESOLVED', description: 'Done.' });
    expect(await page('shown')).not.toContain(id);
    const params = { id, updateId: resolved.id };
    await call(world, contract.deleteDashboardIncidentUpdate, { params });
    expect(await page('shown')).toContain(id);
  });

  it('shows them between their start and their end', async () => {
    const dashboardId = await makeBoard('times');
    const times = { startedAt: inMs(HOUR_MS), stoppedAt: inMs(2 * HOUR_MS) };
    const { id } = await open(dashboardId, { ...times, impact: 'MAINTENANCE' });
    expect(await page('times')).not.toContain(id);
    world.step(HOUR_MS);
    expect(await page('times')).toContain(`s-maintenance" id="incident-${id}"`);
    const put = (body: object) => send(world, `PUT /v1/incidents/${id}`, body);
    await put({ startedAt: null, stoppedAt: null });
    world.step(2 * HOUR_MS);
    expect(await page('times')).toContain(id);
    await put({ stoppedAt: inMs(0) });
    expect(await page('times')).not.toContain(id);
  });

  it('shows none without enableIncidents', async () => {
    const { id } = await open(await makeBoard('silent', false));
    expect(await page('silent')).not.toContain(id);
  });
});
