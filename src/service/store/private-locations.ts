/** Stores private locations, the keys of their agents, and when agents were last seen. */
import type { Selection } from 'kysely';
import type { Database, StoreContext } from './context.ts';
import { collection, type PrivateLocationBody } from './documents.ts';
import { hashOf, makeSecret } from './secrets.ts';
import { assertFreeSlug } from './slugs.ts';

const KEY_COLUMNS = ['id', 'location_id as locationId', 'masked', 'created_at as createdAt'] as const;

/** A key of a location's agents. `masked`: the first characters, to identify the key. */
export type PrivateLocationKey = Selection<Database, 'private_location_keys', (typeof KEY_COLUMNS)[number]>;

/** An agent's key with its location. */
export type AgentKey = ReturnType<typeof agentKeyFrom>;

/** Presence of the agents of a location. */
export interface Presence {
  /** When any agent was last seen; null if never. */
  readonly lastSeen: number | null;
  /** Number of agents that were seen since the requested instant and have not left. */
  readonly agentCount: number;
  /** These agents. */
  readonly agents: readonly RunningAgent[];
}

export interface RunningAgent {
  readonly id: string;
  readonly seenAt: number;
  /** Null if it has not reported its version. */
  readonly version: string | null;
}

const agentKeyFrom = ({
  body,
  ...key
}: {
  id: string;
  accountId: string;
  locationId: string;
  body: string;
}) => {
  const { slugName, name, proxyUrl = null } = JSON.parse(body) as PrivateLocationBody;
  return { ...key, slugName, name, proxyUrl };
};

/** Represents all agents that have left a location, to remember when the last of them was seen. */
export const LEFT_AGENTS = 'left';
/** An agent that was not seen for this time has left, in ms. */
const LEFT_AFTER_MS = 24 * 60 * 60_000;

export function privateLocations(context: StoreContext) {
  const { db, clock, random } = context;
  const locations = collection<string, PrivateLocationBody>(context, {
    table: 'private_locations',
    ids: 'uuid',
    uniqueKey: ({ slugName }) => slugName,
    onWrite: async (tx, written, kind) => {
      if (kind !== 'delete') await assertFreeSlug(tx, 'private_locations', written, written.body.slugName);
    },
  });
  /** Records that an agent was seen now. Without a version, the stored one stays. */
  async function recordSeen(locationId: string, agentId: string, version?: string): Promise<void> {
    const seen = { seen_at: clock.now(), ...(version === undefined ? {} : { version }) };
    await db
      .insertInto('private_location_agents')
      .values({ location_id: locationId, agent_id: agentId, version: null, ...seen })
      .onConflict((conflict) => conflict.columns(['location_id', 'agent_id']).doUpdateSet(seen))
      .execute();
  }
  const findKey = async (column: 'key.hash' | 'key.id', value: string): Promise<AgentKey | undefined> => {
    const row = await db
      .selectFrom('private_location_keys as key')
      .innerJoin('private_locations as location', 'location.id', 'key.location_id')
      .select(['key.id', 'key.account_id as accountId', 'key.location_id as locationId', 'location.body'])
      .where(column, '=', value)
      .executeTakeFirst();
    return row && agentKeyFrom(row);
  };
  return {
    ...locations,
    /** Creates a key. `secret` (`pl_…`) is returned only here. @throws StoreConflict if the account has no such location. */
    async createKey(
      accountId: string,
      locationId: string,
    ): Promise<{ key: PrivateLocationKey; secret: string }> {
      const { raw, hash, masked } = makeSecret('pl_');
      const row = { id: random.uuid(), account_id: accountId, location_id: locationId, hash, masked };
      const query = db.insertInto('private_location_keys').values({ ...row, created_at: clock.now() });
      return { key: await query.returning(KEY_COLUMNS).executeTakeFirstOrThrow(), secret: raw };
    },
    /** Returns the keys of some locations, oldest first. */
    async keysOf(accountId: string, locationIds: readonly string[]): Promise<PrivateLocationKey[]> {
      if (locationIds.length === 0) return [];
      const query = db.selectFrom('private_location_keys').select(KEY_COLUMNS);
      const owned = query.where('account_id', '=', accountId).where('location_id', 'in', locationIds);
      return owned.orderBy('created_at').orderBy('id').execute();
    },
    /** Deletes a key; false if it does not exist. */
    async deleteKey(accountId: string, locationId: string, keyId: string): Promise<boolean> {
      const query = db
        .deleteFrom('private_location_keys')
        .where('account_id', '=', accountId)
        .where('location_id', '=', locationId)
        .where('id', '=', keyId);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Returns the key with this secret and its location. */
    authenticate: (secret: string) => findKey('key.hash', hashOf(secret)),
    /** Returns a key with its location; undefined if it is revoked. */
    key: (id: string) => findKey('key.id', id),
    recordSeen,
    /** Records that an agent left, and deletes agents that were not seen for a day. */
    async recordLeft(locationId: string, agentId: string): Promise<void> {
      await recordSeen(locationId, LEFT_AGENTS);
      await db
        .deleteFrom('private_location_agents')
        .where('location_id', '=', locationId)
        .where((to) => to.or([to('agent_id', '=', agentId), to('seen_at', '<', clock.now() - LEFT_AFTER_MS)]))
        .execute();
    },
    /** Returns the presence by location, counting the agents seen at `since` (ms) or later. */
    async presence(
      accountId: string,
      locationIds: readonly string[],
      since: number,
    ): Promise<Map<string, Presence>> {
      const presences = new Map<string, Presence>();
      if (locationIds.length === 0) return presences;
      const rows = await db
        .selectFrom('private_location_agents as agent')
        .innerJoin('private_locations as location', 'location.id', 'agent.location_id')
        .select(['agent.location_id', 'agent.agent_id', 'agent.seen_at', 'agent.version'])
        .where('location.account_id', '=', accountId)
        .where('agent.location_id', 'in', locationIds)
        .execute();
      for (const { location_id: id, agent_id: agent, seen_at: seenAt, version } of rows) {
        const { lastSeen, agents: others } = presences.get(id) ?? { lastSeen: null, agents: [] };
        const isRunning = agent !== LEFT_AGENTS && seenAt >= since;
        const agents = isRunning ? [...others, { id: agent, seenAt, version }] : others;
        presences.set(id, { lastSeen: Math.max(lastSeen ?? 0, seenAt), agentCount: agents.length, agents });
      }
      return presences;
    },
  };
}
