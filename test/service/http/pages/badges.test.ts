/** Badges on a real service: what they show, who can see them, and how caches treat them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import {
  BADGE_STYLES,
  BADGE_THEMES,
  renderBadge,
} from '../../../../src/service/http/pages/badges/badge-svg.ts';
import { call } from '../../../support/call.ts';
import { makeBoardCheck } from './dashboards-world.ts';
import { get, startWorld, type World } from './world.ts';

let world: World;
let id = '';
let groupId = 0;
beforeAll(async () => {
  world = await startWorld();
  const group = await call(world, contract.createCheckGroup, {
    body: { name: 'Checkout & <pay>', concurrency: 1, locations: ['eu-west-1'] },
  });
  groupId = group.id ?? 0;
  const failed = (hours: number) => (hours === 5 ? 10 : 0);
  id = await makeBoardCheck(world, {
    name: 'Shop',
    status: 'passing',
    groupId,
    days: 10,
    typicalMs: 100,
    failed,
  });
  await makeBoardCheck(world, { name: 'Other', status: 'failing', groupId });
});
afterAll(() => world.close());

const pathOf = (url: string | undefined): string => new URL(url ?? '').pathname;
const links = () => call(world, contract.getCheckBadges, { params: { id } });

async function labelOf(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await get(world, path, headers);
  expect(response.status, path).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
  return /aria-label="([^"]*)"/.exec(await response.text())?.[1] ?? '';
}

describe('the link of a badge', () => {
  it('shows the status, the uptime of a period and the response time, without an API key', async () => {
    const { status, uptime, responseTime } = await links();
    expect(await labelOf(pathOf(status))).toBe('Shop: passing');
    expect(await labelOf(pathOf(uptime))).toBe('uptime 30d: 99.583%');
    expect(await labelOf(`${pathOf(uptime)}?period=24h`)).toBe('uptime 24h: 95.65%');
    expect(await labelOf(pathOf(responseTime))).toMatch(/^response time p95: 2\d\d ms$/);
  });

  it('of a group shows the worst status of its checks', async () => {
    const { status, uptime } = await call(world, contract.getGroupBadges, { params: { id: groupId } });
    expect(await labelOf(pathOf(status))).toBe('Checkout &amp; &lt;pay&gt;: failing');
    expect(await labelOf(pathOf(uptime))).toBe('uptime 30d: 99.583%');
  });

  it('can be cached for a minute, and revalidated', async () => {
    const path = pathOf((await links()).status);
    const response = await get(world, path);
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    const etag = response.headers.get('etag') ?? '';
    expect((await get(world, path, { 'if-none-match': etag })).status).toBe(304);
  });

  it('opens nothing else, and cannot be guessed', async () => {
    const path = pathOf((await links()).status);
    const other = path.replace(id, '00000000-0000-4000-8000-000000000000');
    for (const wrong of [
      other,
      `${path.slice(0, -12)}x/status.svg`,
      path.replace('status.svg', 'all.svg'),
      path.replace('checks', 'groups'),
    ])
      expect((await get(world, wrong)).status, wrong).toBe(404);
  });

  it('belongs to the account of the check', async () => {
    const stranger = { url: world.url, ...(await world.newAccount()) };
    await expect(call(stranger, contract.getCheckBadges, { params: { id } })).rejects.toThrow('404');
  });
});

describe('the published address of a badge', () => {
  it('needs an API key of the account, or the key of the link', async () => {
    const path = `/v1/badges/checks/${id}`;
    expect((await get(world, path)).status).toBe(401);
    const authorization = `Bearer ${world.apiKey}`;
    expect(await labelOf(path, { authorization })).toBe('Shop: passing');
    expect(await labelOf(`${path}?responseTime=true`, { authorization })).toContain('response time');
    expect(await labelOf(`/v1/badges/groups/${groupId}`, { authorization })).toContain('failing');
    const stranger = await world.newAccount();
    expect((await get(world, path, { authorization: `Bearer ${stranger.apiKey}` })).status).toBe(404);
    const [, , , , key] = pathOf((await links()).status).split('/');
    expect(await labelOf(`${path}?key=${key}`)).toBe('Shop: passing');
    expect((await get(world, `${path}?key=wrong`)).status).toBe(401);
  });
});

describe('the badges of an account', () => {
  it('are public if the account says so, without a wrong key, and not of another account', async () => {
    const stranger = { url: world.url, ...(await world.newAccount()) };
    const other = await call(stranger, contract.createCheckGroup, { body: { name: 'x', concurrency: 1 } });
    const paths = [`/v1/badges/checks/${id}`, `/v1/badges/groups/${groupId}`] as const;
    const statuses = () => Promise.all(paths.map(async (path) => (await get(world, path)).status));
    expect(await call(world, contract.getPublicBadges, {})).toEqual({ enabled: false });
    await call(world, contract.updatePublicBadges, { body: { enabled: true } });
    expect(await statuses()).toEqual([200, 200]);
    expect(await labelOf(paths[0])).toBe('Shop: passing');
    expect((await get(world, `${paths[0]}?key=wrong`)).status).toBe(401);
    for (const hidden of [`groups/${other.id}`, 'groups/x', 'checks/x', 'checks/%00'])
      expect((await get(world, `/v1/badges/${hidden}`)).status, hidden).toBe(401);
    await call(world, contract.updatePublicBadges, { body: { enabled: false } });
    expect(await statuses()).toEqual([401, 401]);
  });
});

describe('a badge', () => {
  const badge = { label: 'uptime <30d>', value: '99.98%', tone: 'good' } as const;
  it.each(BADGE_STYLES)('in the style %s shows its texts, also to screen readers', async (style) => {
    for (const theme of BADGE_THEMES) {
      expect(await renderBadge(badge, { style, theme })).toMatch(
        /^<svg .* aria-label="uptime &lt;30d&gt;: 99\.98%"><title>/i,
      );
    }
  });

  it.each(['flat', 'plastic', 'flat-square', 'for-the-badge'] as const)(
    'in the style %s has the colours of its theme and its status',
    async (style) => {
      const [light, dark] = await Promise.all(
        (['light', 'dark'] as const).map((theme) => renderBadge(badge, { style, theme })),
      );
      expect(light).toContain('fill="#e4e4e0"');
      expect(dark).toContain('fill="#17181a"');
      expect(dark).toContain('fill="#2a7d46"');
    },
  );

  it('cuts a label that is too long, between characters', async () => {
    const long = { ...badge, label: '🦊'.repeat(200) };
    expect(await renderBadge(long, { style: 'flat', theme: 'dark' })).toContain(
      `>${'🦊'.repeat(59)}…</text>`,
    );
  });
});
