/** Signing in to the pages of the service: with a key, with a link, and for how long. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { cookieOf, signIn, signInForm } from './signed-in.ts';
import { DAY_MS, get, post, startWorld, tokenIn, type World } from './world.ts';

let world: World;
let logged: string[];
beforeEach(async () => {
  logged = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  world = await startWorld({ publicUrl: 'https://sonde.example.com', logger });
});
afterEach(() => world.close());

const home = (cookie: string) => get(world, '/', { cookie });
const isSignedIn = async (cookie: string) => (await (await home(cookie)).text()).includes('Sign out');
const rowsOf = () => world.store.db.selectFrom('sign_ins').selectAll().execute();

it('a key opens the home page, and neither the page nor the store nor the log has the key', async () => {
  expect(await isSignedIn('')).toBe(false);
  const answer = await signInForm(world, world.apiKey);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  expect(answer.headers.get('set-cookie')).toMatch(
    /^__Host-sonde_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
  );
  const cookie = cookieOf(answer);
  const page = await (await home(cookie)).text();
  expect(page).toContain('Sign out');
  const stored = JSON.stringify(await rowsOf());
  expect(logged.join('')).toContain('/sign-in');
  for (const secret of [world.apiKey, cookie.split('=')[1] ?? '']) {
    expect(stored).not.toContain(secret);
    expect(page).not.toContain(secret);
    expect(logged.join('')).not.toContain(secret);
  }
});

it('wrong keys, old forms and other sites do not sign in', async () => {
  for (const key of ['', 'sk_wrong', `${world.apiKey}x`]) {
    const refused = await signInForm(world, key);
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null]);
    expect(await refused.text()).toContain('The API key is not valid.');
  }
  const token = tokenIn(await (await get(world, '/')).text());
  const send = (fields: Record<string, string>, headers = {}) =>
    post(world, '/sign-in', { key: world.apiKey, ...fields }, headers);
  expect((await send({ token: 'wrong' })).status).toBe(400);
  expect((await send({ token }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await send({ token }, { origin: 'https://evil.example' })).status).toBe(403);
  world.step(DAY_MS);
  expect((await send({ token })).status).toBe(400);
});

it('leads back to a page of the service, and never to another site', async () => {
  for (const [path, to] of [
    ['/?status=failing', '/?status=failing'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['/\n/evil.example', '/'],
  ] as const)
    expect((await signInForm(world, world.apiKey, { path })).headers.get('location')).toBe(to);
});

it('a link signs in once, within minutes, and shows where it leads', async () => {
  const create = (path: string) => call(world, contract.createSignInLink, { body: { path } });
  const { url, expiresAt } = await create('/?page=2');
  expect(url).toMatch(/^https:\/\/sonde\.example\.com\/sign-in\/[\w-]{43}$/);
  expect(Date.parse(expiresAt) - world.now()).toBeLessThanOrEqual(5 * 60_000);
  const { pathname } = new URL(url);
  expect(logged.join('')).not.toContain(pathname);
  // A program that opens links does not use it up.
  for (const method of ['HEAD', 'GET', 'GET'])
    expect((await fetch(world.url + pathname, { method, redirect: 'manual' })).status).toBe(200);
  const page = await get(world, pathname);
  expect([page.headers.get('set-cookie'), page.headers.get('referrer-policy')]).toEqual([
    null,
    'same-origin',
  ]);
  const text = await page.text();
  expect(text).not.toContain('<script');
  const token = tokenIn(text);
  expect((await post(world, pathname, {})).status).toBe(400);
  expect((await post(world, pathname, { token }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const answer = await post(world, pathname, { token });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/?page=2']);
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  expect(await isSignedIn(cookieOf(answer))).toBe(true);
  expect(logged.join('')).not.toContain(pathname);
  for (const again of [await get(world, pathname), await post(world, pathname, { token })])
    expect([again.status, again.headers.get('set-cookie')]).toEqual([403, null]);
  const late = new URL((await create('/')).url).pathname;
  world.step(5 * 60_000);
  expect((await get(world, late)).status).toBe(403);
  for (const path of ['//evil.example', 'checks', '/\\x']) await expect(create(path)).rejects.toThrow('path');
});

it('a session ends with its key, by signing out, and after a week', async () => {
  const { key, secret } = await world.store.keys.create(world.accountId, 'for a browser');
  const cookie = await signIn(world, secret);
  expect(await isSignedIn(cookie)).toBe(true);
  await world.store.keys.delete(world.accountId, key.id);
  expect(await isSignedIn(cookie)).toBe(false);

  const own = await signIn(world, world.apiKey);
  const token = tokenIn(await (await home(own)).text());
  const other = await signIn(world, world.apiKey);
  // The form of one session does not end another.
  expect((await post(world, '/sign-out', { token }, { cookie: other })).status).toBe(400);
  expect((await post(world, '/sign-out', {}, { cookie: own })).status).toBe(400);
  const out = await post(world, '/sign-out', { token }, { cookie: own });
  expect([out.status, out.headers.get('set-cookie')]).toEqual([303, expect.stringContaining('Max-Age=0')]);
  expect([await isSignedIn(own), await isSignedIn(other)]).toEqual([false, true]);
  world.step(7 * DAY_MS);
  expect(await isSignedIn(other)).toBe(false);
});

it('deletes what has expired, and the oldest sessions of a key with many', async () => {
  const cookies: string[] = [];
  for (let index = 0; index < 51; index += 1) {
    const { token } = await world.store.signIns.createSession((await keyId()) ?? '', DAY_MS);
    cookies.push(`__Host-sonde_session=${token}`);
    world.step(1);
  }
  expect(await rowsOf()).toHaveLength(50);
  expect([await isSignedIn(cookies[0] ?? ''), await isSignedIn(cookies[1] ?? '')]).toEqual([false, true]);
  world.step(2 * DAY_MS);
  await world.store.signIns.createSession((await keyId()) ?? '', DAY_MS);
  expect(await rowsOf()).toHaveLength(1);
});

const keyId = async () => (await world.store.keys.list(world.accountId))[0]?.id;

it('people who guess keys have to wait', async () => {
  const own = await startWorld();
  const statuses: number[] = [];
  for (let index = 0; index < 11; index += 1) statuses.push((await signInForm(own, 'sk_wrong')).status);
  expect(statuses).toEqual([...Array<number>(10).fill(403), 429]);
  await own.close();
});
