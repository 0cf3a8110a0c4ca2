/** The client of one process, made from the profile that holds; and what `--dry-run` shows instead of using it. */
import { type Client, createClient, describeRequest, prepareProcess } from '../../src/client/index.ts';
import type { Endpoint, Input } from '../../src/contract/index.ts';
import { type Resolution, requireConnection } from '../../src/profiles/resolve.ts';
import { type OutputOptions, type Terminal, toJson } from '../../src/terminal/index.ts';
import type { Globals, Host } from './types.ts';

const userAgent = (host: Host): string => `sonde/${host.version}`;

/** A client for a resolution. Throws CredentialsError where no service or no key is known. */
export function openClient(resolution: Resolution, host: Host, terminal: Terminal, globals: Globals): Client {
  const connection = requireConnection(resolution);
  prepareProcess();
  return createClient({
    baseUrl: connection.baseUrl,
    accountId: connection.accountId,
    accountHeader: connection.accountHeader,
    getKey: async () => (await connection.apiKey()).reveal(),
    userAgent: userAgent(host),
    clock: host.clock,
    random: host.random,
    env: host.env,
    requestTimeoutMs: globals.requestTimeout,
    retryBudgetMs: globals.retryBudget,
    onRetry: ({ reason, waitMs, kind }) => {
      if (kind === 'retry' || waitMs >= 1000) {
        void terminal.note(`${reason}; trying again in ${(waitMs / 1000).toFixed(1)} s`);
      }
    },
    trace: globals.trace ? (line) => void terminal.err(`${line}\n`) : undefined,
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
  const { baseUrl = 'https://base-url.invalid', accountId, accountHeader } = resolution;
  const config = { baseUrl, accountId, accountHeader, userAgent: userAgent(host) };
  const requests = inputs.map((input) => describeRequest(config, endpoint, input as Input<Endpoint>));
  if (resolution.baseUrl === undefined)
    await terminal.note('No profile is chosen, so the address is a placeholder.');
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
