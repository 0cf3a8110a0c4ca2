/** `sonde checks list --watch` in a real terminal, against a real service. */
import { beforeEach, describe, expect, it } from 'vitest';
import { needsTmux, openWindow } from '../support/tmux.ts';
import { makeCheck, useWorld } from './world.ts';

const world = useWorld();

describe('checks list --watch', () => {
  beforeEach(needsTmux);

  it('shows new checks, fits a smaller window, and leaves the last table', async () => {
    const first = await makeCheck(world);
    const window = await openWindow({ env: world.service.env, columns: 100, rows: 20 });
    await window.press('clear; sonde checks list --watch --interval 1s; echo "exit $?"', 'Enter');
    const has = (text: string) => (screen: readonly string[]) => screen.some((row) => row.includes(text));
    await window.shows(has(first.name));
    const second = await makeCheck(world);
    await window.shows(has(second.name));
    await window.resize(50, 20);
    const narrow = await window.shows((screen) => has(second.name)(screen) && !has('LOCATIONS')(screen));
    expect(narrow.filter((row) => row.includes('STATUS'))).toHaveLength(1);
    await window.press('C-c');
    const screen = await window.shows(has('exit 130'));
    expect(screen.filter((row) => row.includes(second.name))).toHaveLength(1);
    expect(await window.isCursorShown()).toBe(true);
  });

  it('cuts a list that is taller than the window, and shows an outage until it is over', async () => {
    for (let index = 0; index < 6; index++) await makeCheck(world);
    const window = await openWindow({ env: world.service.env, columns: 80, rows: 8 });
    await window.press('clear; sonde checks list --watch --interval 1s', 'Enter');
    const cut = await window.shows((screen) => screen.some((row) => /^ *… \d+ more$/.test(row)));
    expect(cut[0]).toMatch(/^ *STATUS +NAME/);
    expect(cut.at(-1)).toMatch(/Refreshed at .* To stop, press Ctrl-C\./);
    await world.service.kill();
    const outage = await window.shows((screen) => screen.at(-2)?.includes('Refresh failed: ') ?? false);
    // The table and its heading are still there, and nothing above them.
    expect(outage[0]).toMatch(/^ *STATUS +NAME/);
    await window.resize(80, 30);
    await window.shows((screen) => !screen.some((row) => row.includes(' more')));
    await world.service.start();
    await window.shows((screen) => !screen.some((row) => row.includes('Refresh failed')));
  });
});
