/** What browser checks leave, on the pages of their results: shown as it is meant, to whom it is meant, and never as a page. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaving, PIXEL, runBrowserCheck } from './browser-runs.ts';
import { get, startWorld, type World } from './world.ts';

const HOSTILE = '"><img src=x onerror=alert(1)></code><script>alert(1)</script>\u202e\u001b[31m';
const leaves = leaving();
let world: World;
beforeAll(async () => {
  world = await startWorld({ engine: { runners: leaves.runners } });
});
afterAll(() => world.close());

const ran = (left: typeof leaves.left) => {
  leaves.left = left;
  return runBrowserCheck(world);
};
const addressesIn = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="([^"]+\/artifacts\/[^"]+)"/g)].map(([, address = '']) => address);

const picture = {
  kind: 'screenshot',
  name: 'failure.png',
  contentType: 'image/png',
  contents: PIXEL,
} as const;
const trace = {
  kind: 'trace',
  name: 'trace.zip',
  contentType: 'application/zip',
  contents: Buffer.from('PK trace'),
} as const;

it('says nothing of the sandbox of a browser where there was none', async () => {
  const { result } = await ran({
    artifacts: [],
    details: { isolation: { level: 'uid', chromiumSandbox: false, keptReady: true }, playwright: '1.65.1' },
  });
  const page = await (await get(world, result)).text();
  expect(page).toContain('Separate user ID (uid)');
  expect(page).not.toContain('own sandbox');
});

it('shows pictures, console, tests, traces and the level of isolation', async () => {
  const { result } = await ran({
    artifacts: [picture, trace],
    details: {
      isolation: {
        level: 'uid',
        reason: 'the machine has <no> mounts',
        chromiumSandbox: true,
        keptReady: true,
      },
      browser: 'Chromium 140.0',
      tests: [{ title: 'signs in', status: 'timed-out', durationMs: 1500, errors: [] }],
      console: [
        { from: 'page', level: 'warning', text: 'the cart is slow', atMs: 120 },
        { from: 'page-error', level: 'error', text: 'x is undefined', atMs: 1230 },
      ],
      dropped: { lines: 3, artifacts: 2 },
      sslCheck: { domain: 'shop.example', daysLeft: 12, problem: null },
    },
  });
  const answer = await get(world, result);
  const page = await answer.text();
  for (const words of [
    ...['Reason for this level', 'the machine has &lt;no&gt; mounts'],
    ...['Separate user ID (uid)', 'Chromium 140.0', 'signs in', 'Timed out', 'the cart is slow'],
    ...[
      'x is undefined',
      '1.23 s',
      'Page · warning',
      '3 more lines',
      '2 more screenshots',
      '12 days left',
      '8 B',
    ],
  ])
    expect(page).toContain(words);
  expect(answer.headers.get('content-security-policy')).toContain("img-src 'self'");
  const [linked, shown, saved] = addressesIn(page);
  expect(linked).toBe(shown);

  const image = await get(world, shown ?? '');
  expect(Buffer.from(await image.arrayBuffer())).toEqual(PIXEL);
  expect(Object.fromEntries(image.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': 'inline; filename="failure.png"',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': expect.stringContaining('private'),
  });
  const file = await get(world, saved ?? '');
  expect(await file.text()).toBe('PK trace');
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': 'attachment; filename="trace.zip"',
    'x-content-type-options': 'nosniff',
  });
});

it('whatever a run wrote is text, and no file of it is ever a page', async () => {
  const { result } = await ran({
    errors: [HOSTILE],
    artifacts: [
      {
        ...picture,
        name: `${HOSTILE}"\r\nSet-Cookie: a=b`,
        contentType: 'text/html',
        contents: Buffer.from('<script>alert(1)</script>'),
      },
      {
        ...picture,
        name: 'a.svg',
        contentType: 'image/svg+xml',
        contents: Buffer.from('<svg onload="alert(1)"/>'),
      },
      { ...picture, contents: Buffer.from('<!doctype html><script>alert(1)</script>') },
    ],
    details: {
      isolation: { level: HOSTILE },
      ...{ browser: HOSTILE, runtime: HOSTILE, playwright: { toString: HOSTILE } },
      tests: [{ title: HOSTILE, status: HOSTILE, durationMs: HOSTILE }, 'no test', null],
      console: [
        { from: HOSTILE, level: HOSTILE, text: HOSTILE, atMs: HOSTILE },
        { from: 'page', level: HOSTILE, text: HOSTILE, atMs: -1 },
        { from: 'page', level: ['x'], text: { a: HOSTILE }, atMs: 1 },
        null,
      ],
      dropped: HOSTILE,
      sslCheck: { domain: HOSTILE, problem: HOSTILE },
    },
  });
  const page = (await (await get(world, result)).text()).replace(/<style>[^<]*<\/style>/, '');
  expect(page).not.toMatch(/<(?:script|svg onload|img(?! src="\/check-sessions\/))/i);
  expect(page).not.toMatch(/[^\P{Cc}\n\r\t]|\p{Bidi_Control}/u);
  for (const tag of page.match(/<[a-z][^>]*>/gi) ?? [])
    expect(tag.replaceAll(/="[^"]*"/g, '=""')).not.toMatch(/\son\w+=|=[^"]/i);
  const files = await Promise.all([...new Set(addressesIn(page))].map((address) => get(world, address)));
  expect(files.map(({ headers }) => headers.get('content-type'))).toEqual([
    ...['image/png', 'application/octet-stream', 'application/octet-stream'],
  ]);
  for (const { headers } of files) {
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(headers.get('set-cookie')).toBeNull();
  }
  expect(files[1]?.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+"$/);
});

it('a result’s link opens its own files and no other’s', async () => {
  const [one, other] = [await ran({ artifacts: [picture] }), await ran({ artifacts: [picture] })];
  const [mine = ''] = addressesIn(await (await get(world, one.result)).text());
  const id = mine.split('/').at(-1);
  expect((await get(world, mine)).status).toBe(200);
  for (const path of [
    `${other.result}/artifacts/${id}`,
    `${one.result.slice(0, -1)}/artifacts/${id}`,
    `${one.session}/artifacts/${id}`,
    `${other.session.split('/').slice(0, 3).join('/')}/${one.result.split('/').slice(3).join('/')}/artifacts/${id}`,
    `${one.result}/artifacts/${id?.slice(0, -1)}`,
    `${one.result}/artifacts/..%2f${id}`,
    `${one.result}/artifacts/%00`,
    `${one.result}/artifacts/`,
  ])
    expect([path, (await get(world, path)).status]).toEqual([path, 404]);
});
