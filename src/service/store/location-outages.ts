/** Stores which private locations have no agent, and which channels were told. A row is an outage that was alerted. */
import { sql } from 'kysely';
import type { StoreContext } from './context.ts';
import type { PrivateLocationBody } from './documents.ts';
import { LEFT_AGENTS } from './private-locations.ts';

export interface LocationOutage {
  readonly locationId: string;
  readonly accountId: string;
  readonly name: string;
  readonly slug: string;
  /** The alert channels that got the alert. */
  readonly channelIds: readonly number[];
  /** Last contact of an agent, ms since the epoch; the creation of the location if there was none. */
  readonly since: number;
  /** Ms since the epoch. */
  readonly alertedAt: number;
}

export interface LocationContact {
  readonly locationId: string;
  readonly accountId: string;
  readonly body: PrivateLocationBody;
  /** Last contact of an agent, or the creation of the location. */
  readonly lastContact: number;
  /** Last contact of an agent that has not left; null: none. */
  readonly lastRunning: number | null;
}

export function locationOutages({ db }: StoreContext) {
  return {
    /** Returns the outages that were alerted. */
    async open(): Promise<LocationOutage[]> {
      const rows = await db.selectFrom('location_outages').selectAll().execute();
      return rows.map((row) => ({
        locationId: row.location_id,
        accountId: row.account_id,
        name: row.name,
        slug: row.slug,
        channelIds: JSON.parse(row.channel_ids) as number[],
        since: row.since,
        alertedAt: row.alerted_at,
      }));
    },
    /** Returns the last contact of each private location of all accounts. */
    async contacts(): Promise<LocationContact[]> {
      const rows = await db
        .selectFrom('private_locations as location')
        .leftJoin('private_location_agents as agent', 'agent.location_id', 'location.id')
        .select(({ fn }) => [
          'location.id',
          'location.account_id',
          'location.body',
          'location.created_at',
          fn.max('agent.seen_at').as('seenAt'),
          fn
            .max(sql<number | null>`case when agent.agent_id <> ${LEFT_AGENTS} then agent.seen_at end`)
            .as('runningAt'),
        ])
        .groupBy(['location.id', 'location.account_id', 'location.body', 'location.created_at'])
        .execute();
      return rows.map((row) => ({
        locationId: row.id,
        accountId: row.account_id,
        body: JSON.parse(row.body) as PrivateLocationBody,
        lastContact: Math.max(row.created_at, row.seenAt ?? 0),
        lastRunning: row.runningAt,
      }));
    },
    /** Begins an outage. Returns false if it has begun: another service has sent the alert. */
    async begin(outage: LocationOutage): Promise<boolean> {
      const row = {
        location_id: outage.locationId,
        account_id: outage.accountId,
        name: outage.name,
        slug: outage.slug,
        channel_ids: JSON.stringify(outage.channelIds),
        since: outage.since,
        alerted_at: outage.alertedAt,
      };
      const query = db.insertInto('location_outages').values(row);
      const result = await query
        .onConflict((conflict) => conflict.column('location_id').doNothing())
        .executeTakeFirst();
      return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    /** Ends an outage. Returns false if another service has ended it. */
    async end({ locationId, alertedAt }: LocationOutage): Promise<boolean> {
      const query = db
        .deleteFrom('location_outages')
        .where('location_id', '=', locationId)
        .where('alerted_at', '=', alertedAt);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}
