/** Heartbeats of a service whose machine loses its network: pings that cannot arrive are not missed. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createUplink } from '../../../../src/runners/uplink/uplink.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { createHeartbeat, MINUTE, ping, verdictsOf, watch } from './support.ts';

it('waits while the network is down, and for a ping after it', async () => {
  let isUp = true;
  const canaries = [{ name: 'one', target: { url: 'one' } }];
  const scene = watch({ path: join(await temporaryFolder(), 'sonde.db') }, (clock) =>
    createUplink({ canaries, clock, probe: async () => isUp, onChange: () => {} }),
  );
  onTestFinished(() => scene.stopAll());
  const at = await scene.start();
  const { id, url } = await createHeartbeat(at);
  await ping(at, url);
  await scene.clock.advance(5 * MINUTE);
  isUp = false;
  // Due after a minute of it.
  for (let n = 0; n < 20; n += 1) await scene.clock.advance(MINUTE / 2);
  expect(await verdictsOf(at, id)).toEqual([true]);
  isUp = true;
  await scene.pass(5 * MINUTE);
  expect(await verdictsOf(at, id)).toEqual([true]);
  // Nobody has pinged: then it is missed.
  await scene.pass(3 * MINUTE);
  expect(await verdictsOf(at, id)).toEqual([true, false]);
});
