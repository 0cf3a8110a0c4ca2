/** Endpoints 8 to 12, 19 and 20: what ran, what went wrong, and from where. */
import { expect } from 'vitest';
import { type Made, makeCheck, makeSession, NOBODY, type World } from '../world.ts';
import type { Row } from './row.ts';

/** What a session answers once it has ended never changes again. */
async function readsSession({ service }: World, path: string, printed: unknown): Promise<void> {
  expect(await service.make(`GET ${path}`)).toEqual(printed);
}

const getSession: Row = {
  number: 8,
  arrange: makeSession,
  command: ({ id }) => ['sessions', 'get', id],
  shows: ({ id, name }) => [id, name, 'PASSED', 'TRIGGER_API', 'eu-west-1'],
  async stored(world, { id, name }, printed) {
    expect(printed).toMatchObject({ checkSessionId: id, name, status: 'PASSED' });
    await readsSession(world, `/v2/check-sessions/${id}`, printed);
  },
  bad: { args: ['sessions', 'get', '..'], says: ['id', '".."'] },
  raw: { path: '/v2/check-sessions/latest?deep=1', violations: ['checkSessionId', 'deep'] },
  missing: { id: NOBODY },
};

const awaitSession: Row = {
  number: 9,
  arrange: makeSession,
  command: ({ id }) => ['sessions', 'wait', id],
  shows: ({ id, name }) => [id.slice(0, 8), name, 'PASSED', 'eu-west-1'],
  async stored(world, { id }, printed) {
    expect(printed).toMatchObject({ checkSessionId: id, status: 'PASSED' });
    await readsSession(world, `/v2/check-sessions/${id}/completion?maxWaitSeconds=1`, printed);
  },
  bad: { args: ['sessions', 'wait', '..', '--timeout', 'soon'], says: ['id', '".."', '--timeout'] },
  raw: {
    path: '/v2/check-sessions/latest/completion?maxWaitSeconds=31',
    violations: ['checkSessionId', 'maxWaitSeconds'],
  },
  missing: { id: NOBODY },
};

async function makeTestSession(world: World): Promise<Made> {
  const { name, checkId } = await makeCheck(world);
  const { service } = world;
  const started = await service.make<{ testSessionId: string }>('POST /v1/test-sessions/trigger', {
    ...{ name, runLocation: 'eu-west-1', target: { checkId: [checkId] } },
    metadata: { environment: 'staging', branchName: 'main' },
  });
  const id = started.testSessionId;
  await service.make(`GET /v1/test-sessions/${id}/completion?maxWaitSeconds=30`);
  return { id, name, checkId };
}

const getTestSession: Row = {
  number: 10,
  arrange: makeTestSession,
  command: ({ id }) => ['test-sessions', 'get', id],
  shows: ({ id, name }) => [id, name, 'PASSED', 'staging', 'eu-west-1'],
  async stored(world, { id, name }, printed) {
    expect(printed).toMatchObject({ testSessionId: id, name, status: 'PASSED', errorGroupIds: [] });
    await readsSession(world, `/v1/test-sessions/${id}`, printed);
  },
  bad: { args: ['test-sessions', 'get', '..'], says: ['id', '".."'] },
  raw: { path: '/v1/test-sessions/latest?deep=1', violations: ['testSessionId', 'deep'] },
  missing: { id: NOBODY },
};

interface ErrorGroup {
  readonly id: string;
  readonly cleanedErrorMessage: string;
}

/** `name`: the message, as far as it has no spaces. */
async function makeErrorGroup(world: World): Promise<Made> {
  const { checkId } = await makeSession(world, 'missing.test');
  const groups = await world.service.make<ErrorGroup[]>(`GET /v1/error-groups/checks/${checkId}`);
  const [group] = groups;
  if (!group) throw new Error(`The failed check ${checkId} has no error group`);
  return { id: group.id, name: group.cleanedErrorMessage.split(' ')[0] ?? '', checkId };
}

const archiveErrorGroup: Row = {
  number: 11,
  arrange: makeErrorGroup,
  command: ({ id }) => ['error-groups', 'archive', id, '--yes'],
  shows: ({ id, name }) => [id, name, 'until next event'],
  async stored({ service }, { id, checkId }, printed) {
    expect(printed).toMatchObject({ id, checkId, archivedUntilNextEvent: true });
    expect(await service.make(`GET /v1/error-groups/checks/${checkId}`)).toEqual([printed]);
  },
  bad: {
    args: ['error-groups', 'archive', '..', '--yes'],
    says: ['<ids>', 'would change the path of the request'],
  },
  raw: {
    path: '/v1/error-groups/g',
    body: { archiveForEver: 'yes', archivedUntilNextEvent: 3, nonsense: true },
    violations: ['archiveForEver', 'archivedUntilNextEvent', 'nonsense'],
  },
  missing: { id: NOBODY, body: { archivedUntilNextEvent: true } },
};

const listErrorGroups: Row = {
  number: 12,
  arrange: async (world) => {
    const group = await makeErrorGroup(world);
    return { ...group, id: group.checkId ?? '' };
  },
  command: ({ checkId = '' }) => ['error-groups', 'list', checkId],
  shows: ({ name }) => [name],
  async stored({ service }, { checkId }, printed) {
    expect(printed).toMatchObject([{ checkId, archivedUntilNextEvent: false }]);
    expect(await service.make(`GET /v1/error-groups/checks/${checkId}`)).toEqual(printed);
  },
  bad: {
    args: ['error-groups', 'list', 'c', '--limit', '0', '--page', 'last'],
    says: ['--limit', 'at least 1', '--page', '"last"'],
  },
  raw: { path: '/v1/error-groups/checks/c?limit=0&page=0', violations: ['limit', 'page'] },
  missing: { id: NOBODY },
};

const staticAddresses: Row = {
  number: 19,
  arrange: async () => ({ id: '', name: 'eu-west-1' }),
  command: () => ['static-ips'],
  shows: () => ['eu-west-1', 'ap-northeast-3'],
  async stored({ service }, _made, printed) {
    expect(Object.keys(printed as object)).toContain('eu-west-1');
    expect(await service.make('GET /v1/static-ips-by-region')).toEqual(printed);
  },
  bad: { args: ['static-ips', '--region', 'eu-west-1'], says: ['--region'] },
  raw: { path: '/v1/static-ips-by-region?region=eu-west-1&limit=5', violations: ['region', 'limit'] },
  limited: true,
};

/** Five requests in ten seconds: what its tests ask beyond that, the client waits for as it is told to. */
const listResults: Row = {
  number: 20,
  arrange: async (world) => {
    const session = await makeSession(world);
    return { ...session, id: session.checkId };
  },
  command: ({ checkId = '' }) => ['checks', 'results', checkId, '--deprecated-listing'],
  shows: () => ['PASSED', 'eu-west-1'],
  async stored({ service }, { checkId, name }, printed) {
    expect(printed).toMatchObject([{ checkId, name, hasFailures: false, resultType: 'FINAL' }]);
    const { entries } = await service.make<{ entries: { responseTime: number }[] }>(
      `GET /v2/check-results/${checkId}`,
    );
    // The deprecated listing answers whole milliseconds.
    const rounded = entries.map((entry) => ({ ...entry, responseTime: Math.round(entry.responseTime) }));
    expect(rounded).toEqual(printed);
  },
  bad: {
    args: [
      ...['checks', 'results', 'c', '--deprecated-listing', '--limit', '0'],
      ...['--from', '1795248000', '--to', '1795334400', '--result-type', 'LAST'],
    ],
    says: ['--limit', 'at least 1', '--result-type', 'FINAL'],
  },
  raw: {
    path: '/v1/check-results/c?limit=0&resultType=LAST',
    violations: ['limit', 'resultType'],
  },
  missing: { id: NOBODY },
  limited: true,
};

export const runs: readonly Row[] = [
  ...[getSession, awaitSession, getTestSession, archiveErrorGroup, listErrorGroups],
  ...[staticAddresses, listResults],
];
