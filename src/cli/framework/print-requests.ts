/** Prints requests for `--dry-run` without sending them. */
import { type DescribedRequest, describeRequest, type RequestConfig } from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import type { Resolution } from '../../profiles/resolve.ts';
import { type OutputOptions, type Terminal, toJson } from '../../terminal/index.ts';
import { type ClientContext, userAgent } from './open-client.ts';

/** Prints each request without the key and write-only values. Needs neither a key nor a profile. */
export async function printRequests(
  resolution: Resolution,
  host: ClientContext,
  terminal: Terminal,
  output: OutputOptions,
  endpoint: Endpoint,
  inputs: readonly unknown[],
): Promise<void> {
  const requests = await describeRequests(resolution, host, terminal, (config) =>
    inputs.map((input) => describeRequest(config, endpoint, input as Input<Endpoint>)),
  );
  await printDescribedRequests(terminal, output, requests);
}

/** Describes requests to the selected service. Without one, prints a note and uses a placeholder URL. */
export async function describeRequests(
  { baseUrl, accountId, accountHeader }: Resolution,
  host: ClientContext,
  terminal: Terminal,
  describe: (config: RequestConfig) => readonly DescribedRequest[],
): Promise<readonly DescribedRequest[]> {
  const address = baseUrl ?? 'https://base-url.invalid';
  const requests = describe({ baseUrl: address, accountId, accountHeader, userAgent: userAgent(host) });
  if (baseUrl === undefined) await terminal.note('No profile is selected; the URL is a placeholder.');
  return requests;
}

/** Prints described requests as HTTP, or as JSON. */
export async function printDescribedRequests(
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
