/** The npm client of a published deployment reads a project, and the files that the import writes from it are applied. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command } from '../../commands/import/checkly.ts';
import { expectAccepted, formatImport, importInto } from '../cli/manifest/import/imported.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeEveryConstruct } from './every-construct.ts';
import { CLIENT_VERSIONS, installClient } from './published-client.ts';

const INSTALL_TIMEOUT_MS = 6 * 60_000;

it.each(CLIENT_VERSIONS)(
  'converts a project with every construct of version %s',
  async (version) => {
    const cwd = await temporaryFolder();
    const client = await installClient(version);
    expect(await writeEveryConstruct(join(cwd, 'shop'), client)).toEqual([]);
    const env = { PATH: process.env.PATH ?? '', HOME: cwd, CHECKLY_API_KEY: 'real-key' };
    const imported = await importInto(cwd, command, ['shop'], { env, execPath: client.node });
    expect(imported.manifest.project).toBe('every');
    expect(imported.entry('checks', 'Browser')).toMatchObject({
      dependencies: [{ path: 'lib/title.js', content: "export const title = 'Shop'\n" }],
    });
    const summary = [
      ...imported.losses.map(
        ({ outcome, kind, name, field = '-', reason }) => `${outcome} ${kind} "${name}" ${field}: ${reason}`,
      ),
      ...imported.manifest.entries
        .filter(({ section }) => section !== 'codeBundles')
        .map(({ section, name }) => `${section} ${name}`),
    ];
    // The client bundles several checks at once, in no fixed order.
    await expect(`${summary.sort().join('\n')}\n`).toMatchFileSnapshot(`./imports/checkly-${version}.txt`);
    expect(formatImport(imported)).not.toContain('real-key');
    await expectAccepted(imported);
  },
  INSTALL_TIMEOUT_MS,
);
