/** Runs the installed npm client of a project against a server of this process, and returns what it would deploy. */

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onAbort } from '../../../../base/abort.ts';
import { describeExcess, findDeepPath } from '../../../../base/depth.ts';
import { UsageError } from '../../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { RUNTIME_IDS } from '../../../../contract/enumerations.ts';
import { SCRIPT_PACKAGE_NAMES } from '../../../../contract/script-packages.ts';
import type { Deps } from '../../../framework/index.ts';
import type { SuiteFiles } from '../../export/declared-manifest.ts';
import type { Deployment } from './convert-project.ts';
import { readTar } from './read-tar.ts';

const PACKAGE = 'checkly';
const ACCOUNT = { id: '00000000-0000-4000-8000-000000000000', name: 'import', runtimeId: RUNTIME_IDS[0] };

/** Returns the folder of a package that a project has installed; undefined if there is none. */
function findPackage(project: string, name: string): string | undefined {
  const folder = join(project, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(project) === project ? undefined : findPackage(dirname(project), name);
}

/** Older versions of the client ask only this port of the machine. */
const FIXED_PORT = 3000;

interface InstalledClient {
  readonly program: string;
  readonly version: string;
  /** The port of the server that it asks; 0: any. */
  readonly port: number;
}

/** Throws UsageError if the client is not installed. */
function findClient(project: string): InstalledClient {
  const folder = findPackage(project, PACKAGE);
  const manifest: unknown = folder && JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { bin, version } = isObject(manifest) ? manifest : {};
  const program = isObject(bin) ? bin[PACKAGE] : bin;
  if (folder !== undefined && typeof program === 'string') {
    const settings = join(folder, 'dist/services/config.js');
    const isOld = existsSync(settings) && !readFileSync(settings, 'utf8').includes('CHECKLY_API_URL');
    return { program: join(folder, program), version: String(version), port: isOld ? FIXED_PORT : 0 };
  }
  throw new UsageError('the project has no npm package checkly, which reads its configuration', {
    hint: 'install the packages of the project: npm install',
  });
}

/** Returns the packages that scripts may import: the client refuses others. */
function listPackages(project: string): readonly string[] {
  const folder = join(project, 'node_modules');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const scoped = names
    .filter((name) => name.startsWith('@'))
    .flatMap((scope) => readdirSync(join(folder, scope)).map((name) => `${scope}/${name}`));
  return [...SCRIPT_PACKAGE_NAMES, ...names.filter((name) => !/^[.@]/.test(name)), ...scoped];
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
}

/** The answers that the client needs before it deploys, and what it sends. */
function createRecorder(project: string) {
  const suites = new Map<string, SuiteFiles>();
  const dependencies = Object.fromEntries(listPackages(project).map((name) => [name, '*']));
  const runtimes = RUNTIME_IDS.map((name) => ({
    name,
    stage: 'CURRENT',
    default: name === ACCOUNT.runtimeId,
    multiStepSupport: true,
    dependencies,
  }));
  let deployed: JsonObject | undefined;
  const answer = async (method: string, path: string, body: () => Promise<Buffer>): Promise<unknown> => {
    if (method === 'POST' && path.endsWith('/projects/deploy')) {
      const value: unknown = JSON.parse((await body()).toString());
      if (isObject(value)) deployed = value;
      return { project: mapProject(value), diff: [] };
    }
    if (method === 'POST' && path.includes('/checkly-storage/upload')) {
      const key = `bundle-${suites.size + 1}`;
      const bytes = await body();
      if (path.endsWith('/upload-code-bundle')) suites.set(key, readTar(bytes));
      return { key };
    }
    if (/\/accounts$/.test(path)) return [ACCOUNT];
    if (/\/accounts\/[^/]+$/.test(path)) return ACCOUNT;
    if (/\/users\/me$/.test(path)) return { id: ACCOUNT.id, name: ACCOUNT.name };
    if (/\/runtimes$/.test(path)) return runtimes;
    return runtimes.find(({ name }) => path.endsWith(`/runtimes/${name}`));
  };
  return {
    suites,
    deployed: () => deployed,
    async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const value = await answer(request.method ?? '', pathname, () => readBody(request)).catch(
        () => undefined,
      );
      request.resume();
      response.writeHead(value === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(value ?? { statusCode: 404, error: 'Not Found', message: 'not available' }),
      );
    },
  };
}

const mapProject = (value: unknown): unknown => (isObject(value) ? value.project : undefined);

/** Runs the client in the folder of the project. Throws UsageError with its last lines if it does not deploy. */
export async function captureDeployment(
  { env, self, signal }: Pick<Deps, 'env' | 'self' | 'signal'>,
  project: string,
  shown: string,
): Promise<Deployment> {
  const client = findClient(project);
  const recorder = createRecorder(project);
  const server = createServer((request, response) => void recorder.handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(client.port, '127.0.0.1', resolve);
  }).catch((cause: unknown) => {
    throw new UsageError(
      `checkly ${client.version} needs port ${client.port} of this machine, which is in use`,
      {
        cause,
        hint: 'update the package (npm install checkly@latest), or stop the program that uses the port',
      },
    );
  });
  const home = await mkdtemp(join(tmpdir(), 'sonde-import-'));
  try {
    const { port } = server.address() as AddressInfo;
    const text = await runClient(
      [self.execPath, client.program],
      project,
      clientEnv(env, `127.0.0.1:${port}`, home),
      signal,
    );
    const request = recorder.deployed();
    if (findDeepPath(request)) throw new UsageError(`the deployment of ${shown} ${describeExcess()}`);
    if (request !== undefined) return { request, suites: recorder.suites };
    throw new UsageError(`the npm client of ${shown} does not deploy the project`, {
      details: lastLines(text).map((message) => ({ place: PACKAGE, message })),
      hint: `to see all of its output, run in ${shown}: npx checkly deploy --preview`,
    });
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Returns the environment of the client: it knows neither a real key nor any server but ours. */
function clientEnv(env: Deps['env'], address: string, home: string): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !/^(?:CHECKLY_|SONDE_)|proxy$/i.test(name));
  return {
    ...Object.fromEntries(others),
    // Contains the key of a user who has logged in.
    XDG_CONFIG_HOME: home,
    CI: 'true',
    NO_COLOR: '1',
    CHECKLY_ENV: 'local',
    CHECKLY_API_URL: `http://${address}`,
    CHECKLY_MQTT_URL: `ws://${address}`,
    CHECKLY_API_KEY: 'import',
    CHECKLY_ACCOUNT_ID: ACCOUNT.id,
    CHECKLY_SKIP_NEW_VERSION_CHECK: 'true',
  };
}

/** Returns the output of `deploy --preview`. */
function runClient(
  [node, program]: readonly [string, string],
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(node, [program, 'deploy', '--preview'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const removeListener = onAbort(signal, () => child.kill('SIGTERM'));
    child.once('error', reject);
    child.once('close', () => {
      removeListener();
      if (signal.aborted) reject(signal.reason as Error);
      else resolve(Buffer.concat(chunks).toString());
    });
  });
}

const MAX_LINES = 20;

const lastLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-MAX_LINES);
