/** The client of one process, made from the profile that holds; and what `--dry-run` shows instead of using it. */
import {
  type Client,
  createClient,
  type DescribedRequest,
  describeRequest,
  prepareProcess,
  type RequestConfig,
} from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import { type Connection, type Resolution, requireConnection } from '../../profiles/resolve.ts';
import { type OutputOptions, sanitizeLine, type Terminal, toJson } from '../../terminal/index.ts';
import type { Globals, Host } from './types.ts';

/** What a client takes of the process. */
type Surroundings = Pick<Host, 'version' | 'clock' | 'random' | 'env' | 'usedKeys' | 'answers'>;

/** How many answers are remembered: what is printed together may come of several pages. */
const MOST_ANSWERS = 8;

const userAgent = (host: Surroundings): string => `sonde/${host.version}`;

/** A client for a resolution. Throws CredentialsError where no service or no key is known. */
export function openClient(resolution: Resolution, host: Host, terminal: Terminal, globals: Globals): Client {
  return clientFor(requireConnection(resolution), host, terminal, globals, startCommandOf(resolution));
}

/** The address that the embedded service listens on unless told otherwise. */
const DEFAULT_ADDRESS = '127.0.0.1:4100';

/** The command that starts the service of this machine; undefined where the address is not that of the profile "local". */
function startCommandOf({ profileName, baseUrl = '', sources }: Resolution): string | undefined {
  if (profileName !== 'local' || sources.baseUrl?.from !== 'user file') return undefined;
  const { host } = new URL(baseUrl);
  return `sonde service start${host === DEFAULT_ADDRESS ? '' : ` --listen ${host}`}`;
}

/** A client for a service that is no saved profile yet, too. */
export function clientFor(
  connection: Pick<Connection, 'baseUrl' | 'accountId' | 'accountHeader' | 'apiKey'>,
  host: Surroundings,
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
      if (host.answers.length > MOST_ANSWERS) host.answers.shift();
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

/** Prints each request as it would be sent, without the key and write-only values. Needs neither a key nor a profile. */
export async function printRequests(
  resolution: Resolution,
  host: Host,
  terminal: Terminal,
  output: OutputOptions,
  endpoint: Endpoint,
  inputs: readonly unknown[],
): Promise<void> {
  const requests = await describeFor(resolution, host, terminal, (config) =>
    inputs.map((input) => describeRequest(config, endpoint, input as Input<Endpoint>)),
  );
  await printDescribed(terminal, output, requests);
}

/** Describes requests to the service that is chosen; where none is, says so and has a placeholder. */
export async function describeFor(
  { baseUrl, accountId, accountHeader }: Resolution,
  host: Surroundings,
  terminal: Terminal,
  describe: (config: RequestConfig) => readonly DescribedRequest[],
): Promise<readonly DescribedRequest[]> {
  const address = baseUrl ?? 'https://base-url.invalid';
  const requests = describe({ baseUrl: address, accountId, accountHeader, userAgent: userAgent(host) });
  if (baseUrl === undefined) await terminal.note('No profile is selected; the URL is a placeholder.');
  return requests;
}

/** Prints requests as they would be sent. */
export async function printDescribed(
  terminal: Terminal,
  output: OutputOptions,
  requests: readonly DescribedRequest[],
): Promise<void> {
  if (output.format === 'json' || output.format === 'jsonl') {
    const value = requests.length === 1 ? requests[0] : requests;
    return terminal.out(`${toJson(value, { pretty: terminal.stdoutIsTTY })}\n`);
  }
  for (const { method, url, headers, body } of requests) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const shown = body === undefined ? '' : `\n${toJson(body, { pretty: true })}\n`;
    await terminal.out(`${method} ${url}\n${lines.join('\n')}\n${shown}`);
  }
}
