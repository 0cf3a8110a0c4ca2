/** What holds over both databases of deleting what is in use. */
import { expect, it } from 'vitest';
import type { Endpoint } from '../../../../src/contract/index.ts';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import type { TestService } from '../../../support/service.ts';
import { dns } from './support.ts';

/** The tests, of the service that `at` returns when they run. */
export function deletingWhatIsUsed(at: () => TestService): void {
  const api = async (fields: object) => {
    const body = {
      name: 'an API check',
      request: { method: 'GET' as const, url: 'http://a.example' },
      ...fields,
    };
    const { id } = await call(at(), contract.createApiCheck, { body });
    return String(id);
  };
  const bodyOf = async (id: string) => (await at().store.checks.get(at().accountId, id))?.body;
  /** Refused without force, with the users; done with it. */
  async function refusedThenForced(endpoint: Endpoint, params: object, users: readonly object[]) {
    const refused = await ask(at(), endpoint, { params });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining('force=true'),
        attributes: { userCount: users.length, users },
      },
    });
    const { message } = refused.body as { message: string };
    for (const user of users) expect(message).toContain((user as { id: string }).id);
    const forced = await ask(at(), endpoint, { params, query: { force: true } });
    expect(forced.status).toBe(204);
    expect((await ask(at(), endpoint, { params, query: { force: true } })).status).toBe(404);
  }

  it('a snippet: checks and groups go on without it', async () => {
    const snippet = await call(at(), contract.createSnippet, { body: { name: 'log in', script: '1' } });
    const setupSnippetId = Number(snippet.id);
    const check = await api({ setupSnippetId, tearDownSnippetId: setupSnippetId, name: 'Checkout' });
    const group = await call(at(), contract.createCheckGroup, { body: { name: 'Shop', setupSnippetId } });
    await refusedThenForced(contract.deleteSnippet, { id: setupSnippetId }, [
      { kind: 'check', id: check, name: 'Checkout' },
      { kind: 'check group', id: group.id, name: 'Shop' },
    ]);
    expect(await bodyOf(check)).toMatchObject({ setupSnippetId: null, tearDownSnippetId: null });
    const params = { id: Number(group.id) };
    expect(await call(at(), contract.getCheckGroup, { params })).toMatchObject({ setupSnippetId: null });
  });

  it('a private location: what has no other is paused, and does not run from a public one', async () => {
    const body = { name: 'office', slugName: 'the-office' };
    const { id } = await call(at(), contract.createPrivateLocation, { body });
    const privateLocations = ['the-office'];
    const alone = await api({ privateLocations, name: 'alone' });
    const both = await api({ privateLocations, locations: ['eu-west-1'], name: 'both' });
    const users = [alone, both].map((user) => ({ kind: 'check', id: user }));
    await refusedThenForced(contract.deletePrivateLocation, { id }, users);
    expect(await bodyOf(alone)).toMatchObject({ privateLocations: [], activated: false });
    expect(await bodyOf(both)).toMatchObject({ privateLocations: [], activated: true });
  });

  it('a variable that a request, a script or a snippet names, unless their own has its place', async () => {
    await call(at(), contract.createVariable, { body: { key: 'SHOP_URL', value: 'http://a.example' } });
    const script = "await page.goto(process.env['SHOP_URL'])";
    const request = { method: 'GET' as const, url: '{{SHOP_URL}}/cart' };
    const named = await api({ request, name: 'named' });
    await api({ request, environmentVariables: [{ key: 'SHOP_URL', value: 'x' }] });
    await api({ name: 'SHOP_URL', localSetupScript: 'process.env.SHOP_URL_OTHER' });
    const browser = await call(at(), contract.createBrowserCheck, { body: { name: 'b', script } });
    const snippet = await call(at(), contract.createSnippet, {
      body: { name: 's', script: 'process.env.SHOP_URL' },
    });
    await refusedThenForced(contract.deleteVariable, { key: 'SHOP_URL' }, [
      { kind: 'check', id: named },
      { kind: 'check', id: browser.id },
      { kind: 'snippet', id: snippet.id },
    ]);
  });

  it('a service that checks open incidents of and pages show', async () => {
    const { id } = await call(at(), contract.createService, { body: { name: 'Payments' } });
    const serviceId = String(id);
    const triggerIncident = { serviceId, name: 'down', description: 'd', notifySubscribers: false };
    const check = await call(at(), contract.createDnsCheck, { body: { ...dns, triggerIncident } });
    const cards = [{ name: 'Shop', services: [{ id: serviceId }] }];
    const page = await call(at(), contract.createStatusPage, { body: { name: 'p', url: 'pay', cards } });
    const rule = await call(at(), contract.createAutomationRule, {
      body: {
        ...{ name: 'r', statusPageId: page.id, tags: ['t'], firstUpdate: 'f', lastUpdate: 'l' },
        components: [{ componentId: serviceId, targetImpact: 'MAJOR_OUTAGE' }],
      },
    });
    await refusedThenForced(contract.deleteService, { id: serviceId }, [
      { kind: 'check', id: check.id },
      { kind: 'status page', id: page.id },
      { kind: 'automation rule', id: rule.id },
    ]);
    const left = await call(at(), contract.getAutomationRule, { params: { id: rule.id } });
    expect(left.components).toEqual([]);
    expect(await bodyOf(String(check.id))).not.toHaveProperty('triggerIncident');
    const params = { statusPageId: page.id };
    expect(await call(at(), contract.getStatusPage, { params })).toMatchObject({ cards: [{ services: [] }] });
  });

  it('a group: its checks belong to none', async () => {
    const group = await call(at(), contract.createCheckGroup, { body: { name: 'g' } });
    const check = await call(at(), contract.createDnsCheck, { body: { ...dns, groupId: Number(group.id) } });
    const users = [{ kind: 'check', id: check.id, name: dns.name }];
    await refusedThenForced(contract.deleteCheckGroup, { id: group.id }, users);
    expect((await at().store.checks.get(at().accountId, String(check.id)))?.groupId).toBeNull();
  });
}
