/** Deleting what is in use: refused with the users' names, or detached from them in one transaction. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { deletingWhatIsUsed } from './deletions.ts';
import { dns } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('deleting what is in use', () => {
  deletingWhatIsUsed(() => service);

  it('names ten users at most, and lists a hundred', async () => {
    const group = await call(service, contract.createCheckGroup, { body: { name: 'full' } });
    const names = Array.from({ length: 12 }, (_, index) => `check ${index}`);
    for (const name of names) {
      const body = { ...dns, name, groupId: Number(group.id) };
      await call(service, contract.createDnsCheck, { body });
    }
    const refused = await ask(service, contract.deleteCheckGroup, { params: { id: group.id } });
    const { message, attributes } = refused.body as {
      message: string;
      attributes: { userCount: number; users: { name: string }[] };
    };
    expect(message).toMatch(/"check 9" \([0-9a-f-]{36}\) and 2 more\. /);
    expect(message).not.toContain('"check 10"');
    expect(attributes.userCount).toBe(12);
    expect(attributes.users.map(({ name }) => name)).toEqual(names);
  });

  it('knows no users of another account', async () => {
    const other = await service.store.accounts.create('other');
    const location = { name: 'office', slugName: 'office' };
    const { id } = await call(service, contract.createPrivateLocation, { body: location });
    const body = { ...dns, privateLocations: ['office'] };
    await service.store.checks.create(other.id, { type: 'DNS', body });
    await call(service, contract.deletePrivateLocation, { params: { id: String(id) }, query: {} });
  });
});
