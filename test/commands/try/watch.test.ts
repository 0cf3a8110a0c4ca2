/** Tests of `sonde try --watch`: which changes run the checks again, and how it ends. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command } from '../../../commands/try.ts';
import { CancelledError } from '../../../src/base/errors.ts';
import { runCommand } from '../../../src/cli/program/run-command.ts';
import { writeFolder } from '../../cli/manifest/files/project-files.ts';
import { makeHost } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, serveWith } from '../../support/http.ts';

const FILES = (url: string) => ({
  'monitoring/groups.yaml': 'groups: [{name: Shop}]',
  'monitoring/checks.yaml': `checks: [{name: Home, checkType: URL, group: Shop, request: {url: "${url}/first"}}]`,
  'monitoring/notes.txt': 'nothing to read',
});

it('runs again after a change of any file that was read, also of a broken one, until it is interrupted', async () => {
  const { url, requests } = await serveWith((_, response) => answer(response, {}));
  const paths = () => requests.map((request) => request.url);
  const cwd = await writeFolder(FILES(url));
  // As editors save: another file takes the name.
  const write = async (name: string, text: string) => {
    await writeFile(join(cwd, 'saved'), text);
    await rename(join(cwd, 'saved'), join(cwd, 'monitoring', name));
  };
  const stopping = new AbortController();
  const { host, screen } = await makeHost(['Home', '--watch'], { cwd, signal: stopping.signal });
  const ended = runCommand(command, host);
  const waits = (times: number) =>
    eventually(() => expect(screen.stderr().split('Waiting for changes')).toHaveLength(times + 1));

  await waits(1);
  expect(paths()).toEqual(['/first']);
  await write('notes.txt', 'changed');
  await write('checks.yaml', `checks: [{name: Home, checkType: URL, request: {url: "${url}/second"}}]`);
  await waits(2);
  expect(paths()).toEqual(['/first', '/second']);

  await write('groups.yaml', 'groups: [');
  await waits(3);
  expect(screen.stderr()).toMatch(/Error: monitoring\/groups\.yaml:1/);
  await write('groups.yaml', 'groups: [{name: Shop}]');
  await waits(4);
  await write('more.yaml', 'checks: []');
  await waits(5);
  expect(paths()).toEqual(['/first', '/second', '/second', '/second']);

  stopping.abort(new CancelledError('SIGINT'));
  expect(await ended).toBe(130);
  expect(screen.stdout().match(/^PASSED\tHome/gm)).toHaveLength(4);
});
