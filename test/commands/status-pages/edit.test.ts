/** `sonde status-pages edit`: a page in an editor, and what is sent of it. */
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command as edit } from '../../../commands/status-pages/edit.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { askedLine, type Reply } from '../../support/person.ts';
import { page, request, servePage } from './support.ts';

/** The service, and a folder of the test's own for drafts. */
const surroundings = async (url: string) => ({ ...serviceAt(url), TMPDIR: await temporaryFolder() });

const YES: Reply = ['Make this change to the status page p1?', 'y\n'];

/** An editor that is a shell script; `$1` is the file. */
async function editor(script: string): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await temporaryFolder();
  const path = join(folder, 'editor.sh');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return { folder, path };
}

const keptAt = (stderr: string): string => stderr.match(/Your edit is kept in (\S+);/)?.[1] ?? '';

describe('status-pages edit', () => {
  it('sends what was edited, and leaves no file behind', async () => {
    const server = await servePage();
    const { folder, path } = await editor(
      'echo "$1" > "$(dirname "$0")/seen"; stat -c %a "$1" "$(dirname "$1")" >> "$(dirname "$0")/seen"; sed -i s/^name:.*/name:\\ Shop/ "$1"',
    );
    const env = { ...(await surroundings(server.url)), EDITOR: path };
    const { code, stderr } = await askedLine(edit, ['p1'], { env }, YES);
    expect(code).toBe(0);
    expect(server.bodies()).toEqual([{ ...request, name: 'Shop' }]);
    expect(stderr).toContain('-name: Shop status\n+name: Shop\n');
    expect(stderr).toContain('sonde status-pages put p1 -f');
    const [draft = '', fileMode, folderMode] = (await readFile(join(folder, 'seen'), 'utf8')).split('\n');
    expect([fileMode, folderMode]).toEqual(['600', '700']);
    await expect(stat(draft)).rejects.toThrow('ENOENT');
  });

  it('prefers VISUAL, and reads it as a shell does', async () => {
    const server = await servePage();
    const { path } = await editor('[ "$1" = --wait ] && sed -i s/^name:.*/name:\\ Shop/ "$2"');
    const env = { ...(await surroundings(server.url)), VISUAL: `${path} --wait`, EDITOR: 'false' };
    const { code } = await askedLine(edit, ['p1', '--yes'], { env });
    expect(code).toBe(0);
    expect(server.bodies()).toHaveLength(1);
  });

  it('sends nothing where nothing was changed', async () => {
    const server = await servePage();
    const { code, stderr } = await askedLine(edit, ['p1'], {
      env: { ...(await surroundings(server.url)), EDITOR: 'true' },
    });
    expect(code).toBe(0);
    expect(stderr).toContain('Nothing was changed, and nothing was sent.');
    expect(server.bodies()).toEqual([]);
  });

  it('keeps an edit that cannot be used, and says at which line it is wrong', async () => {
    const server = await servePage();
    const { path } = await editor('sed -i s/^defaultTheme:.*/defaultTheme:\\ DRAK/ "$1"');
    const { code, stderr } = await askedLine(edit, ['p1'], {
      env: { ...(await surroundings(server.url)), EDITOR: path },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean DARK?');
    const kept = keptAt(stderr);
    expect(stderr).toMatch(new RegExp(`${kept}:\\d+\\s+defaultTheme\\s+must\\s+be\\s+one\\s+of`));
    expect(await readFile(kept, 'utf8')).toContain('defaultTheme: DRAK');
    expect(stderr).toContain(`sonde status-pages put p1 -f ${kept}`);
    expect(server.bodies()).toEqual([]);
  });

  it('keeps an edit that is no YAML, that the API refuses, or that a person declines', async () => {
    const refusing = await servePage(() => ({ status: 400, body: { message: 'That url is taken' } }));
    const change = await editor('sed -i s/^url:.*/url:\\ taken/ "$1"');
    const garbage = await editor('echo "a: [" > "$1"');
    const here = await surroundings(refusing.url);
    const env = (path: string) => ({ ...here, EDITOR: path });
    const refused = await askedLine(edit, ['p1', '--yes'], { env: env(change.path) });
    expect(refused.code).toBe(3);
    expect(await readFile(keptAt(refused.stderr), 'utf8')).toContain('url: taken');
    const declined = await askedLine(edit, ['p1'], { env: env(change.path) }, [YES[0], 'n\n']);
    expect(declined.code).toBe(9);
    expect(await readFile(keptAt(declined.stderr), 'utf8')).toContain('url: taken');
    const broken = await askedLine(edit, ['p1'], { env: env(garbage.path) });
    expect(broken.code).toBe(2);
    expect(await readFile(keptAt(broken.stderr), 'utf8')).toBe('a: [\n');
  });

  it('warns where somebody else changed the page during the edit, and shows what would be undone', async () => {
    let reads = 0;
    const server = await servePage(undefined, () =>
      ++reads === 1 ? page : { ...page, description: 'theirs' },
    );
    const { path } = await editor('sed -i s/^name:.*/name:\\ Shop/ "$1"');
    const env = { ...(await surroundings(server.url)), EDITOR: path };
    const { stderr } = await askedLine(edit, ['p1'], { env }, YES);
    expect(stderr).toContain('changed by somebody else');
    expect(stderr).toContain('-description: theirs');
  });

  it('says when there is no such editor, or when it fails', async () => {
    const server = await servePage();
    const env = await surroundings(server.url);
    const none = await askedLine(edit, ['p1'], { env: { ...env, EDITOR: 'no-such-editor' } });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('there is no editor no-such-editor');
    const failed = await askedLine(edit, ['p1'], { env: { ...env, EDITOR: 'false' } });
    expect(failed.code).toBe(9);
    expect(failed.stderr).not.toContain('is kept');
  });

  it('needs a terminal, and names the way without one', async () => {
    const server = await servePage();
    const { code, stderr } = await runLine(edit, ['p1'], { env: serviceAt(server.url) });
    expect(code).toBe(2);
    expect(stderr).toContain('sonde status-pages put p1 -f page.yaml');
    expect(server.requests).toEqual([]);
  });
});
