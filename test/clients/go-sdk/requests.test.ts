/** The requests that a published Go SDK sent succeed today, too: its program needs a checkout of the SDK, which few machines have. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { send } from '../../support/send.ts';
import { createIds, type RecordedRequest } from './recording.ts';
import { startGoSdkWorld } from './world.ts';

const recorded = JSON.parse(
  await readFile(join(import.meta.dirname, 'requests.json'), 'utf8'),
) as readonly RecordedRequest[];

it('are answered as when they were recorded, in the same order', async () => {
  const world = await startGoSdkWorld();
  onTestFinished(() => world.close());
  const ids = createIds(world);
  expect(recorded.length).toBeGreaterThan(90);
  for (const [index, request] of recorded.entries()) {
    const { method, path, body, file, status } = ids.fill(request);
    const answer = await send(world, `${method} ${path}`, file ? Buffer.from(file, 'base64') : body);
    // Endpoints that the service does not offer may be answered otherwise tomorrow.
    if (status < 300) expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(status);
    ids.learn(index, method, JSON.stringify(answer.body ?? null));
  }
});
