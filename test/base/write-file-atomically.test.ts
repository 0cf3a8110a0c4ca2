/** Files that are written in one step. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeFileAtomically } from '../../src/base/files.ts';

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a file takes the place of the one before, readable by its owner alone, and nothing else is left', () => {
  const folder = join(temporary(), 'new');
  const path = join(folder, 'state.json');
  writeFileAtomically(path, 'one');
  writeFileAtomically(path, 'two');
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['state.json']);
});

test('where the place is taken by a folder, that is an error, and nothing is left beside it', () => {
  const folder = temporary();
  mkdirSync(join(folder, 'state.json/below'), { recursive: true });
  expect(() => writeFileAtomically(join(folder, 'state.json'), 'text')).toThrow();
  expect(readdirSync(folder)).toEqual(['state.json']);
});
