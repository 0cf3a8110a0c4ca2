/** The reference of commands is generated, and must say what the commands say. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configurationText, packageText, referenceText, schemaText } from '../../scripts/docs.mjs';

it('docs/commands.md is what the commands say (npm run docs writes it)', async () => {
  const current = await readFile(join(import.meta.dirname, '../../docs/commands.md'), 'utf8');
  expect(current).toBe(await referenceText());
});

it('docs/configuration.md has every setting of service and agent, and no other (npm run docs writes it)', async () => {
  const current = await readFile(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  expect(current).toBe(await configurationText());
});

it('package.json names every man page (npm run docs writes it)', async () => {
  const current = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
  expect(current).toBe(await packageText());
});

it('docs/monitoring.schema.json is what the contract generates (npm run docs writes it)', async () => {
  const current = await readFile(join(import.meta.dirname, '../../docs/monitoring.schema.json'), 'utf8');
  expect(current).toBe(await schemaText());
});
