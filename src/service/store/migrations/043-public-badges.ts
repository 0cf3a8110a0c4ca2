/** Adds the account setting that shows badges without a key. */
import { addColumns, type Migration } from './migrate.ts';

export const publicBadges: Migration = {
  name: '043-public-badges',
  up: (db, columns) => addColumns(db, columns, 'accounts', { public_badges: 'bigint not null default 0' }),
};
