/** The files that tell editors, Node managers and GitHub how to treat the repository agree with the rest of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const read = (path: string): string => readFileSync(path, 'utf8');

test('.nvmrc names the oldest Node that the package supports', () => {
  expect(JSON.parse(read('package.json')).engines.node).toBe(`>=${read('.nvmrc').trim()}`);
});

test('the workflow runs .ci/run on the Node of .nvmrc', () => {
  const { steps } = parse(read('.github/workflows/ci.yml')).jobs.everything;
  expect(steps).toContainEqual({ run: '.ci/run' });
  expect(steps).toContainEqual(
    expect.objectContaining({ with: expect.objectContaining({ 'node-version-file': '.nvmrc' }) }),
  );
});

test('each form for an issue has a name, a description, and fields with IDs', () => {
  const folder = '.github/ISSUE_TEMPLATE';
  const forms = readdirSync(folder).map((name) => parse(read(join(folder, name))));
  expect(forms.length).toBeGreaterThan(0);
  for (const { name, description, body } of forms) {
    expect(name && description).toBeTruthy();
    const fields: readonly { type: string; id?: string }[] = body;
    expect(fields.filter(({ type, id }) => type !== 'markdown' && id === undefined)).toEqual([]);
  }
});
