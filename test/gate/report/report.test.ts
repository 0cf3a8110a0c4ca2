/** Reports as the gate has them written: before anything is sent, and after whatever became of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputError } from '../../../src/base/errors.ts';
import { writeReports } from '../../../src/gate/report/index.ts';
import { type RunGateOptions, runGate } from '../../../src/gate/run-gate.ts';
import { checkSessions } from '../../../src/gate/wait/verdict.ts';
import { createManualClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { createTestTerminal } from '../../support/terminal.ts';
import { idOf } from '../outcomes.ts';
import { endedAs, toldOf } from './snapshots.ts';

const KEY = 'key-of-the-test';

/** Where reports go in a test. */
async function places(files: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const cwd = await temporaryFolder();
  const screen = createTestTerminal({ env });
  const clock = createManualClock();
  const reporting = {
    ...{ cwd, env, clock, terminal: screen.terminal, version: '1.2.3' },
    reports: files.map((file) => ({ kind: 'json' as const, file })),
    hide: (text: string) => text.replaceAll(KEY, '***'),
  };
  const read = (file: string): unknown => JSON.parse(readFileSync(join(cwd, file), 'utf8'));
  return { ...screen, cwd, clock, reporting, read };
}

/** A gate whose start does this, with one report. */
async function holdWith(start: (place: Awaited<ReturnType<typeof places>>) => never) {
  const place = await places(['r.json']);
  const options: RunGateOptions = {
    ...place.reporting,
    random: { next: () => 0.5, uuid: () => idOf(1) },
    signal: new AbortController().signal,
    kind: checkSessions,
    start: async () => start(place),
    openPoll: async () => async () => ({ kind: 'pending' }),
    errorSources: () => Promise.reject(new Error('not asked for')),
    errorsCommand: () => '',
    output: { utc: true },
    timeoutMs: 1000,
    failOnDegraded: false,
    failFast: false,
    justStarted: false,
    resumeCommand: async () => '',
    report: (told) => writeReports(told, place.reporting),
  };
  return { ...place, held: runGate(options) };
}

test('a fault of ours is told as one, without a key, after a report that was there before it', async () => {
  let before: unknown;
  const { held, read } = await holdWith((place) => {
    before = place.read('r.json');
    throw new TypeError(`cannot read ${KEY}`);
  });
  await expect(held).rejects.toThrow(TypeError);
  expect(before).toMatchObject({ isOver: false, verdict: 'unknown', exitCode: 7 });
  expect(read('r.json')).toMatchObject({
    isOver: true,
    verdict: 'unknown',
    exitCode: 70,
    sentence: 'cannot read ***',
  });
});

test('of several reports all are tried, and what became of one is told in the others', async () => {
  const { reporting, read, cwd } = await places(['none/a.json', 'b.json', '/dev/full', 'c.json']);
  const unwritten = await writeReports(toldOf([endedAs(1, 'passed')]), reporting);
  expect(unwritten).toBeInstanceOf(OutputError);
  expect(unwritten?.message).toMatch(
    /could not write the report .*none\/a\.json: .*ENOENT.*; could not write the report \/dev\/full: .*ENOSPC/,
  );
  for (const file of ['b.json', 'c.json']) {
    expect(read(file)).toMatchObject({
      exitCode: 74,
      verdict: 'unknown',
      sentence: expect.stringContaining('/dev/full'),
    });
  }
  expect(existsSync(join(cwd, 'none'))).toBe(false);
});

test('GitHub Actions is told once, at the end, and what it is told is what the exit code will be', async () => {
  const { reporting, stderr, cwd } = await places(['none/a.json'], {
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: 'summary.md',
  });
  await writeReports(toldOf([], { isOver: false, exitCode: 7 }), reporting);
  expect([stderr(), existsSync(join(cwd, 'summary.md'))]).toEqual(['', false]);
  await writeReports(toldOf([endedAs(1, 'passed')]), reporting);
  expect(stderr()).toMatch(/^::error title=sonde::.*could not write the report .*none\/a\.json: .*\n$/);
  expect(readFileSync(join(cwd, 'summary.md'), 'utf8')).toMatch(/^\n## ❔ /);
});
