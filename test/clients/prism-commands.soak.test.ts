/** The commands of the endpoints of the specification through Prism: what they send and read follows `docs/openapi.json`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
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
