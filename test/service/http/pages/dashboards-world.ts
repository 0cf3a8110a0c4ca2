/** Dashboards of each kind, with checks in each state that have a past. */
import type { BodyOf } from '../../../../src/contract/index.ts';
import * as contract from '../../../../src/contract/index.ts';
import type { CheckStatus } from '../../../../src/service/store/index.ts';
import { call } from '../../../support/call.ts';
import { type Past, writePast } from '../../../support/roll-ups.ts';
import { makeIncident, makeServices, type World } from './world.ts';

type DashboardBody = BodyOf<typeof contract.createDashboard>;

export const makeDashboard = (world: World, customUrl: string, more: Partial<DashboardBody> = {}) =>
  call(world, contract.createDashboard, { body: { header: 'Shop', customUrl, tags: ['board'], ...more } });

interface BoardCheck extends Partial<Omit<Past, 'accountId' | 'checkId' | 'now'>> {
  readonly name: string;
  readonly status?: CheckStatus;
  readonly activated?: boolean;
  readonly tags?: readonly string[];
  readonly groupId?: number | undefined;
  readonly triggerIncident?: BodyOf<typeof contract.createUrlCheck>['triggerIncident'];
}

/** Creates a check that never runs, with a past. */
export async function makeBoardCheck(world: World, check: BoardCheck): Promise<string> {
  const { name, status, activated = true, tags = ['board'], days = 0, typicalMs = null } = check;
  const { id } = await world.store.checks.create(world.accountId, {
    type: 'URL',
    body: {
      ...{ name, activated, tags: [...tags], request: { url: 'https://shop.example.com' }, script: '' },
      ...(check.groupId === undefined ? {} : { groupId: check.groupId }),
      ...(check.triggerIncident === undefined ? {} : { triggerIncident: check.triggerIncident }),
    },
  });
  if (status !== undefined) await world.store.checks.setStatuses(new Map([[id, status]]));
  if (days > 0) {
    const { accountId, store } = world;
    await writePast(store, { ...check, accountId, checkId: id, now: world.now(), days, typicalMs });
  }
  return id;
}

/** Creates checks in each state. Returns the ID of the first one. */
export async function makeBoardChecks(world: World, longName: string): Promise<string> {
  const group = await call(world, contract.createCheckGroup, {
    body: { name: 'Checkout', concurrency: 1, locations: ['eu-west-1'], tags: ['team-pay'] },
  });
  const [service = ''] = await makeServices(world, ['Board shop']);
  await makeIncident(world, [service], { name: 'Payments fail', severity: 'CRITICAL' });
  const first = await makeBoardCheck(world, {
    ...{ name: 'Home page', status: 'passing', days: 90, typicalMs: 180 },
    ...{
      tags: ['board', 'prod', 'web'],
      failed: (hours) => (hours === 500 ? 10 : hours % 900 === 7 ? 1 : 0),
    },
  });
  await makeBoardCheck(world, {
    ...{ name: 'Pay by card', status: 'failing', groupId: group.id, days: 40, typicalMs: 950 },
    triggerIncident: {
      ...{ serviceId: service, severity: 'CRITICAL', name: 'Payments fail', description: 'We look.' },
      notifySubscribers: false,
    },
    failed: (hours) => (hours <= 3 ? 10 : hours === 9 ? 4 : 0),
  });
  await makeBoardCheck(world, {
    ...{ name: 'Search', status: 'degraded', days: 90, typicalMs: 4200 },
    isGap: (hours) => hours > 10 && hours < 15,
  });
  await makeBoardCheck(world, { name: 'Nightly backup', status: 'passing', days: 12 });
  await makeBoardCheck(world, { name: 'Load test', status: 'passing', days: 3, typicalMs: 150_000 });
  await makeBoardCheck(world, {
    name: 'Old shop',
    activated: false,
    status: 'failing',
    days: 20,
    typicalMs: 80,
  });
  await makeBoardCheck(world, { name: 'New check' });
  await makeBoardCheck(world, {
    name: longName,
    status: 'passing',
    days: 30,
    typicalMs: 12,
    tags: ['board', longName],
  });
  return first;
}
