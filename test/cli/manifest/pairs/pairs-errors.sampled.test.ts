/** Pairs of manifests whose applies meet lost connections and errors of the service. */
import { it } from 'vitest';
import { FAULTS } from './faulty-connection.ts';
import { usePairs } from './property.ts';

const checkPairs = usePairs(FAULTS);

it('an apply after errors reaches what the files declare, and changes nothing else', async () => {
  await checkPairs();
}, 3_600_000);
