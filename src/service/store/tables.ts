/** All tables of the store, as Kysely sees them. */
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

/** What repositories run their statements on: the store itself, or a transaction. */
export type Executor = Kysely<Database> | Transaction<Database>;

/** Which database is underneath. */
export type DialectName = 'sqlite' | 'postgres';
