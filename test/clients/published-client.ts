/** Installs the npm client of a published deployment of the API, and runs it against a service. */
import { join } from 'node:path';
import { bareEnv, type Ran, sonde } from '../support/binary.ts';
import type { E2eService } from '../support/e2e.ts';
import { installPackage } from './npm-package.ts';

const PACKAGE = 'checkly';
export const CLIENT_VERSION = '8.23.2';

/** Returns the folder of the installed packages. Throws if npm cannot install the client. */
export const installClient = (): Promise<string> => installPackage(PACKAGE, CLIENT_VERSION);

/** Runs the client as a process of its own. */
export type Client = (...args: readonly string[]) => Promise<Ran>;

/** Returns the client of a service. `packages`: what `installClient` returned; `project`: the folder that it runs in. */
export function clientOf(service: E2eService, packages: string, project: string): Client {
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
  return (...args) => sonde(args, { env, cwd: project, binary: join(packages, PACKAGE, 'bin/run') });
}
