/** Gives tests databases of their own on the PostgreSQL server that all tests of a run share. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { sharedPostgres } from './postgres-server.ts';

export interface Postgres {
  /** Makes an empty place for a store and returns its URL. */
  createDatabase(): Promise<string>;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** The socket of the server that a URL leads to. */
export const serverSocket = (url: string): string => `${new URL(url).searchParams.get('host')}/.s.PGSQL.5432`;

const newName = (): string => `test_${randomUUID().replaceAll('-', '')}`;

/** Makes a database on the shared server. Its notifications, locks and connections are apart from those of other test files. */
export async function openPostgres(): Promise<Postgres> {
  const { SONDE_TEST_RUN: runFolder } = process.env;
  if (runFolder === undefined)
    throw new Error('SONDE_TEST_RUN is not set: test/support/global-setup.ts sets it');
  const server = await sharedPostgres(runFolder);
  const name = newName();
  await execute(server, `create database ${name}`);
  const url = server.replace('/postgres?', `/${name}?`);
  return {
    // A schema that is all a connection sees: a whole database would cost a hundred times as much.
    async createDatabase() {
      const schema = newName();
      await execute(url, `create schema ${schema}`);
      return `${url}&options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    },
  };
}
