/** Heartbeats of a service whose machine loses its network: pings that cannot arrive are not missed. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createUplink, type Uplink } from '../../../../src/runners/uplink/uplink.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { createHeartbeat, heartbeat, MINUTE, ping, verdictsOf, watch } from './support.ts';

/** A heartbeat that was pinged once, on a machine whose network goes down as `network` says. */
async function pingOnce(more: object = {}) {
  const network = { isUp: true };
  let uplink: Uplink | undefined;
  const canaries = [{ name: 'one', target: { url: 'one' } }];
  const scene = watch({ path: join(await temporaryFolder(), 'sonde.db') }, (clock) => {
    uplink = createUplink({ canaries, clock, probe: async () => network.isUp, onChange: () => {} });
    return uplink;
  });
  onTestFinished(() => scene.stopAll());
  const at = await scene.start();
  const { id, url } = await createHeartbeat(at, more);
  await ping(at, url);
  /** An outage that the failure of another check reveals. */
  async function outage(ms: number) {
    network.isUp = false;
    await uplink?.findOutage(scene.clock.now());
    await scene.pass(ms - 5000);
    network.isUp = true;
    await scene.clock.advance(5000);
    expect(uplink?.isUp()).toBe(true);
  }
  return { network, scene, at, id, outage };
}

it('waits while the network is down, and for a ping after it', async () => {
  const { network, scene, at, id } = await pingOnce();
  await scene.clock.advance(5 * MINUTE);
  network.isUp = false;
  // Due after a minute of it.
  for (let n = 0; n < 20; n += 1) await scene.clock.advance(MINUTE / 2);
  expect(await verdictsOf(at, id)).toEqual([true]);
  network.isUp = true;
  await scene.pass(5 * MINUTE);
  expect(await verdictsOf(at, id)).toEqual([true]);
  // Nobody has pinged: then it is missed.
  await scene.pass(3 * MINUTE);
  expect(await verdictsOf(at, id)).toEqual([true, false]);
});

it('forgets no outage because another followed', async () => {
  const { scene, at, id, outage } = await pingOnce({
    heartbeat: { ...heartbeat, grace: 5 },
  });
  await scene.pass(3 * MINUTE);
  // The ping after five minutes is lost.
  await outage(3 * MINUTE);
  await scene.pass(2 * MINUTE);
  await outage(MINUTE / 2);
  // Without an outage it was due after ten minutes; it is due ten minutes after the first outage.
  await scene.pass(7 * MINUTE);
  expect(await verdictsOf(at, id)).toEqual([true]);
  await scene.pass(MINUTE);
  expect(await verdictsOf(at, id)).toEqual([true, false]);
});
