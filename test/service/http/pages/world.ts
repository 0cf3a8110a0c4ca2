/** Status pages with something on them, on a real service whose wall clock a test sets. */
import { systemClock } from '../../../../src/base/clock.ts';
import type { BodyOf } from '../../../../src/contract/index.ts';
import * as contract from '../../../../src/contract/index.ts';
import { parseMailUrl } from '../../../../src/service/notify/outbox/deliver/email.ts';
import { call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

export interface World extends TestService {
  /** Ms since the epoch, as the service has it. */
  readonly now: () => number;
  /** Sets the service's clock on; nobody who sleeps notices. */
  readonly step: (ms: number) => void;
}

export const DAY_MS = 24 * 60 * 60 * 1000;

export interface WorldOptions extends NonNullable<Parameters<typeof startTestService>[0]> {
  /** Whether the wall clock stands still between the steps, for tests of what happens in one moment. */
  readonly isStill?: boolean;
}

export async function startWorld({ isStill = false, ...options }: WorldOptions = {}): Promise<World> {
  const startedAt = systemClock.now();
  let offset = Date.UTC(2026, 10, 21, 8) - startedAt;
  const now = () => (isStill ? startedAt : systemClock.now()) + offset;
  const service = await startTestService({
    clock: { ...systemClock, now },
    // A test of verification turns this off.
    trustCustomDomains: true,
    // Status pages offer e-mail; nothing answers there.
    delivery: { mail: parseMailUrl('smtp://127.0.0.1:9') },
    ...options,
  });
  return {
    ...{ ...service, now },
    step(ms) {
      offset += ms;
    },
  };
}

type PageBody = BodyOf<typeof contract.createStatusPage>;

export async function makeServices(world: World, names: readonly string[]): Promise<string[]> {
  const made: string[] = [];
  for (const name of names)
    made.push(String((await call(world, contract.createService, { body: { name } })).id));
  return made;
}

/** A page with one card of these services. */
export const makePage = (
  world: World,
  url: string,
  services: readonly string[],
  more: Partial<PageBody> = {},
) =>
  call(world, contract.createStatusPage, {
    body: {
      ...{ name: 'Example Shop', url, cards: [{ name: 'Shop', services: services.map((id) => ({ id })) }] },
      ...more,
    },
  });

type IncidentBody = BodyOf<typeof contract.createIncident>;

export const makeIncident = (world: World, services: readonly string[], more: Partial<IncidentBody> = {}) =>
  call(world, contract.createIncident, {
    body: {
      ...{ name: 'Orders fail', severity: 'MAJOR', services: services.map((id) => ({ id })) },
      incidentUpdates: [{ description: 'We look for the cause.', status: 'INVESTIGATING' }],
      ...more,
    },
  });

export const resolve = (world: World, id: string, description = 'It works again.') =>
  call(world, contract.updateIncident, {
    params: { id },
    body: { incidentUpdates: [{ description, status: 'RESOLVED' }] },
  });

export const get = (
  world: { readonly url: string },
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(world.url + path, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' });

export const post = (
  world: { readonly url: string },
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(world.url + path, {
    method: 'POST',
    headers: { accept: 'text/html', ...headers },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

/** The token of a form on a page. */
export const tokenIn = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
