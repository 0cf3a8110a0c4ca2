/** Combines the types of all tables into Kysely's database type. */
import type { Kysely, Transaction } from 'kysely';
import type { EngineTables, MessageTables } from './tables/engine.ts';
import type { CheckTypeTables, MaintenanceTables, PageTables, ResourceTables } from './tables/resources.ts';

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
