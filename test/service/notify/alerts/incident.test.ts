/** An incident from a failing check to its end, on a real service: alert, public page in HTML and JSON, recovery. */
import { expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { BAD, GOOD } from './outcomes.ts';
import { scene } from './scene.ts';

interface Shown {
  readonly state: string;
  readonly incidents: { readonly open: readonly object[]; readonly past: readonly object[] };
}

it('is open on the public page while the check fails, and resolved there once it recovers', async () => {
  const at = await scene();
  const service = await call(at, contract.createService, { body: { name: 'Shop' } });
  const services = [{ id: String(service.id) }];
  await call(at, contract.createStatusPage, {
    body: { name: 'Ours', url: 'ours', cards: [{ name: 'All', services }] },
  });
  const changed = await ask(at, contract.updateCheck, {
    params: { id: at.check.id },
    body: {
      triggerIncident: {
        ...{ serviceId: String(service.id), name: 'Orders <fail>', description: 'We look.' },
        ...{ severity: 'CRITICAL', notifySubscribers: false },
      },
    },
  });
  expect(changed.status).toBe(200);
  const html = async () =>
    (await fetch(`${at.url}/status/ours`, { headers: { accept: 'text/html' } })).text();
  const json = async () => (await (await fetch(`${at.url}/status/ours/status.json`)).json()) as Shown;
  expect(await html()).not.toContain('Orders');

  await at.run(BAD);
  await eventually(() => expect(at.receiver.requests).toHaveLength(2));
  const failing = await html();
  expect(failing).toContain('<h2 id="incidents">Active incidents</h2>');
  expect(failing).toContain('<h3><bdi>Orders &lt;fail&gt;</bdi></h3>');
  expect(failing).toContain('We look.');
  expect(await json()).toMatchObject({
    state: 'outage',
    incidents: { open: [{ name: 'Orders <fail>', severity: 'CRITICAL' }], past: [] },
  });

  // It goes on failing: there is still one.
  await at.run(BAD);
  expect((await json()).incidents.open).toHaveLength(1);
  await at.run(GOOD);
  const recovered = await html();
  expect(recovered).not.toContain('Open incidents');
  expect(recovered).toContain('All systems operational');
  expect(recovered).toContain('Orders &lt;fail&gt;');
  expect(await json()).toMatchObject({
    state: 'operational',
    incidents: { open: [], past: [{ name: 'Orders <fail>' }] },
  });
});
