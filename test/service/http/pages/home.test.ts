/** The start page of a service for who is not signed in, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { get, makePage, startWorld, type World } from './world.ts';

const VERSION = '9.8.7-secret';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    documents: { '/openapi.json': async () => ({ openapi: '3.1.0' }) },
    about: async () => ({ version: VERSION }),
  });
});
afterAll(() => world.close());

it('tells browsers what the service is, in a page of ours whose links work', async () => {
  const answer = await get(world, '/');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  const page = await answer.text();
  expect(page).toContain('This is a sonde monitoring service.');
  expect(page).not.toContain(VERSION);
  const links = [...page.matchAll(/href="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(links).toEqual(['/openapi.json', '/health']);
  for (const path of links) expect((await get(world, path)).status).toBe(200);
});

it('tells programs the same as JSON, without a version, and sends it once', async () => {
  const program = await get(world, '/', { accept: 'application/json' });
  expect(program.headers.get('vary')).toBe('accept');
  expect(await program.json()).toEqual({ name: 'sonde', documentation: '/openapi.json', health: '/health' });
  for (const accept of ['application/json', '*/*']) {
    const answer = await get(world, '/', { accept });
    expect(await answer.text()).not.toContain(VERSION);
    const known = { accept, 'if-none-match': answer.headers.get('etag') ?? '' };
    expect((await get(world, '/', known)).status).toBe(304);
  }
});

it('leaves the domain of a status page to that page', async () => {
  await makePage(world, 'own', [], { customDomain: 'status.example.com', name: 'Of a domain' });
  const at = async (host: string) =>
    (await world.service.app.inject({ url: '/', headers: { host, accept: 'text/html' } })).body;
  expect(await at('status.example.com')).toContain('Of a domain');
  expect(await at('status.example.com')).not.toContain('sonde monitoring service');
  expect(await at('other.example.com')).toContain('sonde monitoring service');
});
