/** Private locations, the keys of their agents, and which agents were heard of. */
import type { Selectable } from 'kysely';
import { type Collection, collection } from './collection.ts';
import type { StoreContext } from './context.ts';
import type { PrivateLocationBody } from './documents.ts';
import { hashOf, makeSecret } from './secrets.ts';
import type { ResourceTables } from './tables/resources.ts';

export interface PrivateLocationKey {
  readonly id: string;
  readonly locationId: string;
  /** Its first characters, to know it by. */
  readonly masked: string;
  readonly createdAt: number;
}

/** A key that an agent has shown, with the location that it serves. */
export interface AgentKey {
  readonly id: string;
  readonly accountId: string;
  readonly locationId: string;
  readonly slugName: string;
  readonly name: string;
  /** The proxy by which its checks of HTTP leave. */
  readonly proxyUrl: string | null;
}

/** What is known of the agents of a location. */
export interface Presence {
  /** When any agent last spoke; null: never. */
  readonly lastSeen: number | null;
  /** How many of those that have not left spoke since the instant that was asked for. */
  readonly agentCount: number;
}

function keyFrom(row: Selectable<ResourceTables['private_location_keys']>): PrivateLocationKey {
  return { id: row.id, locationId: row.location_id, masked: row.masked, createdAt: row.created_at };
}

function agentKeyFrom(
  row:
    | {
        readonly id: string;
        readonly account_id: string;
        readonly location_id: string;
        readonly body: string;
      }
    | undefined,
): AgentKey | undefined {
  if (row === undefined) return undefined;
  const { slugName, name, proxyUrl = null } = JSON.parse(row.body) as PrivateLocationBody;
  const { id, account_id: accountId, location_id: locationId } = row;
  return { id, accountId, locationId, slugName, name, proxyUrl };
}

/** Stands for all agents of a location that have left: when the last of them spoke is still known. */
const LEFT = 'left';
/** An agent that was not heard of for so long has left, in ms. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000;

export type PrivateLocations = ReturnType<typeof privateLocations>;

export function privateLocations(context: StoreContext) {
  const { db, clock, random } = context;
  const locations: Collection<string, PrivateLocationBody> = collection(context, {
    table: 'private_locations',
    ids: 'uuid',
    uniqueKey: ({ slugName }) => slugName,
  });
  /** Notes that an agent spoke just now. */
  async function heardFrom(locationId: string, agentId: string): Promise<void> {
    const seen = { seen_at: clock.now() };
    await db
      .insertInto('private_location_agents')
      .values({ location_id: locationId, agent_id: agentId, ...seen })
      .onConflict((conflict) => conflict.columns(['location_id', 'agent_id']).doUpdateSet(seen))
      .execute();
  }
  const keys = () =>
    db
      .selectFrom('private_location_keys as key')
      .innerJoin('private_locations as location', 'location.id', 'key.location_id')
      .select(['key.id', 'key.account_id', 'key.location_id', 'location.body']);
  return {
    ...locations,
    /** Makes a key; `secret` (`pl_…`) is known only now. @throws StoreConflict where the account lacks the location. */
    async createKey(
      accountId: string,
      locationId: string,
    ): Promise<{ key: PrivateLocationKey; secret: string }> {
      const { raw, hash, masked } = makeSecret('pl_');
      const row = {
        id: random.uuid(),
        account_id: accountId,
        location_id: locationId,
        hash,
        masked,
        created_at: clock.now(),
      };
      await db.insertInto('private_location_keys').values(row).execute();
      return { key: keyFrom(row), secret: raw };
    },
    /** The keys of some locations, the oldest first. */
    async keysOf(accountId: string, locationIds: readonly string[]): Promise<PrivateLocationKey[]> {
      if (locationIds.length === 0) return [];
      const query = db
        .selectFrom('private_location_keys')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('location_id', 'in', locationIds);
      return (await query.orderBy('created_at').orderBy('id').execute()).map(keyFrom);
    },
    /** Whether there was such a key. */
    async deleteKey(accountId: string, locationId: string, keyId: string): Promise<boolean> {
      const query = db
        .deleteFrom('private_location_keys')
        .where('account_id', '=', accountId)
        .where('location_id', '=', locationId)
        .where('id', '=', keyId);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Which location an agent with this key serves. */
    async authenticate(secret: string): Promise<AgentKey | undefined> {
      return agentKeyFrom(await keys().where('key.hash', '=', hashOf(secret)).executeTakeFirst());
    },
    /** A key with its location as it is now; undefined where it is revoked. */
    async key(id: string): Promise<AgentKey | undefined> {
      return agentKeyFrom(await keys().where('key.id', '=', id).executeTakeFirst());
    },
    heardFrom,
    /** Notes that an agent spoke for the last time, and forgets those that died long ago. */
    async left(locationId: string, agentId: string): Promise<void> {
      await heardFrom(locationId, LEFT);
      await db
        .deleteFrom('private_location_agents')
        .where('location_id', '=', locationId)
        .where((or) =>
          or.or([or('agent_id', '=', agentId), or('seen_at', '<', clock.now() - FORGOTTEN_AFTER_MS)]),
        )
        .execute();
    },
    /** Presence by location, counting the agents that spoke at `since` (ms) or later. */
    async presence(
      accountId: string,
      locationIds: readonly string[],
      since: number,
    ): Promise<Map<string, Presence>> {
      const found = new Map<string, Presence>();
      if (locationIds.length === 0) return found;
      const rows = await db
        .selectFrom('private_location_agents as agent')
        .innerJoin('private_locations as location', 'location.id', 'agent.location_id')
        .select(['agent.location_id', 'agent.agent_id', 'agent.seen_at'])
        .where('location.account_id', '=', accountId)
        .where('agent.location_id', 'in', locationIds)
        .execute();
      for (const { location_id: id, agent_id: agent, seen_at: seenAt } of rows) {
        const { lastSeen, agentCount } = found.get(id) ?? { lastSeen: null, agentCount: 0 };
        found.set(id, {
          lastSeen: Math.max(lastSeen ?? 0, seenAt),
          agentCount: agentCount + (agent !== LEFT && seenAt >= since ? 1 : 0),
        });
      }
      return found;
    },
  };
}
