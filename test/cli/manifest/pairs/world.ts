/** Accounts on two real services in which pairs of manifests are applied, and what they hold in the end. */
import { isDeepStrictEqual } from 'node:util';
import type { Agent } from 'undici';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { isObject, type JsonObject } from '../../../../src/base/object.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { applyPlan } from '../../../../src/cli/manifest/apply/apply-plan.ts';
import { compactBody } from '../../../../src/cli/manifest/compact-body.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../../../../src/cli/manifest/kinds.ts';
import type { Manifest } from '../../../../src/cli/manifest/manifest.ts';
import type { Plan } from '../../../../src/cli/manifest/plan/create-plan.ts';
import { retriesWithoutStrategy } from '../../../../src/cli/manifest/plan/describe.ts';
import { planProject } from '../../../../src/cli/manifest/plan/plan-project.ts';
import { REFERENCES } from '../../../../src/cli/manifest/references.ts';
import { fetchRemoteState, type RemoteState } from '../../../../src/cli/manifest/remote-state.ts';
import { isProjectState } from '../../../../src/cli/manifest/state/project-state.ts';
import { createClient } from '../../../../src/client/index.ts';
import type { TestService } from '../../../support/service.ts';
import { createTestTerminal } from '../../../support/terminal.ts';
import { type Fault, openConnections, withFault } from './faulty-connection.ts';

/** A clock on which nobody waits. */
const clock: Clock = {
  ...systemClock,
  async sleep(_ms, signal) {
    signal?.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  },
};
/** Files that share a process open them again. */
let connections: Agent | undefined;
export async function closeConnections(): Promise<void> {
  await connections?.destroy();
  connections = undefined;
}

export interface Account extends Pick<TestService, 'url' | 'apiKey'> {
  /** How many requests a batch may contain; undefined: as the service says. */
  readonly batchLimit?: string | undefined;
}

/** Returns the dependencies of a run; `fault` meets one of its requests. */
function connect({ url, apiKey, batchLimit }: Account, fault?: Fault) {
  connections ??= openConnections();
  const { dispatcher, killed } = withFault(connections, fault, batchLimit);
  const client = createClient({
    baseUrl: url,
    getKey: async () => apiKey,
    userAgent: 'sonde-test',
    clock,
    random: systemRandom,
    dispatcher,
    retryBudgetMs: 0,
  });
  const { terminal } = createTestTerminal({});
  // A killed run and the next one have the same process, whose former lock therefore counts as abandoned.
  const self = { pid: process.pid, kill: process.kill };
  const { signal } = new AbortController();
  const deps = { client: async () => client, signal, clock, terminal, random: systemRandom, self };
  return { deps, killed };
}

export async function plan(account: Account, manifest: Manifest): Promise<Plan> {
  return planProject(connect(account).deps, manifest, { isPruned: true });
}

/** Fetches everything that an account has. */
export const fetchState = (account: Account): Promise<RemoteState> => fetchRemoteState(connect(account).deps);

/** Plans and applies. Returns how the run ended: `done`, or with the fault. */
export async function apply(account: Account, manifest: Manifest, fault?: Fault): Promise<unknown> {
  const { deps, killed } = connect(account, fault);
  const run = async (): Promise<'done'> => {
    await applyPlan(deps, await planProject(deps, manifest, { isPruned: true }));
    return 'done';
  };
  return Promise.race([
    run().catch((error: unknown) => {
      if (fault === undefined) throw error;
      return error;
    }),
    killed.then(() => 'killed'),
  ]);
}

const idOf = (section: Section, row: JsonObject): unknown => row[kindOf(section).key];

/** Fields that differ between equal resources: the service chooses them. */
const CHOSEN = [
  'id',
  'accountId',
  'created_at',
  'updated_at',
  'frequencyOffset',
  'statusPageId',
  'dashboardId',
];
const CHOSEN_OF_HEARTBEATS = ['pingToken', 'pingUrl', 'lastPingAt', 'dueAt'];

/** Returns each resource as a text without IDs, sorted. `without`: resources to leave out. */
export function describeState(
  remote: RemoteState,
  without: ReadonlySet<string> = new Set(),
): readonly string[] {
  const names = new Map<string, string>();
  for (const section of SECTIONS)
    for (const row of remote[section])
      names.set(`${section} ${idOf(section, row)}`, formatName(kindOf(section), row));
  const describe = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => describe(item, name));
    if (isObject(value)) {
      const fields = Object.entries(value).filter(
        ([field]) =>
          !CHOSEN.includes(field) && !(name === 'heartbeat' && CHOSEN_OF_HEARTBEATS.includes(field)),
      );
      return name === 'services'
        ? names.get(`services ${value.id}`)
        : Object.fromEntries(fields.map(([field, item]) => [field, describe(item, field)]));
    }
    const reference = REFERENCES.find(({ field }) => field === name);
    return reference && value !== null ? (names.get(`${reference.to} ${value}`) ?? 'gone') : value;
  };
  return SECTIONS.flatMap((section) =>
    remote[section]
      .filter((row) => !without.has(`${section} ${idOf(section, row)}`) && !isProjectState(row))
      .map((row) => {
        const schema = kindOf(section).create(row)?.body ?? {};
        const known = [...Object.keys(schema.properties ?? {}), 'checkType', 'isPrivate', 'whiteLabel'];
        const described = Object.entries(describe(row) as JsonObject).filter(
          ([name, value]) =>
            name !== 'subscriptions' &&
            known.includes(name) &&
            // The API cannot remove a retry strategy: it is replaced by one that means the same.
            !(
              name === 'retryStrategy' &&
              section === 'checks' &&
              isDeepStrictEqual(value, retriesWithoutStrategy(row))
            ),
        );
        return `${section} ${JSON.stringify(compactBody(schema, Object.fromEntries(described)))}`;
      }),
  ).sort();
}

/** Returns the resources of an account as texts, by section and ID. */
export const rowsOf = (remote: RemoteState): ReadonlyMap<string, string> =>
  new Map(
    SECTIONS.flatMap((section) =>
      remote[section].map((row) => [`${section} ${idOf(section, row)}`, JSON.stringify(row)] as const),
    ),
  );
