/** The npm client of a published deployment reads a project, and the files that the import writes from it are applied. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command } from '../../commands/import/checkly.ts';
import { expectAccepted, formatImport, importInto } from '../cli/manifest/import/imported.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeProject } from './project.ts';
import { installClient } from './published-client.ts';

const INSTALL_TIMEOUT_MS = 6 * 60_000;

it(
  'converts a project with its own client',
  async () => {
    const cwd = await temporaryFolder();
    const targets = { page: 'http://127.0.0.1:9/', tcpPort: 9, dnsPort: 9 };
    await writeProject(join(cwd, 'shop'), await installClient(), targets);
    const env = { PATH: process.env.PATH ?? '', HOME: cwd, CHECKLY_API_KEY: 'real-key' };
    const imported = await importInto(cwd, command, ['shop'], { env, execPath: process.execPath });
    expect(imported.manifest.project).toBe('shop');
    expect(imported.losses).toEqual([]);
    expect(imported.manifest.entries.map(({ section, name }) => `${section} ${name}`).sort()).toEqual([
      'alertChannels shop@example.com',
      'checks Browser',
      'checks Name',
      'checks Page',
      'checks Port',
      'groups Shop',
      'services Shop',
      'statusPages shop-status',
    ]);
    expect(imported.entry('checks', 'Browser')).toMatchObject({
      dependencies: [{ path: 'lib/title.js', content: "export const title = 'Shop'\n" }],
    });
    expect(formatImport(imported)).not.toContain('real-key');
    await expectAccepted(imported);
  },
  INSTALL_TIMEOUT_MS,
);
