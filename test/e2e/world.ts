/** What the end-to-end tests run against, and what they arrange in it past the binary. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { type LoopbackNameServer, startLoopbackNameServer } from '../../src/runners/dns/loopback-server.ts';
import { byHand } from '../support/by-hand.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';

/** A service, and a name server that its checks ask. */
export interface World {
  readonly service: E2eService;
  readonly names: LoopbackNameServer;
}

/** Starts both. `good.test` is the only name that exists. The rate limit is higher than any test needs. */
export async function startWorld(): Promise<World> {
  const names = await startLoopbackNameServer({
    records: { 'good.test': [{ type: 'A', data: '192.0.2.7' }] },
  });
  return { service: await startE2eService('--rate-limit', '100000'), names };
}

/** A world for the tests of one file: there before the first of them, and gone after the last. */
export function useWorld(): World {
  const world = {} as { -readonly [Part in keyof World]: World[Part] };
  beforeAll(async () => {
    Object.assign(world, await startWorld());
  });
  afterAll(async () => {
    await Promise.all([world.service.close(), world.names.close()]);
  });
  return world;
}

/** What was made for a test. */
export interface Made {
  /** What the endpoint addresses; empty where it addresses nothing. */
  readonly id: string;
  /** A text that is only its own. */
  readonly name: string;
  /** The check that it belongs to, where it does. */
  readonly checkId?: string;
}
type MadeOfCheck = Made & { readonly checkId: string };

/** An id that nothing has. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';
export const NO_NUMBER = '4711000';

let count = 0;
/** A name that nothing else has, without spaces so that it stands in a table as it is. */
export function fresh(kind: string): string {
  count += 1;
  return `${kind}-${count}-${randomUUID().slice(0, 4)}`;
}

/** A body for a DNS check of the name server; `query` decides how it ends. */
export const dnsCheck = ({ names }: Pick<World, 'names'>, name: string, query = 'good.test') => ({
  name,
  request: {
    query,
    nameServer: names.address,
    port: names.port,
    assertions: [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' }],
  },
  heartbeat: {},
  script: '',
  locations: ['eu-west-1'],
  retryStrategy: null,
  // The limits are about the machine, and so is their outcome: only tests of them set others.
  degradedResponseTime: 5000,
  maxResponseTime: 5000,
  ...byHand(),
});

/** Makes a check; `more` are fields beside those of `dnsCheck`. */
export async function makeCheck(world: World, query?: string, more: object = {}): Promise<MadeOfCheck> {
  const name = fresh('check');
  const body = { ...dnsCheck(world, name, query), ...more };
  const { id } = await world.service.make<{ id: string }>('POST /v1/checks/dns', body);
  return { id, name, checkId: id };
}

/** Makes a check whose location has no agent: it runs until it is cancelled, or nobody has claimed it for six minutes. */
export async function makeEndlessCheck(world: World): Promise<MadeOfCheck> {
  const slugName = fresh('nowhere');
  await world.service.make('POST /v1/private-locations', { name: 'nobody', slugName });
  return makeCheck(world, undefined, { locations: [], privateLocations: [slugName] });
}

/** Starts a session of a check and does not wait for it; gives its id. */
export async function startSession({ service }: World, checkId: string): Promise<string> {
  const { sessions } = await service.make<{ sessions: readonly { checkSessionId: string }[] }>(
    'POST /v2/check-sessions/trigger',
    { target: { checkId: [checkId] } },
  );
  return sessions[0]?.checkSessionId ?? '';
}

/** Starts a session that does not end while the tests run. */
export async function startEndlessSession(world: World): Promise<string> {
  return startSession(world, (await makeEndlessCheck(world)).id);
}

/** Makes a check, runs it once, and gives the session when it has ended. */
export async function makeSession(world: World, query?: string): Promise<MadeOfCheck> {
  const { name, checkId } = await makeCheck(world, query);
  const id = await startSession(world, checkId);
  await world.service.make(`GET /v2/check-sessions/${id}/completion?maxWaitSeconds=30`);
  return { id, name, checkId };
}
