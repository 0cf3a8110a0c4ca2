/** Handles private locations and the keys of their agents. Endpoint 16 and related ones. */
import { groupBy } from '../../../base/object.ts';
import { LOCATIONS } from '../../../contract/enumerations.ts';
import type {
  createPrivateLocation,
  createPrivateLocationKey,
  deletePrivateLocation,
  deletePrivateLocationKey,
  getPrivateLocationMetrics,
  ResponseOf,
} from '../../../contract/index.ts';
import {
  type Presence,
  type PrivateLocationKey,
  type PrivateLocationRecord,
  type RunningAgent,
  StoreConflict,
} from '../../store/index.ts';
import { deleteUnlessUsed, locationUsage } from './delete-unless-used.ts';
import {
  applyDefaults,
  createDocumentResource,
  listByPage,
  timestamps,
  toIso,
  toIsoOrNull,
  withConflictMessage,
} from './document-resource.ts';
import type { Call, HandlerContext, Handlers } from './handler.ts';
import { metricsWindow, presentMetrics } from './location-metrics.ts';
import { invalid, notFound, requireFound, violation } from './problem.ts';

/** Time without a request after which an agent no longer counts as running. */
export const AGENT_TIMEOUT_MS = 120_000;

/** Groups running agents by version. */
const presentAgents = (agents: readonly RunningAgent[], serviceVersion: string | undefined) =>
  [...groupBy(agents, ({ version: reported }) => reported ?? 'unknown')].map(([version, some]) => ({
    version,
    isOutdated: serviceVersion !== undefined && version !== serviceVersion,
    count: some.length,
    agents: some.map(({ id, seenAt }) => ({ id, lastSeenAt: toIso(seenAt) })),
  }));

/** Orders versions by their numbers: 1.9.0 before 1.10.0. */
const byNumbers = new Intl.Collator('en', { numeric: true });

/** Returns the lowest version of running agents; null if none is known. */
const minVersionOf = (agents: readonly RunningAgent[]): string | null =>
  agents.flatMap(({ version }) => version ?? []).sort(byNumbers.compare)[0] ?? null;

const presentKey = (key: PrivateLocationKey, rawKey?: string) => ({
  id: key.id,
  ...(rawKey === undefined ? {} : { rawKey }),
  maskedKey: key.masked,
  created_at: toIso(key.createdAt),
});

export function privateLocationHandlers(context: HandlerContext) {
  const { store, clock } = context;
  const { privateLocations } = store;
  type Location = ResponseOf<typeof createPrivateLocation>;
  const presentWith =
    (moreOf: (presence: Presence | undefined) => Pick<Location, 'runningAgents'>) =>
    async (records: readonly PrivateLocationRecord[], accountId: string): Promise<Location[]> => {
      const ids = records.map(({ id }) => id);
      const keys = await privateLocations.keysOf(accountId, ids);
      const presence = await privateLocations.presence(accountId, ids, clock.now() - AGENT_TIMEOUT_MS);
      return records.map((record) => {
        const agents = presence.get(record.id);
        return {
          id: record.id,
          ...record.body,
          keys: keys.filter(({ locationId }) => locationId === record.id).map((key) => presentKey(key)),
          lastSeen: toIsoOrNull(agents?.lastSeen ?? null),
          agentCount: agents?.agentCount ?? 0,
          minAgentVersion: minVersionOf(agents?.agents ?? []),
          ...moreOf(agents),
          ...timestamps(record),
        };
      });
    };
  const present = presentWith(() => ({}));
  const presentWithAgents = presentWith((presence) => ({
    runningAgents: presentAgents(presence?.agents ?? [], context.version),
  }));
  const locations = createDocumentResource({
    collection: privateLocations,
    label: 'private location',
    param: 'id',
    present,
  });

  /** Returns the handler for calls with an ID or a slug. A slug is too short for an ID. */
  const byIdOrSlug =
    <P extends { readonly id: string }, C extends { readonly accountId: string; readonly params: P }, R>(
      handler: (call: C) => Promise<R>,
    ) =>
    async (call: C): Promise<R> => {
      const named = await privateLocations.byKey(call.accountId, call.params.id);
      if (named === undefined) return handler(call);
      // A copy would read the location of an agent's key, which an account does not have.
      return handler(Object.create(call, { params: { value: { ...call.params, id: named.id } } }) as C);
    };

  return {
    listPrivateLocations: (call) =>
      listByPage(privateLocations, call, call.query.versions ? presentWithAgents : present),

    async createPrivateLocation({ accountId, endpoint, body }) {
      const message = 'must not be the code of a public location';
      if (LOCATIONS.some((code) => code === body.slugName))
        throw invalid([violation('body', ['slugName'], 'slugName', message)]);
      const { record, key, secret } = await withConflictMessage(
        () => `A private location with the slug ${body.slugName} already exists`,
        () =>
          store.transaction(async (tx) => {
            const created = await tx.privateLocations.create(accountId, applyDefaults(endpoint, body));
            return { record: created, ...(await tx.privateLocations.createKey(accountId, created.id)) };
          }),
      );
      // The only response that contains the key itself.
      return { ...(await locations.presentOne(record)), keys: [presentKey(key, secret)] };
    },

    getPrivateLocation: byIdOrSlug(locations.get),
    updatePrivateLocation: byIdOrSlug(locations.update),
    getPrivateLocationMetrics: byIdOrSlug(
      async ({ accountId, params: { id }, query }: Call<typeof getPrivateLocationMetrics>) => {
        await locations.find(accountId, id);
        const window = metricsWindow(query, clock.now());
        return presentMetrics(await store.locationQueues.samples(id, window.from, window.to), window);
      },
    ),

    deletePrivateLocation: byIdOrSlug(async (call: Call<typeof deletePrivateLocation>) => {
      const { id } = call.params;
      const { slugName } = (await locations.find(call.accountId, id)).body;
      return deleteUnlessUsed(context, call, {
        label: `private location ${slugName}`,
        usage: locationUsage(slugName),
        remove: (tx) => tx.privateLocations.delete(call.accountId, id),
      });
    }),

    createPrivateLocationKey: byIdOrSlug(
      async ({ accountId, params }: Call<typeof createPrivateLocationKey>) => {
        try {
          const { key, secret } = await privateLocations.createKey(accountId, params.id);
          return presentKey(key, secret);
        } catch (error) {
          if (error instanceof StoreConflict) throw notFound(`private location ${params.id}`);
          throw error;
        }
      },
    ),

    deletePrivateLocationKey: byIdOrSlug(
      async ({ accountId, params }: Call<typeof deletePrivateLocationKey>) => {
        const isDeleted = await privateLocations.deleteKey(accountId, params.id, params.keyId);
        requireFound(isDeleted, `key ${params.keyId} of private location ${params.id}`);
        return undefined;
      },
    ),
  } satisfies Partial<Handlers>;
}
