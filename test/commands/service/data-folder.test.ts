/** The warning about a data folder that other users can write. */
import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { warnAboutFolder } from '../../../commands/service/shared/data-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';

it.each([
  [0o700, false],
  [0o755, false],
  [0o775, true],
  [0o757, true],
  [0o1777, true],
])('a folder with mode %o', async (mode, isWarned) => {
  const folder = await temporaryFolder();
  chmodSync(folder, mode);
  const warnings: string[] = [];
  const warn = async (text: string) => void warnings.push(text);
  await warnAboutFolder({ warn }, 'linux', folder);
  expect(warnings.length > 0).toBe(isWarned);
  if (isWarned) expect(warnings[0]).toContain(`chmod go-w '${folder}'`);
});
