/** Sends back what the service answers, for every resource that can be read and replaced: nothing may change. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { CHECK_TYPES } from '../../../../src/contract/generated/check-types.js';
import { drawn, makeAll } from '../../../commands/whole-account.ts';
import { runs } from '../../../support/sampled.ts';
import { send } from '../../../support/send.ts';
import type { TestService } from '../../../support/service.ts';
import { dns } from './support.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where a kind of resource is listed, and where one of it is read and replaced. */
interface Kind {
  readonly list: string;
  readonly read: (item: Fields) => string;
  readonly replace: (item: Fields) => readonly string[];
}
const kind = (path: string, key = 'id'): Kind => ({
  list: `${path}?limit=100`,
  read: (item) => `${path}/${item[key]}`,
  replace: (item) => [`${path}/${item[key]}`],
});
const typedPath = ({ id, checkType }: Fields): string =>
  `/v1/checks/${CHECK_TYPES[checkType as keyof typeof CHECK_TYPES].path}/${id}`;

const KINDS: readonly Kind[] = [
  { ...kind('/v1/checks'), replace: (item) => [`/v1/checks/${item.id}`, typedPath(item)] },
  {
    ...kind('/v1/check-groups'),
    replace: ({ id }) => [`/v1/check-groups/${id}`, `/v2/check-groups/${id}`],
  },
  kind('/v1/alert-channels'),
  kind('/v1/maintenance-windows'),
  kind('/v1/status-pages'),
  kind('/v1/status-pages/services'),
  kind('/v1/status-pages/incidents'),
  kind('/v1/dashboards', 'dashboardId'),
  kind('/v1/snippets'),
  kind('/v1/variables', 'key'),
  kind('/v1/private-locations'),
];
const SETTINGS = ['/v1/account/alert-settings', '/v1/account/secret-detection'];

/** The time of the change itself, and what the schedule and sessions change meanwhile. */
const VOLATILE = ['updated_at', 'nextRunAt', 'status', 'duration'];
const stable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, item: unknown) => (VOLATILE.includes(key) ? undefined : item)));

async function assertRoundTrip(
  service: TestService,
  read: string,
  replace: readonly string[],
): Promise<void> {
  const { body: before } = await send(service, `GET ${read}`);
  for (const path of replace) {
    const answer = await send(service, `PUT ${path}`, before);
    expect([path, before, answer]).toMatchObject([path, before, { status: 200 }]);
    const after = await send(service, `GET ${read}`);
    expect([path, stable(after.body)]).toEqual([path, stable(before)]);
  }
}

/** Everything that the store holds of an account's secrets: the values that responses mask. */
async function storedSecrets({ store }: TestService, accountId: string): Promise<readonly string[]> {
  const lists = [
    await store.checks.list(accountId),
    await store.groups.list(accountId),
    await store.alertChannels.list(accountId),
    await store.variables.list(accountId),
  ];
  return (
    JSON.stringify(lists)
      .match(/"hidden-value-[^"]*"/g)
      ?.toSorted() ?? []
  );
}

async function addByHand(service: TestService): Promise<void> {
  const ssl = { name: 'ssl', request: { sslConfig: { hostname: 'example.com' } } };
  expect((await send(service, 'POST /v1/checks/ssl', ssl)).status).toBe(201);
  expect((await send(service, 'POST /v1/checks/dns', { ...dns, frequency: 0 })).status).toBe(201);
  const made = await send(service, 'POST /v1/status-pages/services', { name: 'shop' });
  const incident = {
    name: 'Down',
    severity: 'MAJOR',
    services: [{ id: (made.body as { id: string }).id }],
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'We look into it.', notifySubscribers: false }],
  };
  expect((await send(service, 'POST /v1/status-pages/incidents', incident)).status).toBe(201);
}

/** Reads every resource of generated accounts, sends it back, and reads it again. */
export async function sendingBackWhatIsRead(service: TestService): Promise<void> {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(drawn(true), async (whole) => {
      const own = { ...service, ...(await service.newAccount()) };
      await addByHand(own);
      round += 1;
      await makeAll(own, whole, `r${round}`);
      const secrets = await storedSecrets(own, own.accountId);
      for (const { list, read, replace } of KINDS) {
        const { body } = await send(own, `GET ${list}`);
        const items = (Array.isArray(body) ? body : (body as { entries: unknown[] }).entries) as Fields[];
        for (const item of items) await assertRoundTrip(own, read(item), replace(item));
      }
      for (const path of SETTINGS) await assertRoundTrip(own, path, [path]);
      expect(await storedSecrets(own, own.accountId)).toEqual(secrets);
    }),
    { numRuns: runs(4, 50), endOnFailure: true },
  );
}
