/** What agents are promised by a service over Postgres. */
import { afterAll, beforeAll } from 'vitest';
import { describeWithPostgres, type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { promisesToAgents } from './contract.ts';

describeWithPostgres('agents of a service over Postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  promisesToAgents(async () => ({ url: await server.createDatabase() }));
});
