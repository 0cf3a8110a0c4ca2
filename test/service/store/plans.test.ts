/** Tests on both databases that no statement scans a table that grows with the account. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CompiledQuery, type Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Database } from '../../../src/service/store/context.ts';
import { openSqliteFile } from '../../../src/service/store/sqlite.ts';
import { openPostgres, type Postgres } from '../../support/postgres.ts';
import { type Explain, planContract } from './plans.ts';

/** Returns the plan of a statement with its values. */
async function explainQuery<Row>(db: Kysely<Database>, how: string, query: CompiledQuery): Promise<Row[]> {
  const { sql: text, parameters } = query;
  return (await db.executeQuery<Row>(CompiledQuery.raw(`${how} ${text}`, [...parameters]))).rows;
}

/** Matches steps over value lists and subquery results, which are not tables. */
const NO_TABLES =
  /^SCAN (?:CONSTANT ROW|\d+ CONSTANT ROWS|\(subquery-\d+\)|json_each VIRTUAL TABLE INDEX \d+:|(?:waiting|placed|by_destination|by_kind|by_priority|first_due|picked|wanted|taking|said|candidate|listed|own|grouped)$)/;

const explainSqlite: Explain = async (db, query) => {
  const rows = await explainQuery<{ detail: string }>(db, 'explain query plan', query);
  const details = rows.map(({ detail }) => detail);
  // Reading the first row of a partial index is not a scan.
  const isOfPart = (detail: string) =>
    /USING (?:COVERING )?INDEX (?:outbox_leases|outbox_due|runs_by_claim_by|runs_by_lease_until)\b/.test(
      detail,
    );
  const faults = details.filter(
    (detail) => /^SCAN /.test(detail) && !NO_TABLES.test(detail) && !isOfPart(detail),
  );
  return { faults, plan: details.join('\n') };
};

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** Maximum rows to read out of thousands: the search for the rarest tag counts up to a thousand of each. */
const MOST_READ = 1200;
const MAY_READ_ALL = new Set(['accounts', 'alert_channels', 'check_groups', 'status_page_access']);

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of node.Plans ?? []) yield* nodesOf(child);
}

const explainPostgres: Explain = async (db, query) => {
  if (!/^\s*(?:select|with|update|delete|insert)/i.test(query.sql)) return { faults: [], plan: '' };
  // Analyze executes the statement again, which may change rows.
  const rows = await explainQuery<{ 'QUERY PLAN': readonly { Plan: Node }[] }>(
    db,
    'explain (analyze, format json)',
    query,
  );
  const root = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (root === undefined) throw new Error('Postgres explains nothing');
  const faults: string[] = [];
  for (const node of nodesOf(root)) {
    const table = node['Relation Name'];
    if (table === undefined || MAY_READ_ALL.has(table)) continue;
    const loops = node['Actual Loops'] ?? 0;
    const read = ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * loops;
    if (read > MOST_READ) faults.push(`reads ${read} rows of ${table}`);
  }
  return { faults, plan: JSON.stringify(root, null, 1) };
};

describe('on SQLite', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sonde-plans-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'sonde.db');
  planContract(
    'sqlite',
    async () => ({ path: file }),
    async () => (await openSqliteFile(file)).dialect,
    explainSqlite,
  );
});

describe('on Postgres', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await openPostgres();
  });
  planContract(
    'postgres',
    async () => ({ url: await server.createDatabase() }),
    async (location) =>
      new PostgresDialect({ pool: new pg.Pool({ connectionString: 'url' in location ? location.url : '' }) }),
    explainPostgres,
  );
});
