/**
 * Detects a connection pooler without session pooling, such as PgBouncer in the modes `transaction` and `statement`. LISTEN,
 * advisory locks and settings do not work with it.
 */
import { UsageError } from '../../../base/errors.ts';
import { connectClient, type PostgresClient, runQuery } from './client.ts';
import { LIMITS } from './limits.ts';

/** A pooler may assign the same session several times by chance. */
const ROUNDS = 5;
const NAME = 'sonde.session';

type Setting = { readonly value: string | null };

const read = async (client: PostgresClient): Promise<string | null | undefined> =>
  (await runQuery<Setting>(client, `select current_setting('${NAME}', true) as value`, LIMITS.connect.ms))[0]
    ?.value;

/** Returns whether a setting of one connection is lost, or visible to another connection. */
async function sharesSessions(one: PostgresClient, other: PostgresClient, value: string): Promise<boolean> {
  await runQuery(one, `select set_config('${NAME}', '${value}', false)`, LIMITS.connect.ms);
  // The open transaction occupies a session, so that the pooler must assign another.
  await runQuery(other, 'begin', LIMITS.connect.ms);
  if ((await read(other)) === value) return true;
  const isLost = (await read(one)) !== value;
  await runQuery(other, 'commit', LIMITS.connect.ms);
  return isLost;
}

/** @throws UsageError if the connection goes through a pooler without session pooling. */
export async function assertSessionPooling(url: string, one: PostgresClient): Promise<void> {
  const [own] = await runQuery<{ pid: number }>(one, 'select pg_backend_pid() as pid', LIMITS.connect.ms);
  // On connect, the server reports the process that serves the connection. A pooler reports a number of its own.
  if (own?.pid === (one as unknown as { readonly processID: number | null }).processID) return;
  const other = await connectClient(url);
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      if (await sharesSessions(one, other, `round ${round}`)) throw poolerError();
  } catch (error) {
    // The mode `statement` rejects transactions.
    throw /transaction blocks not allowed/i.test(String(error)) ? poolerError() : error;
  } finally {
    other.drop();
  }
}

const poolerError = (): UsageError =>
  new UsageError(
    'SONDE_DATABASE_URL points to a connection pooler without session pooling (PgBouncer in transaction or statement mode)',
    {
      hint: 'connect to PostgreSQL directly, or set pool_mode = session: sonde uses LISTEN and advisory locks',
    },
  );
