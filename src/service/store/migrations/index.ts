/** Lists the migrations in order. */
import { MIGRATIONS_001_TO_002 } from './001-to-002.ts';
import { MIGRATIONS_003_TO_010 } from './003-to-010.ts';
import { MIGRATIONS_011_TO_021 } from './011-to-021.ts';
import type { Migration } from './migrate.ts';

export const MIGRATIONS: readonly Migration[] = [
  ...MIGRATIONS_001_TO_002,
  ...MIGRATIONS_003_TO_010,
  ...MIGRATIONS_011_TO_021,
];
