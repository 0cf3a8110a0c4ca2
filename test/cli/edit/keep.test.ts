/** What is kept in the state folder: private, bounded, and never in place of something else. */
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { saveText } from '../../../src/cli/edit/undo-files.ts';
import { createManualClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';

const shelf = (id: string | number) => ({ folder: 'previous', kind: 'group', id }) as const;

describe('what is kept', () => {
  it('is for its owner alone, also in a folder that was open before', async () => {
    const home = await temporaryFolder();
    const deps = { env: {}, home, clock: createManualClock() };
    const first = await saveText(deps, shelf(1), 'a: 1\n');
    const folder = join(home, '.local/state/sonde/previous');
    await chmod(folder, 0o755);
    const second = await saveText(deps, shelf(1), 'a: 2\n');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const path of [first, second]) expect((await stat(path)).mode & 0o777).toBe(0o600);
    // Of one second, and both there.
    expect([await readFile(first, 'utf8'), await readFile(second, 'utf8')]).toEqual(['a: 1\n', 'a: 2\n']);
  });

  it('is the last twenty of a thing, the newest always, and of other things nothing goes', async () => {
    const home = await temporaryFolder();
    const clock = createManualClock();
    const deps = { env: {}, home, clock };
    const other = await saveText(deps, shelf('1-2026-11-21T08-00-00'), 'other\n');
    const paths: string[] = [];
    for (let number = 0; number < 30; number++) {
      // Several in one second: their numbers tell which is newer, also beyond nine.
      if (number > 15) await clock.advance(1000);
      paths.push(await saveText(deps, shelf(1), `a: ${number}\n`));
    }
    const left = (await readdir(join(home, '.local/state/sonde/previous'))).sort();
    const expected = [other, ...paths.slice(-20)].map((path) => path.split('/').at(-1)).sort();
    expect(left).toEqual(expected);
  });

  it('is the last twenty also where all were kept in one second', async () => {
    const home = await temporaryFolder();
    const deps = { env: {}, home, clock: createManualClock() };
    const paths: string[] = [];
    for (let number = 0; number < 45; number++) paths.push(await saveText(deps, shelf(1), `a: ${number}\n`));
    const texts = await Promise.all(paths.slice(-20).map((path) => readFile(path, 'utf8')));
    expect(texts).toEqual(Array.from({ length: 20 }, (_, index) => `a: ${index + 25}\n`));
  });

  it('is never let go where it is an edit that was not sent', async () => {
    const home = await temporaryFolder();
    const deps = { env: {}, home, clock: createManualClock() };
    for (let number = 0; number < 25; number++) {
      await saveText(deps, { folder: 'edits', kind: 'status-page', id: 'p1' }, `a: ${number}\n`);
    }
    expect(await readdir(join(home, '.local/state/sonde/edits'))).toHaveLength(25);
  });

  it('stays inside its folder, whatever the id', async () => {
    const home = await temporaryFolder();
    const path = await saveText({ env: {}, home, clock: createManualClock() }, shelf('../../x y'), 'a: 1\n');
    expect(path.startsWith(join(home, '.local/state/sonde/previous/group-'))).toBe(true);
    expect(path.split('/').at(-1)).toMatch(/^group-%2E\.%2F\.\.%2Fx%20y-/);
  });
});
