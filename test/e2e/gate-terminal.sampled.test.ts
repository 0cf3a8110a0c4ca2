/** The gate in front of a person: what a real screen shows while it waits, when it is resized, and when it is over. */

import { beforeEach, describe, expect, it } from 'vitest';
import { shortId } from '../../src/base/short-id.ts';
import { plain, sondeInTerminal } from '../support/binary.ts';
import { serveWith } from '../support/http.ts';
import { sampleOf } from '../support/sampled.ts';
import { needsTmux, openWindow, type Window } from '../support/tmux.ts';
import { fresh, makeCheck, NOBODY, startEndlessSession, startSession, useWorld } from './world.ts';

const world = useWorld();

/** A line of a session that runs. */
const RUNNING = /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .*\b(?:STARTED|PROGRESS)\b/;
const MARKED = /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏✗!] /;

/** What the names of checks end with that are long enough to fill a wide window. */
const WHOLE = 'x'.repeat(45);
/** Checks that run until they are cancelled. */
async function makeEndless(
  count: number,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const slugName = fresh('nowhere');
  await world.service.make('POST /v1/private-locations', { name: 'nobody', slugName });
  return Promise.all(
    Array.from({ length: count }, async () => {
      const name = `${fresh('long')}-${WHOLE}`;
      const more = { name, locations: [], privateLocations: [slugName] };
      return { id: (await makeCheck(world, undefined, more)).id, name };
    }),
  );
}

const type = (window: Window, line: string) => window.press(line, 'Enter');
const start = (window: Window, ids: readonly string[], before = '') =>
  type(window, `clear; ${before}sonde checks run ${ids.join(' ')}; echo "exit $?"`);
const frameOf = (screen: readonly string[]) => screen.filter((row) => MARKED.test(row));
const has = (text: string) => (screen: readonly string[]) => screen.some((row) => row.includes(text));

describe('on a real screen', () => {
  beforeEach(needsTmux);

  it.each(sampleOf([80, 140], 1))(
    'has a line a session that fits %d columns, below what was said',
    async (columns) => {
      const failing = await makeCheck(world, 'missing.test');
      const endless = await makeEndless(2);
      const window = await openWindow({ env: world.service.env, columns });
      await start(window, [...endless.map(({ id }) => id), failing.id]);
      const screen = await window.shows(
        (rows) => rows.filter((row) => RUNNING.test(row)).length === 2 && frameOf(rows)[0]?.[0] === '✗',
      );
      expect(frameOf(screen)).toHaveLength(3);
      expect(frameOf(screen)[0]).toMatch(/^✗ check-\S+ +(?:\([0-9a-f-]{18}\) +)?FAILED +at eu-west-1 +\S+s$/);
      expect(screen.slice(-4)[0]).toBe('Started 3 sessions.');
      expect(await window.isCursorShown()).toBe(false);
    },
  );

  const places = [
    ['at the bottom', 'seq 100; '],
    ['at the top', ''],
  ] as const;
  it.each(sampleOf(places, 1))(
    'leaves one frame and nothing else of it when it is resized %s of the window',
    async (_where, before) => {
      const endless = await makeEndless(3);
      const window = await openWindow({ env: world.service.env, columns: 140 });
      await start(
        window,
        endless.map(({ id }) => id),
        before,
      );
      const whole = (rows: readonly string[]) => rows.filter((row) => RUNNING.test(row)).length === 3;
      await window.shows(whole);
      for (const columns of [60, 140, 90, 50, 120, 60, 100]) {
        await window.resize(columns);
        const isNameWhole = columns >= 120;
        const screen = await window.shows((rows) => {
          const last = rows.slice(-3);
          const isDrawnAnew = (row: string) => row.includes(WHOLE) === isNameWhole && row.length < columns;
          return last.length === 3 && last.every((row) => RUNNING.test(row) && isDrawnAnew(row));
        });
        expect(screen.filter((row) => row.includes('xxx'))).toHaveLength(3);
      }
    },
  );

  it('has no more lines than fit where the window becomes low, and all again where it grows', async () => {
    const endless = await makeEndless(9);
    const window = await openWindow({ env: world.service.env, columns: 100 });
    await start(
      window,
      endless.map(({ id }) => id),
    );
    await window.shows((rows) => frameOf(rows).length === 9);
    await window.resize(100, 8);
    await window.shows((rows) => frameOf(rows).length === 4 && /^. 6 more waiting$/.test(rows.at(-1) ?? ''));
    await window.resize(100, 24);
    // A line that was drawn just as the window became low may have scrolled away, and come back above.
    await window.shows((rows) => {
      const last = frameOf(rows.slice(-9)).join('\n');
      return endless.every(({ name }) => last.includes(name.slice(0, 20)));
    });
  });

  it('is followed by the table and the verdict, with nothing of it left and the cursor back', async () => {
    const failing = await makeCheck(world, 'missing.test');
    const [endless] = await makeEndless(1);
    const window = await openWindow({ env: world.service.env, columns: 100 });
    await start(window, [failing.id, endless?.id ?? '']);
    await window.shows((rows) => frameOf(rows).length === 2);
    const { entries } = await world.service.make<{ entries: readonly { checkSessionId: string }[] }>(
      `GET /v2/check-sessions?checkId=${endless?.id}`,
    );
    await world.service.make(`POST /v1/check-sessions/${entries[0]?.checkSessionId}/cancel`);
    const screen = await window.shows(has('exit 1'));
    expect(screen.join('\n')).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|\([0-9a-f-]{8,}\)/);
    expect(screen[0]).toBe('Started 2 sessions.');
    expect(screen[1]).toMatch(/^RESULT +CHECK/);
    expect(screen.some((row) => row.startsWith('Error: '))).toBe(true);
    expect(await window.isCursorShown()).toBe(true);
  });

  it('goes at Ctrl-C, which says what still runs and how to take up waiting again', async () => {
    const [endless] = await makeEndless(1);
    const window = await openWindow({ env: world.service.env });
    await start(window, [endless?.id ?? '']);
    await window.shows((rows) => rows.some((row) => RUNNING.test(row)));
    await window.press('C-c');
    const screen = await window.shows(has('exit 130'));
    expect(frameOf(screen)).toEqual([]);
    expect(screen.join('\n')).not.toContain('^C');
    expect(screen.some((row) => row.startsWith('Still running: '))).toBe(true);
    expect(screen.some((row) => row.includes('sonde sessions wait '))).toBe(true);
    expect(await window.isCursorShown()).toBe(true);
  });

  it('says that it starts, and is gone at Ctrl-C, which says what may have begun', async () => {
    const server = await serveWith(() => {});
    const env = { ...world.service.env, SONDE_BASE_URL: server.url, SONDE_API_KEY: 'key-of-the-test' };
    const window = await openWindow({ env });
    await start(window, [NOBODY]);
    await window.shows((rows) => / Starting sessions$/.test(rows.at(-1) ?? ''));
    await window.press('C-c');
    // The shell writes its next prompt after the exit code.
    expect(await window.shows((rows) => rows.at(-1) === '$')).toEqual([
      'Warning: sessions may have started; to list them, run: sonde sessions list',
      'Interrupted.',
      'exit 130',
      '$',
    ]);
  });

  it('goes at Ctrl-Z, gives the cursor back, and comes again', async () => {
    const session = await startEndlessSession(world);
    const window = await openWindow({ env: world.service.env });
    await type(window, `clear; sonde sessions wait ${session}`);
    await window.shows((rows) => frameOf(rows).length === 1);
    await window.press('C-z');
    expect(frameOf(await window.shows(has('Stopped')))).toEqual([]);
    expect(await window.isCursorShown()).toBe(true);
    await type(window, 'fg');
    await window.shows((rows) => MARKED.test(rows.at(-1) ?? ''));
    expect(await window.isCursorShown()).toBe(false);
  });

  it('has what is said meanwhile above it', async () => {
    const session = await startEndlessSession(world);
    const window = await openWindow({ env: world.service.env, columns: 100 });
    await type(window, `clear; sonde sessions wait ${session}`);
    await window.shows((rows) => frameOf(rows).length === 1);
    await world.service.kill();
    const screen = await window.shows((rows) => rows.length > 1 && has('still waiting')(rows));
    expect(frameOf(screen)).toEqual(screen.slice(-1));
    // It is told that the fault is over only where it lasted.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await world.service.start();
    // What is said is written before the frame is drawn anew below it.
    const again = has('The service responds again after');
    const after = await window.shows((rows) => again(rows) && frameOf(rows).length > 0);
    expect(frameOf(after)).toEqual(after.slice(-1));
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['has colours', {}, true],
    ['has none with NO_COLOR', { NO_COLOR: '1' }, false],
  ])('%s', async (_what, env, isColoured) => {
    const session = await startEndlessSession(world);
    const window = await openWindow({ env: { ...world.service.env, ...env } });
    await type(window, `clear; sonde sessions wait ${session}`);
    await window.shows((rows) => frameOf(rows).length === 1);
    expect((await window.colours()).includes('\x1b[36m')).toBe(isColoured);
  });
});

describe('in a terminal where nothing may move', () => {
  it.each([
    ['of a CI', { CI: '1', NO_COLOR: '1' }],
    ['that cannot draw', { TERM: 'dumb' }],
    ['of a person who has it read out', { SONDE_ACCESSIBLE: '1', NO_COLOR: '1' }],
  ])('%s, lines tell each change', async (_what, env) => {
    const { id, name } = await makeCheck(world, 'missing.test');
    const session = await startSession(world, id);
    const args = ['sessions', 'wait', session, await startEndlessSession(world), '--fail-fast'];
    const { code, screen } = await sondeInTerminal(args, {
      env: { ...world.service.env, ...env },
      columns: 140,
    });
    expect(code).toBe(1);
    expect(screen).not.toContain('\x1b');
    expect(plain(screen)).toContain(`${name} (${shortId(session)}) FAILED at eu-west-1\n`);
  });

  it('with --plain, no sequence but colours is written and marks are words', async () => {
    const { id, name } = await makeCheck(world, 'missing.test');
    const { screen } = await sondeInTerminal(['checks', 'run', id, '--plain'], {
      env: world.service.env,
      columns: 140,
    });
    expect(screen).toContain('\x1b[31m');
    const uncoloured = screen.replaceAll(/\p{Cc}\[[\d;]*m/gu, '');
    expect(uncoloured).not.toMatch(/(?![\r\n])\p{Cc}|[\u2500-\u28ff]/u);
    expect(plain(screen)).toContain(`failed: ${name} at eu-west-1: `);
  });
});
