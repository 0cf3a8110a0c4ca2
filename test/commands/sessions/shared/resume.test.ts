/** The line that takes up waiting again where there are many: their ids are kept in a file, and no file for ever. */
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { formatResumeCommand } from '../../../../commands/sessions/shared/gate.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const DAY = 24 * 60 * 60 * 1000;
const globals = {} as Parameters<typeof formatResumeCommand>[1]['globals'];
const options = { timeout: 600_000, failOn: undefined, failFast: false, report: [] };
const ids = Array.from({ length: 21 }, (_, index) => `id-${index}`);

it('keeps many ids in a file, and removes those that are older than a week', async () => {
  const home = await temporaryFolder();
  const folder = join(home, 'sonde', 'waiting');
  await mkdir(folder, { recursive: true });
  const aged = async (name: string, days: number) => {
    await writeFile(join(folder, name), 'id\n');
    const then = new Date(systemClock.now() - days * DAY);
    await utimes(join(folder, name), then, then);
  };
  await aged('old.txt', 8);
  await aged('young.txt', 6);
  await aged('somebody-elses.md', 8);
  const self = {
    pid: 1,
    execPath: '',
    script: '',
    kill: () => {},
    onSecondStop: () => {},
    platform: 'linux',
    nodeVersion: '',
  };
  const deps = { env: { XDG_STATE_HOME: home }, home, clock: systemClock, self };
  const line = await formatResumeCommand(deps, { globals, options }, 'sessions wait', ids);
  const [, file = ''] = line.match(/^sonde sessions wait - < (\S+)$/) ?? [];
  expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toEqual(ids);
  expect((await readdir(folder)).toSorted()).toEqual(
    [basename(file), 'somebody-elses.md', 'young.txt'].toSorted(),
  );
});
