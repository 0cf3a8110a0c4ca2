/** Every cookie of the service, over plain HTTP and over TLS: no sibling domain can set one for it. */
import { expect, it, onTestFinished } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { cookieOf, signInForm } from './signed-in.ts';
import { get, post, startWorld, tokenIn } from './world.ts';

it.each([
  ['https://sonde.example.com', '__Host-'],
  ['http://sonde.example.com', ''],
])('at %s, names begin with "%s" and other cookies do not count', async (publicUrl, prefix) => {
  const world = await startWorld({ publicUrl });
  onTestFinished(() => world.close());
  const session = cookieOf(await signInForm(world, world.apiKey));
  const page = await call(world, contract.createStatusPage, {
    body: { name: 'Shop', url: 'shop', cards: [] },
  });
  const params = { statusPageId: page.id };
  const access = await call(world, contract.updateStatusPageAccess, { params, body: { isPrivate: true } });
  const token = tokenIn(await (await get(world, '/status/shop')).text());
  const key = String(access.accessKey);
  const pageKey = cookieOf(await post(world, '/status/shop/access', { token, key }));
  for (const [cookie, path, shown] of [
    [session, '/', 'Sign out'],
    [pageKey, '/status/shop', 'No services'],
  ] as const) {
    expect(cookie.startsWith(`${prefix}sonde_`)).toBe(true);
    const text = async (sent: string) => (await get(world, path, { cookie: sent })).text();
    const own = await text(cookie);
    expect(own).not.toContain('type="password"');
    const other = prefix === '' ? `__Host-${cookie}` : cookie.slice(prefix.length);
    expect(await text(other), shown).toContain('type="password"');
  }
});
