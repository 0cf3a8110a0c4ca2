/** Opens the API client of a command from the selected profile. */
import { type Client, createClient, prepareProcess } from '../../client/index.ts';
import { type Connection, type Resolution, requireConnection } from '../../profiles/resolve.ts';
import { sanitizeLine, type Terminal } from '../../terminal/index.ts';
import type { Globals, Host } from './types.ts';

/** The parts of the process that a client uses. */
export type ClientContext = Pick<Host, 'version' | 'clock' | 'random' | 'env' | 'usedKeys' | 'answers'>;

/** The number of responses to remember: one output may contain several pages. */
const MAX_ANSWERS = 8;

export const userAgent = (host: ClientContext): string => `sonde/${host.version}`;

/** Opens a client for a resolution. Throws CredentialsError without a service or a key. */
export function openClient(resolution: Resolution, host: Host, terminal: Terminal, globals: Globals): Client {
  return openConnection(requireConnection(resolution), host, terminal, globals, startCommandOf(resolution));
}

/** The default address of the local service. */
const DEFAULT_ADDRESS = '127.0.0.1:4100';

/** Returns the command that starts the local service; undefined unless the address is that of the profile "local". */
function startCommandOf({ profileName, baseUrl = '', sources }: Resolution): string | undefined {
  if (profileName !== 'local' || sources.baseUrl?.from !== 'user file') return undefined;
  const { host } = new URL(baseUrl);
  return `sonde service start${host === DEFAULT_ADDRESS ? '' : ` --listen ${host}`}`;
}

/** Opens a client for a connection, which need not be a saved profile. */
export function openConnection(
  connection: Pick<Connection, 'baseUrl' | 'accountId' | 'accountHeader' | 'apiKey'>,
  host: ClientContext,
  terminal: Terminal,
  globals: Globals,
  startCommand?: string,
): Client {
  prepareProcess();
  return createClient({
    baseUrl: connection.baseUrl,
    accountId: connection.accountId,
    accountHeader: connection.accountHeader,
    getKey: async () => {
      const key = (await connection.apiKey()).reveal();
      host.usedKeys.add(key);
      return key;
    },
    userAgent: userAgent(host),
    clock: host.clock,
    random: host.random,
    env: host.env,
    requestTimeoutMs: globals.requestTimeout,
    retryBudgetMs: globals.retryBudget,
    startCommand,
    onAnswer: (answer) => {
      host.answers.push(answer);
      if (host.answers.length > MAX_ANSWERS) host.answers.shift();
    },
    onWarning: (sentence) => void terminal.warn(sentence),
    onRetry: ({ reason, waitMs, kind }) => {
      if (kind === 'retry' || waitMs >= 1000) {
        void terminal.note(`${reason}; retrying in ${(waitMs / 1000).toFixed(1)} s`);
      }
    },
    trace: globals.trace ? (line) => void terminal.err(`${sanitizeLine(line)}\n`) : undefined,
  });
}
