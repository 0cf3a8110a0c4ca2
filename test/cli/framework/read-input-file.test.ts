/** Files that a command reads end, whatever they are. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readInputFile } from '../../../src/cli/framework/read-input-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

it('reads a file and a pipe, and refuses a device without an end', async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, 'a.yaml'), 'ä: 1');
  expect(await readInputFile(folder, 'a.yaml')).toBe('ä: 1');
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const [text] = await Promise.all([readInputFile(folder, 'pipe'), writeFile(pipe, 'b: 2')]);
  expect(text).toBe('b: 2');
  await expect(readInputFile(folder, '/dev/zero')).rejects.toThrow(
    'cannot read /dev/zero: it is larger than 100 MB',
  );
  await expect(readInputFile(folder, '.')).rejects.toThrow('it is a folder');
});
