/** Pairs of manifests whose applies meet the end of the process. */
import { it } from 'vitest';
import { KILLS } from './faulty-connection.ts';
import { usePairs } from './property.ts';

const checkPairs = usePairs(KILLS);

it('an apply after a kill reaches what the files declare, and changes nothing else', async () => {
  await checkPairs();
}, 3_600_000);
