/** Creates the table of private locations whose missing agents were alerted. A deleted location keeps its row until its end is sent. */
import { type Migration, table } from './migrate.ts';

export const locationOutages: Migration = {
  name: '034-location-outages',
  async up(db, columns) {
    await table(db, columns, 'location_outages', {
      location_id: 'text primary key',
      account_id: 'text not null',
      name: 'text not null',
      slug: 'text not null',
      channel_ids: 'text not null',
      since: 'bigint not null',
      alerted_at: 'bigint not null',
    }).execute();
  },
};
