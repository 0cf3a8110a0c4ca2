/** Installs the npm client of a published deployment of the API, and runs it against a service. */
import { join } from 'node:path';
import { bareEnv, type Ran, sonde } from '../support/binary.ts';
import type { E2eService } from '../support/e2e.ts';
import { installPackage } from './npm-package.ts';

const PACKAGE = 'checkly';
/** The last version for Node 20, and the current one. */
export const CLIENT_VERSIONS = ['8.23.2', '9.5.0'] as const;
export type ClientVersion = (typeof CLIENT_VERSIONS)[number];

const PROGRAMS: Readonly<Record<ClientVersion, string>> = { '8.23.2': 'bin/run', '9.5.0': 'bin/run.cjs' };
/** Version 9 refuses older versions of Node. */
const MIN_NODE = 22;
const NODE_VERSION = '22.23.3';

/** Returns a program of Node that all versions accept. */
async function installNode(): Promise<string> {
  if (Number.parseInt(process.versions.node, 10) >= MIN_NODE) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  return join(await installPackage(name, NODE_VERSION), name, 'bin/node');
}

export interface InstalledClient {
  /** The `node_modules` folder that contains the client. */
  readonly packages: string;
  /** The program of Node that runs it. */
  readonly node: string;
  /** Path of its program. */
  readonly program: string;
}

/** Throws if npm cannot install the client. */
export async function installClient(version: ClientVersion): Promise<InstalledClient> {
  const packages = await installPackage(PACKAGE, version);
  return { packages, node: await installNode(), program: join(packages, PACKAGE, PROGRAMS[version]) };
}

/** Runs the client as a process of its own. */
export type Client = (...args: readonly string[]) => Promise<Ran>;

/** Returns the client of a service. `project`: the folder that it runs in. */
export function clientOf(service: E2eService, { node, program }: InstalledClient, project: string): Client {
  const env = bareEnv(service.home, {
    CI: 'true',
    NO_COLOR: '1',
    CHECKLY_ENV: 'local',
    CHECKLY_API_URL: service.url,
    CHECKLY_API_KEY: service.key,
    CHECKLY_ACCOUNT_ID: service.accountId,
    // Otherwise it sends the key to the message broker of the vendor.
    CHECKLY_MQTT_URL: service.url.replace(/^http/, 'ws'),
    CHECKLY_SKIP_NEW_VERSION_CHECK: 'true',
  });
  return (...args) => sonde(args, { env, cwd: project, node, binary: program });
}
