/** Who may read a status page, set from the command line over a real service. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command } from '../../../commands/status-pages/access.ts';
import { createStatusPage } from '../../../src/contract/index.ts';
import { envOf, well } from '../../cli/resources/journey.ts';
import { call } from '../../support/call.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let id = '';
beforeAll(async () => {
  service = await startTestService();
  id = (await call(service, createStatusPage, { body: { name: 'Shop', url: 'shop', cards: [] } })).id;
});
afterAll(() => service.close());

const access = async (...argv: string[]) => {
  const { stdout, stderr } = await well(command, [id, '--json', ...argv], { env: envOf(service) });
  return { told: JSON.parse(stdout), stderr };
};
const statusWith = async (key?: string) =>
  (
    await fetch(`${service.url}/status/shop/status.json`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    })
  ).status;

it('closes a page, shows its key once, changes the key, and opens the page again', async () => {
  const closed = await access('--private');
  expect(closed.told).toMatchObject({ isPrivate: true, whiteLabel: false });
  expect(closed.stderr).toContain('The key is printed once.');
  const { accessKey } = closed.told;
  expect([await statusWith(), await statusWith(accessKey)]).toEqual([401, 200]);

  const later = await access();
  expect(later.told).toEqual({ isPrivate: true, whiteLabel: false });
  expect(later.stderr).not.toContain('The key is printed once.');

  const { told } = await access('--new-key', '--white-label');
  expect(told).toMatchObject({ isPrivate: true, whiteLabel: true });
  expect([await statusWith(accessKey), await statusWith(told.accessKey)]).toEqual([401, 200]);

  expect((await access('--no-private')).told).toEqual({ isPrivate: false, whiteLabel: true });
  expect(await statusWith()).toBe(200);
});
