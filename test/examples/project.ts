/** A team's repository with an example copied into it, and what its scripts did to the world. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { dnsCheck, fresh, type World } from '../e2e/world.ts';
import { bareEnv } from '../support/binary.ts';

/** The tag by which the examples name their checks. */
const TAG = 'smoke';
const SCRIPTS = ['deploy', 'promote', 'roll-back'];

export interface Project {
  /** The repository: what a checkout gives. */
  readonly folder: string;
  readonly temporary: string;
  /** A machine that has nothing but the system's programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Which scripts of the team ran so far, in their order. */
  readonly done: () => readonly string[];
  readonly remove: () => void;
}

/** Makes a repository. */
export function makeProject(): Project {
  const root = mkdtempSync(join(tmpdir(), 'sonde-project-'));
  const [folder, home, temporary] = ['repository', 'home', 'tmp'].map((name) => join(root, name));
  if (!folder || !home || !temporary) throw new Error('three folders');
  for (const path of [folder, home, temporary, join(folder, 'scripts')]) mkdirSync(path);
  const ledger = join(root, 'ledger');
  for (const name of SCRIPTS) {
    const script = join(folder, 'scripts', `${name}.sh`);
    writeFileSync(script, `#!/bin/sh\necho ${name} >>'${ledger}'\n`);
    chmodSync(script, 0o755);
  }
  return {
    folder,
    temporary,
    remove: () => rmSync(root, { recursive: true, force: true }),
    env: bareEnv(home, { TMPDIR: temporary }),
    done: () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').trimEnd().split('\n') : []),
  };
}

/** What the settings of a CI system hold for a service. */
export const settingsOf = ({ service }: World) => ({
  SONDE_API_KEY: service.key,
  SONDE_BASE_URL: service.url,
  SONDE_ACCOUNT_ID: service.accountId,
});

/** The body of a check with the examples' tag. */
export const smokeCheck = (world: World, query = 'good.test', more: object = {}): object => ({
  ...dnsCheck(world, fresh('check'), query),
  tags: [TAG],
  ...more,
});

/** The body of one that nobody runs: it has not ended when the gate gives up. */
export async function endlessCheck(world: World): Promise<object> {
  const slugName = fresh('nowhere');
  await world.service.make('POST /v1/private-locations', { name: 'nobody', slugName });
  return smokeCheck(world, undefined, { locations: [], privateLocations: [slugName] });
}

/** Has the service hold these checks, until the end of the test, and those that the test makes by itself. */
export async function haveChecks({ service }: World, ...bodies: readonly object[]): Promise<void> {
  for (const body of bodies) await service.make('POST /v1/checks/dns', body);
  onTestFinished(async () => {
    const checks = await service.make<readonly { readonly id: string }[]>('GET /v1/checks?limit=100');
    for (const { id } of checks) await service.make(`DELETE /v1/checks/${id}`);
  });
}
