/** Incidents that alerts open at vendors: a recovery resolves them, also if the check was muted meanwhile, and so does its deletion. */
import { describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { startVendors } from '../channels/vendors.ts';
import { BAD, GOOD } from './outcomes.ts';
import { scene } from './scene.ts';

/** A check that alerts one channel of a type. */
async function alerting(type: string) {
  const vendors = await startVendors();
  const at = await scene({}, { vendorOrigins: vendors.vendorOrigins });
  const channel = vendors.channels.find((one) => one.type === type);
  const { id } = await call(at, contract.createAlertChannel, { body: channel as never });
  await at.store.subscriptions.set(at.accountId, { checkId: at.check.id }, [
    { channelId: id, activated: true },
  ]);
  const kinds = async () =>
    (await call(at, contract.listAlertNotifications, {})).map(({ alertType }) => alertType).reverse();
  return { vendors, at, kinds };
}

describe.each(['PAGERDUTY', 'OPSGENIE'])('%s', (type) => {
  it('learns of the recovery of a muted check, and only of that', async () => {
    const { vendors, at, kinds } = await alerting(type);
    const mute = async (muted: boolean) => {
      const check = await at.store.checks.get(at.accountId, at.check.id);
      await at.store.checks.replace(at.accountId, at.check.id, {
        type: 'DNS',
        body: { ...check?.body, muted },
      } as never);
    };
    await at.run(BAD);
    await mute(true);
    await at.run(GOOD);
    expect(await kinds()).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY']);
    // No incident is open now.
    await at.run(BAD);
    await at.run(GOOD);
    expect(await kinds()).toHaveLength(2);
    await mute(false);
    await at.run(BAD);
    await eventually(() => expect(vendors.received).toHaveLength(3));
    expect(vendors.problems).toEqual([]);
  });

  it.each([
    {
      name: 'resolves the incident of a check that is deleted',
      runs: [BAD],
      sent: ['ALERT_FAILURE', 'ALERT_RECOVERY'],
    },
    {
      name: 'learns nothing of the deletion of a good check',
      runs: [BAD, GOOD],
      sent: ['ALERT_FAILURE', 'ALERT_RECOVERY'],
    },
  ])('$name', async ({ runs, sent }) => {
    const { vendors, at, kinds } = await alerting(type);
    for (const outcome of runs) await at.run(outcome);
    await call(at, contract.deleteCheck, { params: { id: at.check.id } });
    expect(await kinds()).toEqual(sent);
    await eventually(() => expect(vendors.received).toHaveLength(sent.length));
    expect(vendors.problems).toEqual([]);
  });
});
