/** Handles private locations and the keys of their agents. Endpoint 16 and related ones. */
import { LOCATIONS } from '../../../contract/enumerations.ts';
import type { createPrivateLocation, ResponseOf } from '../../../contract/index.ts';
import type { PrivateLocationKey } from '../../store/index.ts';
import { type PrivateLocationRecord, StoreConflict } from '../../store/index.ts';
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
import type { HandlerContext, HandlersFor } from './handler-context.ts';
import { invalid, notFound, violation } from './problem.ts';

type LocationResponse = ResponseOf<typeof createPrivateLocation>;

/** Time without a request after which an agent no longer counts as running. */
const AGENT_TIMEOUT_MS = 120_000;

const presentKey = (key: PrivateLocationKey, rawKey?: string) => ({
  id: key.id,
  ...(rawKey === undefined ? {} : { rawKey }),
  maskedKey: key.masked,
  created_at: toIso(key.createdAt),
});

export function privateLocationHandlers({ store, clock, engine }: HandlerContext) {
  const { privateLocations } = store;
  const locations = createDocumentResource({
    collection: privateLocations,
    label: 'private location',
    present: (stored) => stored,
  });

  async function present(
    accountId: string,
    records: readonly PrivateLocationRecord[],
  ): Promise<LocationResponse[]> {
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
        ...timestamps(record),
      };
    });
  }
  async function presentOne(accountId: string, record: PrivateLocationRecord): Promise<LocationResponse> {
    const [response] = await present(accountId, [record]);
    if (!response) throw new Error('A private location was presented as nothing');
    return response;
  }

  return {
    listPrivateLocations: (call) =>
      listByPage(privateLocations, call, (records) => present(call.accountId, records)),

    async createPrivateLocation({ accountId, endpoint, body }) {
      if (LOCATIONS.some((code) => code === body.slugName)) {
        throw invalid([
          violation('body', ['slugName'], 'slugName', 'must not be the code of a public location'),
        ]);
      }
      const { record, key, secret } = await withConflictMessage(
        `A private location with the slug ${body.slugName} already exists`,
        () =>
          store.transaction(async (tx) => {
            const created = await tx.privateLocations.create(accountId, applyDefaults(endpoint, body));
            return { record: created, ...(await tx.privateLocations.createKey(accountId, created.id)) };
          }),
      );
      // The only response that contains the key itself.
      return { ...(await presentOne(accountId, record)), keys: [presentKey(key, secret)] };
    },

    async getPrivateLocation({ accountId, params }) {
      return presentOne(accountId, await locations.get(accountId, params.id));
    },

    async updatePrivateLocation({ accountId, params, body }) {
      const record = await locations.change(accountId, params.id, (before) => ({ ...before, ...body }));
      return presentOne(accountId, record);
    },

    async deletePrivateLocation({ accountId, params: { id }, query: { force } }) {
      const { slugName } = (await locations.get(accountId, id)).body;
      return deleteUnlessUsed(store, engine, {
        accountId,
        label: `private location ${slugName}`,
        usage: locationUsage(slugName),
        force,
        remove: (tx) => locations.remove(accountId, id, tx.privateLocations),
      });
    },

    async createPrivateLocationKey({ accountId, params }) {
      try {
        const { key, secret } = await privateLocations.createKey(accountId, params.id);
        return presentKey(key, secret);
      } catch (error) {
        if (error instanceof StoreConflict) throw notFound(`private location ${params.id}`);
        throw error;
      }
    },

    async deletePrivateLocationKey({ accountId, params }) {
      const isDeleted = await privateLocations.deleteKey(accountId, params.id, params.keyId);
      if (!isDeleted) throw notFound(`key ${params.keyId} of private location ${params.id}`);
      return undefined;
    },
  } satisfies HandlersFor<
    | 'listPrivateLocations'
    | 'createPrivateLocation'
    | 'getPrivateLocation'
    | 'updatePrivateLocation'
    | 'deletePrivateLocation'
    | 'createPrivateLocationKey'
    | 'deletePrivateLocationKey'
  >;
}
