/** Changing and deleting in front of a person: what a real screen shows before, meanwhile, and after. */
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { answer, serveWith } from '../support/http.ts';
import { needsTmux, openWindow, type Window } from '../support/tmux.ts';
import { fresh, makeCheck, useWorld } from './world.ts';

const world = useWorld();
beforeEach(needsTmux);

const has = (text: string) => (screen: readonly string[]) => screen.some((row) => row.includes(text));
const ends = (code: number) => has(`exit ${code}`);
/** Types a line on an empty screen: what one before it left is not taken for what it says. */
async function type(window: Window, line: string): Promise<void> {
  await window.press('clear', 'Enter');
  await window.shows((screen) => screen.join('') === '$');
  await window.press(`clear; ${line}; echo "exit $?"`, 'Enter');
}

async function makeSnippets(...names: readonly string[]): Promise<readonly string[]> {
  const made: string[] = [];
  for (const name of names) {
    const { id } = await world.service.make<{ id: number }>('POST /v1/snippets', { name, script: '//' });
    made.push(String(id));
  }
  return made;
}

async function makePage(more: object = {}): Promise<string> {
  const body = { name: 'Shop status', url: fresh('page'), cards: [], description: 'All about it', ...more };
  return (await world.service.make<{ id: string }>('POST /v1/status-pages', body)).id;
}

describe('deleting on a real screen', () => {
  it.each([80, 140])('shows what the ids name and what hangs on it, at %d columns', async (columns) => {
    const [used = '', free = ''] = await makeSnippets('Log in 検索\u202e', 'Tidy up');
    const name = fresh('group');
    await world.service.make('POST /v1/check-groups', { name, setupSnippetId: Number(used) });
    const window = await openWindow({ env: world.service.env, columns });
    await type(window, `sonde delete snippet ${used} ${free} 4711000`);
    const screen = await window.shows(has('(y/N)'));
    expect(screen[0]).toMatch(new RegExp(`^  ${used} +Log in 検索 +used by group ${name}$`));
    expect(screen[1]).toMatch(new RegExp(`^  ${free} +Tidy up$`));
    expect(screen[2]).toMatch(/^ {2}4711000 +not found$/);
    expect(screen[3]).toContain('Delete 3 snippets? You cannot undo this. (y/N)');
    await window.press('Enter');
    await window.shows(ends(9));
    expect((await world.service.api(`GET /v1/snippets/${used}`)).status).toBe(200);
    await type(window, `sonde delete snippet ${used} ${free} 4711000`);
    await window.shows(has('(y/N)'));
    await window.press('y', 'Enter');
    const refused = await window.shows(ends(5));
    expect(refused).toContain(`Deleted the snippet ${free}.`);
    expect(refused.join('\n')).toContain('2 of 3 could not be deleted');
    expect(refused.join(' ')).toContain(`used by group ${name}`);
    expect((await world.service.api(`GET /v1/snippets/${used}`)).status).toBe(200);
    await type(window, `sonde delete snippet ${used} --force`);
    await window.shows(has('(y/N)'));
    await window.press('y', 'Enter');
    expect(await window.shows(ends(0))).toContain(`Deleted the snippet ${used}.`);
    expect((await world.service.api(`GET /v1/snippets/${used}`)).status).toBe(404);
  });

  it('knows a trigger by what it starts', async () => {
    const { id, name } = await makeCheck(world);
    await world.service.make(`POST /v1/triggers/checks/${id}`);
    const window = await openWindow({ env: world.service.env, columns: 140 });
    await type(window, `sonde delete check-trigger ${id}`);
    const screen = await window.shows(has('(y/N)'));
    expect(screen[0]).toMatch(new RegExp(`^  ${id}  ${name}, DNS  never called$`));
    await window.press('y', 'Enter');
    await window.shows(ends(0));
  });

  it('needs --yes where the ids come from stdin, and says why', async () => {
    const [id = ''] = await makeSnippets('Piped');
    const window = await openWindow({ env: world.service.env, columns: 140 });
    await type(window, `echo ${id} | sonde delete snippet -`);
    const screen = await window.shows(ends(2));
    expect(screen.join('\n')).toContain('confirmation required: pass --yes when stdin is not a terminal');
    await type(window, `echo ${id} | sonde delete snippet - --yes`);
    expect(await window.shows(ends(0))).toContain(`Deleted the snippet ${id}.`);
  });

  it('tells how far it is, and after Ctrl-C which went and which did not', async () => {
    const held: ServerResponse[] = [];
    const server = await serveWith(({ url }, response) => {
      if (Number(url.split('/').at(-1)) <= 3) answer(response, { status: 204 });
      else held.push(response);
    });
    const env = { ...world.service.env, SONDE_BASE_URL: server.url, SONDE_API_KEY: 'key-of-the-test' };
    const window = await openWindow({ env, columns: 100 });
    await type(window, 'sonde delete snippet $(seq 1 40) --yes');
    const screen = await window.shows((rows) => / Deleting 4 of 40 snippets$/.test(rows.at(-1) ?? ''));
    expect([...screen].slice(0, 3).sort()).toEqual([1, 2, 3].map((id) => `Deleted the snippet ${id}.`));
    expect(await window.isCursorShown()).toBe(false);
    await window.press('C-c');
    const after = await window.shows(ends(130));
    const text = after.join('\n');
    expect(text).not.toMatch(/Deleting|\^C/);
    expect(text).toContain('Warning: interrupted: 3 of 40 snippets deleted');
    expect(text).toContain('Unknown, no response: 4, 5, 6, 7.');
    const words = text.replaceAll(/\s+/g, ' ');
    expect(words).toContain('Not deleted: 8, 9, 10,');
    expect(words).toContain('and 13 more. To continue, run the same command again with --ignore-missing.');
    expect(await window.isCursorShown()).toBe(true);
    expect(held).toHaveLength(4);
  });
});

describe('changing on a real screen', () => {
  it.each<[number, Record<string, string>]>([
    [80, {}],
    [140, {}],
    [80, { NO_COLOR: '1' }],
  ])('shows the difference at %d columns with %o, and puts back what stood', async (columns, more) => {
    const id = await makePage();
    const long = `${'A long sentence about the shop. '.repeat(6)}\n`;
    const file = join(world.service.home, `${id}.yaml`);
    const url = fresh('page');
    await writeFile(file, JSON.stringify({ name: 'Shop', url, cards: [], description: long }));
    const window = await openWindow({ env: { ...world.service.env, ...more }, columns, rows: 40 });
    await type(window, `sonde status-pages put ${id} -f ${file}`);
    const screen = await window.shows(has('Apply this change? (y/N)'));
    expect(screen[0]).toBe(`Changes to the status page ${id}:`);
    expect(screen).toContain('-name: Shop status');
    expect(screen).toContain('+name: Shop');
    expect(screen).toContain('-description: All about it');
    // No row of it passes for a line of its own.
    const rows = screen.slice(
      1,
      screen.findIndex((row) => row.includes('Apply this change?')),
    );
    expect(rows.every((row) => /^[-+ @]/.test(row))).toBe(true);
    expect(rows.some((row) => row.startsWith('+  ↳ '))).toBe(true);
    // tmux sets each colour by itself: \x1b[31m\x1b[49m.
    const isColoured = /\[31m(?:.\[49m)?-name: Shop/.test(await window.colours());
    expect(isColoured).toBe(!more.NO_COLOR);
    await window.press('y', 'Enter');
    const after = (await window.shows(ends(0))).join('\n');
    expect(after).toContain(`Updated the status page ${id}. To undo this, run:`);
    const joined = after.replaceAll('\n', '');
    const [, command = ''] = joined.match(/(sonde status-pages put \S+ -f \S+?\.yaml)/) ?? [];
    await type(window, `${command} --yes`);
    await window.shows(ends(0));
    expect(await world.service.make(`GET /v1/status-pages/${id}`)).toMatchObject({
      name: 'Shop status',
      description: 'All about it',
    });
  });

  it('folds what nobody would read', async () => {
    const id = await makePage();
    const cards = Array.from({ length: 200 }, (_, index) => ({ name: `Card ${index}`, services: [] }));
    const file = join(world.service.home, `${id}.json`);
    await writeFile(file, JSON.stringify({ name: 'Shop status', url: fresh('page'), cards }));
    const window = await openWindow({ env: world.service.env, rows: 60 });
    await type(window, `sonde status-pages put ${id} -f ${file}`);
    const screen = await window.shows(has('Apply this change?'));
    expect(screen.some((row) => /^@@ \d+ more lines added @@$/.test(row))).toBe(true);
    expect(screen).toContain('+  - name: Card 199');
    await window.press('n', 'Enter');
    await window.shows(ends(9));
  });

  it('opens the editor again with what is wrong, and sends it when it is mended', async () => {
    const id = await makePage();
    // An editor that a person types at: it adds the line that it reads.
    const editor = join(world.service.home, 'line editor');
    await writeFile(
      editor,
      '#!/bin/sh\nhead -3 "$1"; printf "line: "; read -r line; sed -i "s/^defaultTheme:.*/$line/" "$1"\n',
      { mode: 0o755 },
    );
    const window = await openWindow({ env: { ...world.service.env, EDITOR: editor }, columns: 100 });
    await type(window, `sonde status-pages edit ${id}`);
    await window.shows(has('line:'));
    await window.press('defaultTheme: DRAK', 'Enter');
    await window.shows(has('Edit again? (Y/n)'));
    await window.press('Enter');
    const again = await window.shows((rows) => rows.at(-1) === 'line:');
    expect(again.join('\n')).toContain('#! sonde did not send this file:');
    await window.press('defaultTheme: DARK', 'Enter');
    await window.shows(has('Apply this change? (y/N)'));
    await window.press('y', 'Enter');
    await window.shows(ends(0));
    expect(await world.service.make(`GET /v1/status-pages/${id}`)).toMatchObject({ defaultTheme: 'DARK' });
  });

  it('keeps an edit at Ctrl-C, and names the command that sends it', async () => {
    const id = await makePage();
    const editor = join(world.service.home, 'waiting editor');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/^name:.*/name: Mine/" "$1"; echo open; exec sleep 60\n', {
      mode: 0o755,
    });
    const window = await openWindow({ env: { ...world.service.env, EDITOR: editor }, columns: 140 });
    await type(window, `sonde status-pages edit ${id}`);
    await window.shows(has('open'));
    await window.press('C-c');
    const text = (await window.shows(ends(130))).join('');
    const [, command = ''] =
      text.match(/sonde saved your edit. To send it, run: +(sonde status-pages put \S+ -f \S+?\.yaml)/) ?? [];
    await type(window, `${command} --yes`);
    await window.shows(ends(0));
    expect(await world.service.make(`GET /v1/status-pages/${id}`)).toMatchObject({ name: 'Mine' });
  });
});
