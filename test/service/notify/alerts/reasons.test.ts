/** What an alert adds to explain a run, as a real receiver gets it. */
import { expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { BAD, GOOD } from './outcomes.ts';
import { scene } from './scene.ts';

it('shows the last results of all locations, also if a retry ran in another one', async () => {
  const at = await scene({
    locations: ['eu-west-1'],
    retryStrategy: { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 0, sameRegion: false },
  });
  await at.run(GOOD);
  await at.run(GOOD);
  await at.run(BAD);
  const slack = () => at.receiver.requests.find(({ url }) => url === '/slack')?.body;
  await eventually(() => expect(slack()).toContain('▁▁× (oldest first: 2 passed, 1 failed)'));
});
