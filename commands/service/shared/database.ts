/** Defines the PostgreSQL options of `service start`, and reads their environment variables. */
import { UsageError } from '../../../src/base/errors.ts';
import { duration, integer, type ReportProblem } from '../../../src/cli/framework/options.ts';

export const databaseOptions = {
  databaseWait: duration('Time to wait at start for a PostgreSQL database (default 60s)', {
    env: 'SONDE_DATABASE_WAIT',
  }),
  databaseConnections: integer('Maximum connections to PostgreSQL (default 10)', {
    minimum: 2,
    maximum: 1000,
    env: 'SONDE_DATABASE_CONNECTIONS',
  }),
};

const WAIT_MS = 60_000;

/** Returns the settings from options, variables or defaults. Throws UsageError for an invalid variable. */
export function databaseSettings(
  options: { readonly databaseWait: number | undefined; readonly databaseConnections: number | undefined },
  env: Readonly<Record<string, string | undefined>>,
) {
  const read = (name: keyof typeof databaseOptions): number | undefined => {
    const { read: parse, env: variable = '' } = databaseOptions[name];
    const text = env[variable];
    const reportProblem: ReportProblem = ({ message }) => {
      throw new UsageError(`${variable} ${message}`);
    };
    return options[name] ?? (text ? parse([text], reportProblem) : undefined);
  };
  return { waitMs: read('databaseWait') ?? WAIT_MS, connections: read('databaseConnections') };
}
