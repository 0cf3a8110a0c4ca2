/** Runs import commands in a folder of the test, and applies what they wrote to a real service. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { command as apply } from '../../../../commands/apply.ts';
import { command as plan } from '../../../../commands/plan.ts';
import { parseEnvFile } from '../../../../src/cli/framework/parse-flag-values.ts';
import type { Command } from '../../../../src/cli/framework/types.ts';
import type { LoadedManifest } from '../../../../src/cli/manifest/files/load-manifest.ts';
import { loadManifest } from '../../../../src/cli/manifest/files/load-manifest.ts';
import type { Loss } from '../../../../src/cli/manifest/import/conversion.ts';
import { type LineOptions, runLine } from '../../../support/command.ts';
import { startTestService } from '../../../support/service.ts';
import { envOf } from '../../resources/journey.ts';
import { treeOf } from '../files/project-files.ts';

export interface Imported extends LoadedManifest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly losses: readonly Loss[];
  readonly stderr: string;
  /** The texts of the files of the manifest, by path. */
  readonly texts: Readonly<Record<string, string>>;
  readonly bodies: (section: string) => readonly Readonly<Record<string, unknown>>[];
  /** The entry of a section with a name. */
  readonly entry: (section: string, name: string) => Readonly<Record<string, unknown>>;
}

/** Runs a line that must end well, and loads the files that it wrote to `monitoring`. */
export async function importInto(
  cwd: string,
  command: Command,
  argv: readonly string[],
  { env = {}, ...options }: LineOptions = {},
): Promise<Imported> {
  const outcome = await runLine(command, [...argv, '--json'], { ...options, env, cwd });
  expect(outcome.code, outcome.stderr).toBe(0);
  const folder = join(cwd, 'monitoring');
  const paths = (await readdir(folder, { recursive: true })).filter((path) =>
    /\.(?:yaml|ts|js|txt)$/.test(path),
  );
  const secrets = await readFile(join(folder, 'secrets.env'), 'utf8').catch(() => '');
  const loaded = await loadManifest(['monitoring'], {
    tree: treeOf(cwd),
    env,
    secrets: new Map(
      parseEnvFile(secrets, (line, message) => expect.fail(`${line}: ${message}`)).map(({ key, value }) => [
        key,
        value,
      ]),
    ),
  });
  const bodies = (section: string) =>
    loaded.manifest.entries.filter((entry) => entry.section === section).map(({ body }) => body);
  const data = JSON.parse(outcome.stdout) as { readonly losses: readonly Loss[] };
  return {
    ...loaded,
    cwd,
    env,
    losses: data.losses,
    stderr: outcome.stderr,
    texts: Object.fromEntries(
      await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')])),
    ) as Readonly<Record<string, string>>,
    bodies,
    entry: (section, name) =>
      bodies(section).find((body) => body.name === name) ?? expect.fail(`${section} have no "${name}"`),
  };
}

/** Formats the losses and the files, as a person reviews them. */
export const formatImport = ({ losses, texts }: Imported): string =>
  [
    ...losses.map(
      ({ outcome, kind, name, field = '-', reason }) => `${outcome} ${kind} "${name}" ${field}: ${reason}`,
    ),
    ...Object.entries(texts)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([path, text]) => `\n=== ${path}\n${text.trimEnd()}`),
    '',
  ].join('\n');

/** Applies the files to a new service, which must accept all of them; afterwards no change is pending. */
export async function expectAccepted({ cwd, env, manifest }: Imported): Promise<void> {
  const service = await startTestService();
  try {
    const hasSecrets = await stat(join(cwd, 'monitoring/secrets.env')).then(
      () => true,
      () => false,
    );
    const argv = ['monitoring', ...(hasSecrets ? ['--secrets', 'monitoring/secrets.env'] : []), '--json'];
    const options = { cwd, env: { ...env, ...envOf(service) } };
    const first = await runLine(apply, [...argv, '--yes'], options);
    expect(first.code, first.stderr).toBe(0);
    expect(JSON.parse(first.stdout)).toHaveLength(manifest.entries.length);
    const second = await runLine(plan, [...argv, '--detailed-exitcode'], options);
    expect(second.code, `${second.stdout}${second.stderr}`).toBe(0);
  } finally {
    await service.close();
  }
}
