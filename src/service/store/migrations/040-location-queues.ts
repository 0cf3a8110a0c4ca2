/** Adds samples of the queue of each private location, one a minute. */
import { createIndex, type Migration, table } from './migrate.ts';

export const locationQueues: Migration = {
  name: '040-location-queues',
  async up(db, columns) {
    const samples = table(db, columns, 'location_queue_samples', {
      location_id: 'text not null references private_locations.id',
      sampled_at: 'bigint not null',
      queue_size: 'integer not null',
      oldest_ms: 'bigint not null',
    });
    const key = ['location_id', 'sampled_at'] as const;
    await samples.addPrimaryKeyConstraint('location_queue_samples_key', [...key]).execute();
    await createIndex(db, 'location_queue_samples_by_time', 'location_queue_samples', 'sampled_at');
  },
};
