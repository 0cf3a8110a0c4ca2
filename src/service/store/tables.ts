/** Combines the types of all tables into Kysely's database type. */
import type { Kysely, Transaction } from 'kysely';
import type { CheckTypeTables } from './tables/check-types.ts';
import type { EngineTables } from './tables/engine.ts';
import type { MaintenanceTables } from './tables/maintenance.ts';
import type { MessageTables } from './tables/messages.ts';
import type { PageTables } from './tables/pages.ts';
import type { ResourceTables } from './tables/resources.ts';

export interface Database
  extends ResourceTables,
    EngineTables,
    MessageTables,
    MaintenanceTables,
    PageTables,
    CheckTypeTables {}

/** Runs the statements of repositories: the database or a transaction. */
export type Executor = Kysely<Database> | Transaction<Database>;

/** The kind of database. */
export type DialectName = 'sqlite' | 'postgres';
