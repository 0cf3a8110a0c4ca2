/** `sonde status-pages edit`: a page in an editor, and what is sent of it. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { command as edit } from '../../../commands/status-pages/edit.ts';
import { CancelledError } from '../../../src/base/errors.ts';
import { updateStatusPage } from '../../../src/contract/index.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { askedLine, type Reply } from '../../support/person.ts';
import { page, request, servePage } from './support.ts';

/** The service, and a folder of the test's own for drafts. */
const surroundings = async (url: string) => ({
  ...serviceAt(url),
  XDG_STATE_HOME: await temporaryFolder(),
  TERM: 'xterm',
});

const YES: Reply = ['Apply this change?', 'y\n'];
const NO_MORE: Reply = ['Edit again?', 'n\n'];

/** An editor that is a shell script; `$1` is the file. */
async function editor(script: string): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await temporaryFolder();
  const path = join(folder, 'editor.sh');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return { folder, path };
}

const keptAt = (stderr: string): string =>
  stderr.match(
    /sonde saved your edit\. To send it, run:\n {2}sonde status-pages put 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f -f (\S+)\n/,
  )?.[1] ?? '';

describe('status-pages edit', () => {
  it('sends what was edited, and leaves no file behind', async () => {
    const server = await servePage();
    const { folder, path } = await editor(
      'echo "$1" > "$(dirname "$0")/seen"; stat -c %a "$1" "$(dirname "$1")" >> "$(dirname "$0")/seen"; sed -i s/^name:.*/name:\\ Shop/ "$1"',
    );
    const env = { ...(await surroundings(server.url)), EDITOR: path };
    const { code, stderr } = await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], { env }, YES);
    expect(code).toBe(0);
    expect(server.bodies()).toEqual([{ ...request, name: 'Shop' }]);
    expect(stderr).toContain('-name: Shop status\n+name: Shop\n');
    expect(stderr).toContain('sonde status-pages put 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f -f');
    const [draft = '', fileMode, folderMode] = (await readFile(join(folder, 'seen'), 'utf8')).split('\n');
    expect([fileMode, folderMode]).toEqual(['600', '700']);
    await expect(stat(draft)).rejects.toThrow('ENOENT');
  });

  it('prefers VISUAL, and reads it as a shell does', async () => {
    const server = await servePage();
    const { path } = await editor('[ "$1" = --wait ] && sed -i s/^name:.*/name:\\ Shop/ "$2"');
    const env = { ...(await surroundings(server.url)), VISUAL: `${path} --wait`, EDITOR: 'false' };
    const { code } = await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '--yes'], { env });
    expect(code).toBe(0);
    expect(server.bodies()).toHaveLength(1);
  });

  it('sends nothing where nothing was changed', async () => {
    const server = await servePage();
    const { code, stderr } = await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], {
      env: { ...(await surroundings(server.url)), EDITOR: 'true' },
    });
    expect(code).toBe(0);
    expect(stderr).toContain('No changes; nothing was sent.');
    expect(server.bodies()).toEqual([]);
  });

  it('keeps an edit that cannot be used, and says at which line it is wrong', async () => {
    const server = await servePage();
    const { path } = await editor('sed -i s/^defaultTheme:.*/defaultTheme:\\ DRAK/ "$1"');
    const env = { ...(await surroundings(server.url)), EDITOR: path };
    const { code, stderr } = await askedLine(
      edit,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'],
      { env, columns: 200 },
      NO_MORE,
    );
    expect(code).toBe(9);
    expect(stderr).toContain('did you mean DARK?');
    const kept = await readFile(keptAt(stderr), 'utf8');
    const line = kept.split('\n').indexOf('defaultTheme: DRAK') + 1;
    expect(stderr).toContain(`\n  line ${line}: defaultTheme must be one of`);
    expect((await stat(keptAt(stderr))).mode & 0o777).toBe(0o600);
    expect(server.bodies()).toEqual([]);
  });

  it('opens the editor again with the problems at its top, until what was written can be sent', async () => {
    const server = await servePage();
    const { folder, path } = await editor(
      [
        'cp "$1" "$(dirname "$0")/seen-$(ls "$(dirname "$0")" | wc -l)"',
        'if grep -q DRAK "$1"; then sed -i -e s/DRAK/DARK/ -e s/^ulr:/url:/ -e s/^logo:.*/logo:\\ 5/ "$1"',
        'elif grep -q "^logo: 5" "$1"; then sed -i s/^logo:.*/logo:/ "$1"',
        'else sed -i -e s/^url:.*/ulr:\\ shop/ -e s/AUTO$/DRAK/ "$1"; fi',
      ].join('\n'),
    );
    const env = { ...(await surroundings(server.url)), EDITOR: path };
    const options = { env, columns: 200 };
    const again: readonly Reply[] = [
      ['Edit again?', '\n'],
      ['not 5\n? Edit again?', '\n'],
    ];
    const { code, stderr } = await askedLine(
      edit,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'],
      options,
      ...again,
      YES,
    );
    expect(code).toBe(0);
    expect(server.bodies()).toEqual([{ ...request, defaultTheme: 'DARK' }]);
    expect(stderr).not.toContain('is kept');
    const [first = '', second = '', third = ''] = await Promise.all(
      [1, 2, 3].map((number) => readFile(join(folder, `seen-${number}`), 'utf8')),
    );
    expect(first).toMatch(/^# Status page 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f\n/);
    const lines = second.split('\n');
    expect(lines[0]).toBe('#! sonde did not send this file:');
    // The lines that it names are those that the person sees.
    const told = lines.filter((line) => /^#! line \d+:/.test(line));
    expect(told).toHaveLength(3);
    expect(told[1]).toBe(
      `#! line ${lines.indexOf('ulr: shop') + 1}: "ulr" is not a known field (did you mean url?)`,
    );
    expect(told[2]).toContain(`line ${lines.indexOf('defaultTheme: DRAK') + 1}: defaultTheme`);
    // Those of the round before are gone.
    expect(third.split('\n').filter((line) => line.startsWith('#!'))).toEqual([
      '#! sonde did not send this file:',
      expect.stringContaining('logo must be'),
      '#! Fix the problems, save and quit. sonde removes these lines.',
    ]);
    expect(await readdir(join(env.XDG_STATE_HOME, 'sonde/edits'))).toEqual([]);
  });

  it('keeps an edit that is no YAML, that the API refuses, or that a person declines', async () => {
    const refusing = await servePage(() => ({ status: 400, body: { message: 'That url is taken' } }));
    const change = await editor('sed -i s/^url:.*/url:\\ taken/ "$1"');
    const garbage = await editor('echo "a: [" > "$1"');
    const here = await surroundings(refusing.url);
    const env = (path: string) => ({ ...here, EDITOR: path });
    const refused = await askedLine(
      edit,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '--yes'],
      { env: env(change.path) },
      NO_MORE,
    );
    expect(refused.code).toBe(9);
    expect(refused.stderr).toContain('That url is taken');
    expect(await readFile(keptAt(refused.stderr), 'utf8')).toContain('url: taken');
    const no: Reply = [YES[0], 'n\n'];
    const declined = await askedLine(
      edit,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'],
      { env: env(change.path) },
      no,
      NO_MORE,
    );
    expect(declined.code).toBe(9);
    expect(await readFile(keptAt(declined.stderr), 'utf8')).toContain('url: taken');
    const broken = await askedLine(
      edit,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'],
      { env: env(garbage.path) },
      NO_MORE,
    );
    expect(broken.code).toBe(9);
    expect(await readFile(keptAt(broken.stderr), 'utf8')).toBe('a: [\n');
  });

  it.each([
    [401, 4],
    [404, 5],
    [500, 6],
  ])('keeps an edit that meets with %i, and offers no editing that would not help', async (status, exit) => {
    const server = await servePage(() => ({ status, body: { message: 'Not now' } }));
    const { path } = await editor('sed -i s/^url:.*/url:\\ other/ "$1"');
    const env = { ...(await surroundings(server.url)), EDITOR: path };
    const { code, stderr } = await askedLine(
      edit,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '--yes', '--retry-budget', '0'],
      { env },
    );
    expect(code).toBe(exit);
    expect(stderr).not.toContain('Edit again?');
    expect(await readFile(keptAt(stderr), 'utf8')).toContain('url: other');
  });

  it('keeps the edit of an editor that fails, and of a person who stops the program meanwhile', async () => {
    const server = await servePage();
    const crashing = await editor('sed -i s/^url:.*/url:\\ other/ "$1"; kill -SEGV $$');
    const env = await surroundings(server.url);
    const crashed = await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], {
      env: { ...env, EDITOR: crashing.path },
    });
    expect(crashed.code).toBe(9);
    expect(await readFile(keptAt(crashed.stderr), 'utf8')).toContain('url: other');

    const stop = new AbortController();
    const waiting = await editor(
      'sed -i s/^url:.*/url:\\ other/ "$1"; echo now >&2; echo $$ > "$0.open"; while :; do sleep 0.05; done',
    );
    const running = askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], {
      env: { ...env, EDITOR: waiting.path },
      signal: stop.signal,
    });
    const isOpen = () => readFile(`${waiting.path}.open`, 'utf8').catch(() => '');
    await eventually(async () => expect(await isOpen()).toMatch(/\n$/));
    stop.abort(new CancelledError('SIGINT'));
    const stopped = await running;
    expect(stopped.code).toBe(130);
    const editorId = Number(await readFile(`${waiting.path}.open`, 'utf8'));
    expect(() => process.kill(editorId, 0)).toThrow('ESRCH');
    expect(await readFile(keptAt(stopped.stderr), 'utf8')).toContain('url: other');
    expect(server.bodies()).toEqual([]);
  });

  it('sends nothing that is not UTF-8, and keeps each byte of it', async () => {
    const server = await servePage();
    const { path } = await editor(`LC_ALL=C sed -i "s/^name:.*/name: Z$(printf '\\374')rich/" "$1"`);
    const env = { ...(await surroundings(server.url)), EDITOR: path };
    const { code, stderr } = await askedLine(
      edit,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '--yes'],
      { env },
      NO_MORE,
    );
    expect(code).toBe(9);
    expect(stderr).toContain('is not valid UTF-8');
    expect((await readFile(keptAt(stderr))).toString('latin1')).toContain('name: Z\u00fcrich');
    expect(server.bodies()).toEqual([]);
  });

  it('loses nothing of an edit where what is wrong with it cannot be written beside it', async () => {
    const server = await servePage();
    const { path } = await editor(
      'sed -i -e "s/^defaultTheme: DRAK/defaultTheme: DRUK/" -e "s/^defaultTheme: AUTO/defaultTheme: DRAK/" "$1"',
    );
    // So deep that a longer name has no room: what comes of it is the same as of a disk that is full.
    let state = await temporaryFolder();
    while (state.length < 3986 - 200) state = join(state, 'x'.repeat(150));
    state = join(state, 'x'.repeat(3986 - state.length - 1));
    const env = { ...(await surroundings(server.url)), EDITOR: path, XDG_STATE_HOME: state };
    const replies: readonly Reply[] = [
      ['Edit again?', '\n'],
      ['not "DRUK" (did you mean DARK?)\n? Edit again?', 'n\n'],
    ];
    const { stderr } = await askedLine(
      edit,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'],
      { env, columns: 6000 },
      ...replies,
    );
    expect(stderr).toContain('could not write the problems at the top of your edit (ENAMETOOLONG)');
    const edits = join(state, 'sonde/edits');
    const [kept = '', ...more] = await readdir(edits);
    expect(more).toEqual([]);
    expect(await readFile(join(edits, kept), 'utf8')).toContain('\ndefaultTheme: DRUK\n');
  });

  it('warns where somebody else changed the page during the edit, and shows what would be undone', async () => {
    let reads = 0;
    const server = await servePage(undefined, () =>
      ++reads === 1 ? page : { ...page, description: 'theirs' },
    );
    const { path } = await editor('sed -i s/^name:.*/name:\\ Shop/ "$1"');
    const env = { ...(await surroundings(server.url)), EDITOR: path };
    const { stderr } = await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], { env }, YES);
    expect(stderr).toContain('someone else changed the page');
    const [theirs = '', mine = ''] = stderr.split(
      'Changes to the status page 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f:',
    );
    expect(theirs).toContain('Changed by someone else:');
    expect(theirs).toContain('+description: theirs');
    expect(mine).toContain('-description: theirs');
  });

  it('says when there is no such editor, or when it fails', async () => {
    const server = await servePage();
    const env = await surroundings(server.url);
    const none = await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], {
      env: { ...env, EDITOR: 'no-such-editor' },
    });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('editor no-such-editor');
    const failed = await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], {
      env: { ...env, EDITOR: 'false' },
    });
    expect(failed.code).toBe(9);
    expect(failed.stderr).not.toContain('is kept');
    const nothing = await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], {
      env: { ...env, PATH: await temporaryFolder() },
    });
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain('no editor configured, and none of editor, vi, vim, nano');
    expect(nothing.stderr).toContain('export EDITOR=nano');
  });

  it('takes the usual editor where none is chosen, and a path with spaces as it is', async () => {
    const server = await servePage();
    const { path } = await editor('sed -i s/^name:.*/name:\\ Shop/ "$1"');
    const folder = join(await temporaryFolder(), 'my editors');
    await mkdir(folder);
    for (const name of ['vi', 'my editor']) await symlink(path, join(folder, name));
    const env = { ...(await surroundings(server.url)), PATH: `${folder}:${process.env.PATH}` };
    const spaced = { ...env, VISUAL: ' ', EDITOR: join(folder, 'my editor') };
    expect(
      (await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '--yes'], { env: spaced })).code,
    ).toBe(0);
    // Not the developer's own: it would be found first.
    const alone = { ...env, PATH: folder, VISUAL: '' };
    for (const tool of ['sed', 'sh']) {
      const found = (process.env.PATH ?? '')
        .split(':')
        .map((each) => join(each, tool))
        .find(existsSync);
      await symlink(found ?? '', join(folder, tool));
    }
    expect(
      (await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '--yes'], { env: alone })).code,
    ).toBe(0);
    expect(server.bodies()).toHaveLength(2);
  });

  it('explains every field, and says what a window of its own needs', async () => {
    const server = await servePage();
    const { folder, path } = await editor('cp "$1" "$(dirname "$0")/seen"');
    const env = { ...(await surroundings(server.url)), EDITOR: path };
    const { stderr } = await askedLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], { env });
    expect(stderr).toContain('EDITOR="code --wait"');
    const seen = await readFile(join(folder, 'seen'), 'utf8');
    for (const name of Object.keys(updateStatusPage.body?.properties ?? {})) {
      expect(seen).toMatch(new RegExp(`^# .+\\n(?:#.*\\n)*#?${name}:`, 'm'));
    }
    expect(parse(seen)).toEqual(request);
  });

  it('needs a terminal, and names the way without one', async () => {
    const server = await servePage();
    const { code, stderr } = await runLine(edit, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], {
      env: serviceAt(server.url),
    });
    expect(code).toBe(2);
    expect(stderr).toContain('sonde status-pages put 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f -f page.yaml');
    expect(server.requests).toEqual([]);
  });
});
