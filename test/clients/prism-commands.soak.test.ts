/** The commands of the endpoints of the specification, plan and apply through Prism: all that they send and read follows `docs/openapi.json`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { wholeFolders } from '../cli/manifest/whole-folder.ts';
import { changes } from '../e2e/matrix/changes.ts';
import { deletions } from '../e2e/matrix/deletions.ts';
import { runs } from '../e2e/matrix/runs.ts';
import { useWorld } from '../e2e/world.ts';
import { sondeInProcess } from '../support/in-process.ts';
import { type Prism, startPrism } from './prism.ts';

const world = useWorld();
let prism: Prism;
beforeAll(async () => {
  prism = await startPrism(world.service.url, { strict: true });
});
afterAll(() => prism?.close());

it.each([...changes, ...runs, ...deletions])('endpoint $number', async (row) => {
  const made = await row.arrange(world);
  const env = { ...world.service.env, SONDE_BASE_URL: prism.url, SONDE_API_KEY: world.service.key };
  const { code, stderr } = await sondeInProcess([...row.command(made, world), '--json'], { env });
  expect(code, stderr).toBe(0);
});

it('plan and apply', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-prism-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { ...world.service.env, SONDE_BASE_URL: prism.url, SONDE_API_KEY: world.service.key };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await sondeInProcess([...args, 'whole.yaml'], { env, cwd: folder });
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };
  for (const text of [...wholeFolders('prism'), 'project: prism\n']) {
    writeFileSync(join(folder, 'whole.yaml'), text);
    await run('apply', '--prune', '--yes', '--allow-mass-delete');
    expect(await run('plan', '--prune')).toContain('No changes');
  }
});
