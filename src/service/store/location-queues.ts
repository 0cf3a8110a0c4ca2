/** Stores samples of the queues of private locations: how many attempts were due, and how long the first of them had waited. */
import { sql } from 'kysely';
import type { StoreContext } from './context.ts';

export const SAMPLE_INTERVAL_MS = 60_000;
/** Retention of samples, as published deployments have it. */
export const MAX_SAMPLE_AGE_MS = 15 * 24 * 60 * 60_000;

export interface QueueSample {
  /** Ms since the epoch, a whole minute. */
  readonly sampledAt: number;
  readonly queueSize: number;
  /** How long the attempt that was due first had waited; 0 if the queue was empty. */
  readonly oldestMs: number;
}

export function locationQueues({ db }: StoreContext) {
  return {
    /** Samples the queues of all private locations, unless another service has sampled them in this minute. */
    async sample(now: number): Promise<void> {
      const minute = now - (now % SAMPLE_INTERVAL_MS);
      const queues = db
        .selectFrom('private_locations as location')
        .leftJoin('runs as run', (join) =>
          join
            .onRef('run.account_id', '=', 'location.account_id')
            .on('run.pool', '=', sql<string>`'private/' || location.unique_key`)
            .on('run.state', '=', sql.lit('QUEUED'))
            .on('run.not_before', '<=', now),
        )
        // SQLite cannot parse "on conflict" after a select without a condition.
        .where('location.created_at', '<=', now)
        .groupBy('location.id')
        .select(({ fn }) => [
          'location.id',
          sql<number>`cast(${minute} as bigint)`.as('minute'),
          fn.count<number>('run.id').as('size'),
          sql<number>`coalesce(cast(${now} as bigint) - min(run.not_before), 0)`.as('oldest'),
        ]);
      await db
        .insertInto('location_queue_samples')
        .columns(['location_id', 'sampled_at', 'queue_size', 'oldest_ms'])
        .expression(queues)
        .onConflict((conflict) => conflict.columns(['location_id', 'sampled_at']).doNothing())
        .execute();
    },
    /** Returns the samples of a location, oldest first; instants in ms, `from` inclusive, `to` exclusive. */
    samples: (locationId: string, from: number, to: number): Promise<QueueSample[]> =>
      db
        .selectFrom('location_queue_samples')
        .select(['sampled_at as sampledAt', 'queue_size as queueSize', 'oldest_ms as oldestMs'])
        .where('location_id', '=', locationId)
        .where('sampled_at', '>=', from)
        .where('sampled_at', '<', to)
        .orderBy('sampled_at')
        .execute(),
    /** Deletes samples from before an instant. */
    async deleteBefore(instant: number): Promise<void> {
      await db.deleteFrom('location_queue_samples').where('sampled_at', '<', instant).execute();
    },
  };
}
