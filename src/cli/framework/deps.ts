/** Creates the dependencies that a command's `run` gets. */
import { dirname, join } from 'node:path';
import { raceWithAbort } from '../../base/abort.ts';
import { UsageError } from '../../base/errors.ts';
import {
  type Client,
  createClient,
  type DescribedRequest,
  describeRequest,
  prepareProcess,
  type RequestConfig,
} from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import type { KeyHost } from '../../profiles/key-host.ts';
import { type Connection, loadProfiles, type Resolution, requireConnection } from '../../profiles/resolve.ts';
import {
  type OutputOptions,
  render,
  sanitizeBlock,
  sanitizeLine,
  type Terminal,
  toJson,
} from '../../terminal/index.ts';
import { decodeText, readInputFile } from './read-input-file.ts';
import type { Deps, Globals, Host } from './types.ts';

/** Returns a function that reads stdin once and returns the same text again. It throws UsageError if stdin is a terminal. */
export function createStdinReader(
  host: Pick<Host, 'stdin' | 'stdinIsTTY' | 'signal'>,
): () => Promise<string> {
  const read = async (): Promise<string> => {
    if (host.stdinIsTTY) {
      throw new UsageError('stdin is a terminal and has no input', {
        hint: 'pipe the input: … | sonde …',
      });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of host.stdin) chunks.push(Buffer.from(chunk));
    return decodeText(Buffer.concat(chunks), 'stdin');
  };
  // The writer may never end.
  return once(() => raceWithAbort(read(), host.signal));
}

/** Returns access to password managers and the system keyring. The keyring program is next to our own. */
function createKeyHost({ clock, signal, execPath, script }: Host, terminal: Terminal): KeyHost {
  return {
    clock,
    signal,
    isInteractive: terminal.canAsk,
    show: (text) => void terminal.err(sanitizeBlock(text)),
    keyringProgram: [execPath, join(dirname(script), 'keyring.cjs')],
  };
}

/** Creates the dependencies of one command; `close` closes its client. */
export function makeDeps(
  host: Host,
  terminal: Terminal,
  globals: Globals,
  readStdin: () => Promise<string>,
): { readonly deps: Deps; readonly close: () => Promise<void> } {
  const keyHost = createKeyHost(host, terminal);
  const profiles = once(async () => {
    const { profile, baseUrl, account, accountHeader } = globals;
    return loadProfiles({
      env: host.env,
      home: host.home,
      cwd: host.cwd,
      flags: { profile, baseUrl, account, accountHeader },
      warn: (message) => void terminal.warn(message),
      host: keyHost,
    });
  });
  let opened: Client | undefined;
  const client = once(async () => {
    opened = openClient(await profiles(), host, terminal, globals);
    return opened;
  });
  const { execPath, script, pid, kill, onSecondStop, platform, nodeVersion } = host;
  const deps: Deps = {
    terminal,
    profiles,
    keyHost,
    client,
    clock: host.clock,
    random: host.random,
    signal: host.signal,
    usedKeys: host.usedKeys,
    answers: host.answers,
    env: host.env,
    cwd: host.cwd,
    home: host.home,
    platform,
    version: host.version,
    self: { execPath, script, pid, kill, onSecondStop, platform, nodeVersion },
    readFile: (name) => readInputFile(host.cwd, name),
    readStdin,
    preview: async (endpoint, inputs, output) =>
      printRequests(await profiles(), host, terminal, output, endpoint, inputs),
  };
  return { deps, close: async () => opened?.close() };
}

function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

/** The parts of the process that a client uses. */
export type ClientContext = Pick<Host, 'version' | 'clock' | 'random' | 'env' | 'usedKeys' | 'answers'>;

/** The number of responses to remember: one output may contain several pages. */
const MAX_ANSWERS = 8;

export const userAgent = (host: ClientContext): string => `sonde/${host.version}`;

/** Opens a client for a resolution. Throws CredentialsError without a service or a key. */
export function openClient(resolution: Resolution, host: Host, terminal: Terminal, globals: Globals): Client {
  return openConnection(requireConnection(resolution), host, terminal, globals, startCommandOf(resolution));
}

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

/** Prints described requests as HTTP, or in the format and with the fields that the user selected. */
export async function printDescribedRequests(
  terminal: Terminal,
  output: OutputOptions,
  requests: readonly DescribedRequest[],
): Promise<void> {
  if (output.fields || !['table', 'plain', 'ical', undefined].includes(output.format))
    return render(terminal, { kind: 'items', data: requests, output });
  for (const { method, url, headers, body } of requests) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const shown = body === undefined ? '' : `\n${toJson(body, { pretty: true })}\n`;
    await terminal.out(`${method} ${url}\n${lines.join('\n')}\n${shown}`);
  }
}
