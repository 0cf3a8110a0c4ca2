/** The migrations in the order of their making. */
import { resources } from './001-resources.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [resources];
