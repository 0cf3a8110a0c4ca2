/** Dashboards on a real service: where they are, what they show, how they refresh, and who may read them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BodyOf } from '../../../../src/contract/index.ts';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { makeBoardCheck, makeBoardChecks, makeDashboard } from './dashboards-world.ts';
import { get, makePage, startWorld, type World } from './world.ts';

let world: World;
let first = '';
beforeAll(async () => {
  world = await startWorld();
  first = await makeBoardChecks(world, 'A long name');
});
afterAll(() => world.close());

async function page(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await get(world, path, headers);
  expect(response.status, path).toBe(200);
  return response.text();
}
/** The names of the checks on a page, in order. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/[?&;]check=[^"]*"><bdi>([^<]*)/g)].map(([, name = '']) => name);

let number = 0;
const board = async (more: Partial<BodyOf<typeof contract.createDashboard>> = {}): Promise<string> => {
  number += 1;
  await makeDashboard(world, `board-${number}`, { checksPerPage: 20, ...more });
  return `/dashboards/board-${number}`;
};

describe('the address of a dashboard', () => {
  it('is its slug, its ID, and its short slug, which redirects', async () => {
    const { dashboardId } = await makeDashboard(world, 'main board', { header: 'Main' });
    for (const name of ['main%20board', dashboardId])
      expect(await page(`/dashboards/${name}`)).toContain('<title>Main</title>');
    const short = await get(world, '/main%20board');
    expect([short.status, short.headers.get('location')]).toEqual([302, '/dashboards/main%20board']);
  });

  it.each(['/dashboards/none', '/none', '/dashboards/a%00b', '/dashboards/board/more'])(
    '%s is not found',
    async (path) => {
      expect((await get(world, path)).status).toBe(404);
    },
  );

  it('stays its ID when another account takes that as a slug', async () => {
    const { dashboardId } = await makeDashboard(world, 'mine', { header: 'Mine' });
    const other = { ...world, ...(await world.newAccount()) };
    await call(other, contract.createDashboard, { body: { header: 'Theirs', customUrl: dashboardId } });
    expect(await page(`/dashboards/${dashboardId}`)).toContain('<title>Mine</title>');
  });

  it('can be a domain that no other page has', async () => {
    await makeDashboard(world, 'domain', { header: 'On a domain', customDomain: 'Board.example.com' });
    const { hostname, port } = new URL(world.url);
    const { request } = await import('node:http');
    const text = await new Promise<string>((resolve, reject) => {
      request(
        {
          hostname,
          port,
          path: '/?status=failing',
          headers: { host: 'board.example.com', accept: 'text/html' },
        },
        async (response) => {
          let body = '';
          for await (const chunk of response) body += chunk;
          resolve(body);
        },
      )
        .on('error', reject)
        .end();
    });
    expect(text).toContain('<title>On a domain</title>');
    expect(text).toContain('href="/?status=failing&amp;sort=status"');
    const refused = await ask(world, contract.createDashboard, { body: { customDomain: '192.0.2.7' } });
    expect(refused.status).toBe(400);
    const other = { ...world, ...(await world.newAccount()) };
    const taken = { name: 'Theirs', url: 'theirs', cards: [], customDomain: 'board.EXAMPLE.com' };
    const page = await ask(other, contract.createStatusPage, { body: taken });
    expect([page.status, JSON.stringify(page.body)]).toEqual([
      409,
      expect.stringContaining('A dashboard already uses the domain board.EXAMPLE.com'),
    ]);
    await makePage(world, 'theirs', [], { customDomain: 'status.example.com' });
    const board = await ask(other, contract.createDashboard, {
      body: { customDomain: 'status.example.com' },
    });
    expect(board.status).toBe(409);
  });
});

describe('a dashboard', () => {
  it('shows each check with its state, availability and response times', async () => {
    const text = await page(await board());
    expect(text).toContain('1 check failing');
    expect(text).toContain('of 8; 1 degraded, 4 passing, 1 paused, 1 without results');
    const row = text.split('<tr>').find((each) => each.includes('Pay by card')) ?? '';
    expect(row).toContain('>Failing<');
    // 34 of 230 runs of the last 24 hours failed.
    expect(row).toContain('85.22%');
    expect(row).toContain('<td class="num less">939 ms</td>');
    expect(row).toContain('<path class="bad"');
    expect(text).not.toContain('Payments fail');
  });

  it('of paused checks says that they are paused', async () => {
    await makeBoardCheck(world, { name: 'Idle', status: 'passing', tags: ['idle'], activated: false });
    await makeDashboard(world, 'idle', { tags: ['idle'] });
    expect(await page('/dashboards/idle')).toMatch(
      /<h2>All checks are paused <span class="muted small about">of 1</,
    );
  });

  it('counts results that are not rolled up yet', async () => {
    const id = await makeBoardCheck(world, { name: 'Fresh', tags: ['fresh'], status: 'passing' });
    const { accountId, store } = world;
    await store.db
      .insertInto('check_sessions')
      .values({
        ...{ id: 'fresh', account_id: accountId, check_id: id, test_session_id: null, check_name: 'Fresh' },
        ...{ check_type: 'URL', status: 'PASSED', run_source: 'SCHEDULER', scheduled_at: null, plan: null },
        ...{ started_at: world.now(), stopped_at: world.now(), ends_by: null, locations: '[]' },
        ...{ batch_id: null, batch_place: null, cancelled_at: null },
      })
      .execute();
    for (const [index, failed] of [0, 0, 0, 1].entries())
      await store.db
        .insertInto('results')
        .values({
          ...{ id: `fresh-${index}`, account_id: accountId, check_id: id, session_id: 'fresh' },
          ...{ test_session_id: null, check_name: 'Fresh', check_type: 'URL', location: 'eu-west-1' },
          ...{ check_run_id: 1, sequence_id: `fresh-${index}`, attempt: 0, result_type: 'FINAL' },
          ...{ has_failures: failed, has_errors: 0, is_degraded: 0, over_max_response_time: 0 },
          ...{ is_cancelled: 0, aborted: 0, started_at: world.now(), stopped_at: world.now() },
          ...{ created_at: world.now(), response_time_us: 250_000, errors: '[]', details: '{}' },
          error_group_ids: '[]',
        })
        .execute();
    const text = await page(await board({ tags: ['fresh'] }));
    expect(text).toContain('<td class="num">75.00%</td>');
    expect(text).toContain('250 ms');
  });

  it('has checks with any of its tags, or with all of them, also those of groups', async () => {
    expect(namesIn(await page(await board({ tags: ['web', 'team-pay'] })))).toEqual([
      'Home page',
      'Pay by card',
    ]);
    expect(namesIn(await page(await board({ tags: ['board', 'web'], useTagsAndOperator: true })))).toEqual([
      'Home page',
    ]);
    expect(await page(await board({ tags: ['nothing'] }))).toContain(
      'No check has the tags of this dashboard yet',
    );
  });

  it('can be filtered and sorted by links', async () => {
    const path = await board();
    expect(namesIn(await page(`${path}?status=degraded`))).toEqual(['Search']);
    expect(namesIn(await page(`${path}?sort=availability`)).slice(0, 2)).toEqual([
      'Pay by card',
      'Home page',
    ]);
    expect(namesIn(await page(`${path}?sort=response`)).slice(0, 2)).toEqual(['Load test', 'Search']);
    const byStatus = namesIn(await page(await board({ sortByStatus: true })));
    expect([byStatus[0], byStatus[1], byStatus.at(-1)]).toEqual(['Pay by card', 'Search', 'Old shop']);
    expect(namesIn(await page(`${path}?sort=evil&page=-1&status=x`))).toHaveLength(8);
  });

  it('has pages, and rotates through them', async () => {
    const path = await board({ checksPerPage: 3, paginationRate: 30, refreshRate: 300 });
    const seen: string[] = [];
    let at: string | undefined = path;
    for (let step = 0; step < 3 && at !== undefined; step += 1) {
      const response: Response = await get(world, at);
      seen.push(...namesIn(await response.text()));
      const [, seconds, next] = /^(\d+); url=(.*)$/.exec(response.headers.get('refresh') ?? '') ?? [];
      expect(seconds).toBe('30');
      at = next;
    }
    expect(new Set(seen).size).toBe(8);
    expect(at).toBe(path);
    const whole = await get(world, await board({ paginate: false, checksPerPage: 3, refreshRate: 300 }));
    expect(whole.headers.get('refresh')).toMatch(/^300; /);
    expect(namesIn(await whole.text())).toHaveLength(8);
  });

  it('refreshes until the reader pauses it', async () => {
    const path = await board();
    expect((await get(world, path)).headers.get('refresh')).toBe(`60; url=${path}`);
    const paused = await get(world, `${path}?refresh=off`);
    expect(paused.headers.get('refresh')).toBeNull();
    expect(await paused.text()).toContain('Resume refresh');
  });

  it('keeps the zone, the filter, the order and the page in its refresh and its links', async () => {
    const path = await board({ paginate: false });
    const kept = `tz=Asia%2FKolkata`;
    const query = `?status=passing&sort=response&tz=Asia/Kolkata`;
    const response = await get(world, path + query);
    expect(response.headers.get('refresh')).toBe(`60; url=${path}?status=passing&sort=response&${kept}`);
    const links = [...(await response.text()).matchAll(/<a [^>]*href="([/?][^"]*)"/g)].map(
      ([, link]) => link,
    );
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !link?.includes(kept))).toEqual([]);
    const byCookie = await get(world, path, { cookie: 'sonde_tz=Asia/Kolkata' });
    expect(byCookie.headers.get('refresh')).toBe(`60; url=${path}`);
    const utc = await get(world, `${path}?tz=UTC`, { cookie: 'sonde_tz=Asia/Kolkata' });
    expect(utc.headers.get('refresh')).toBe(`60; url=${path}?tz=UTC`);
    expect(await utc.text()).toContain('All times are UTC');
    const short = await get(world, path.replace('/dashboards', '') + query);
    expect(short.headers.get('location')).toBe(path + query);
    const paged = await board({ checksPerPage: 3 });
    const second = await page(`${paged}?page=2`);
    const check = /href="([^"]*check=[^"]*)"/.exec(second)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(check).toContain('page=2');
    const detail = await get(world, check);
    expect(detail.headers.get('refresh')).toBe(`60; url=${check}`);
    expect(await detail.text()).toContain(`<a href="${paged}?page=2">All checks</a>`);
  });

  it('shows what its settings say', async () => {
    const bare = await page(
      await board({
        ...{ showHeader: false, description: 'Secret words', showP95: false, showP99: false },
        ...{ hideTags: true, showGroupNames: false },
      }),
    );
    for (const absent of ['Secret words', '>p95<', '>p99<', 'Checkout', '>prod<', '<header'])
      expect(bare).not.toContain(absent);
    const full = await page(
      await board({
        ...{ description: 'Secret words', enableIncidents: true, expandChecks: true },
        ...{
          link: 'https://example.com/',
          logo: 'https://example.com/logo.png',
          favicon: 'javascript:alert(1)',
        },
      }),
    );
    for (const present of [
      'Secret words',
      '>p95, 24 h<',
      '>p99, 24 h<',
      'Checkout',
      '>prod<',
      'Payments fail',
    ])
      expect(full).toContain(present);
    expect(full).toContain('<a href="https://example.com/"><img src="https://example.com/logo.png"');
    expect(full).not.toContain('javascript:');
    expect(full).toContain('Response time, 24 hours');
  });

  it('has a page for each of its checks, and for no other', async () => {
    const path = await board();
    const detail = await page(`${path}?check=${first}`);
    expect(detail).toContain('Response time, 90 days');
    expect(detail).toContain('Uptime, 90 days');
    const other = await makeBoardCheck(world, { name: 'Elsewhere', tags: ['elsewhere'] });
    expect((await get(world, `${path}?check=${other}`)).status).toBe(404);
  });
});

describe('a private dashboard', () => {
  it('opens with its key alone, which is shown once and can be replaced', async () => {
    const made = await makeDashboard(world, 'private', { isPrivate: true });
    const [key] = made.keys ?? [];
    expect(key?.rawKey).toMatch(/^dk_/);
    const params = { dashboardId: made.dashboardId };
    const read = await call(world, contract.getDashboard, { params });
    expect(read.keys).toEqual([{ id: key?.id, maskedKey: key?.maskedKey, created_at: key?.created_at }]);
    const path = '/dashboards/private';
    const closed = await get(world, path);
    expect(closed.status).toBe(401);
    expect(await closed.text()).not.toContain('Home page');
    const open = (rawKey: string | undefined) => get(world, path, { authorization: `Bearer ${rawKey}` });
    expect(await (await open(key?.rawKey)).text()).toContain('Home page');
    const again = await call(world, contract.createDashboardKey, { params });
    expect((await open(key?.rawKey)).status).toBe(401);
    expect((await open(again.rawKey)).status).toBe(200);
  });

  it('accepts its key in the form, and remembers it in a cookie', async () => {
    const made = await makeDashboard(world, 'form', { isPrivate: true });
    const form = await (await get(world, '/dashboards/form')).text();
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(form) ?? [];
    const send = (key: string) =>
      fetch(`${world.url}/dashboards/form/access`, {
        ...{ method: 'POST', redirect: 'manual' },
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
        body: new URLSearchParams({ key, token }).toString(),
      });
    expect((await send('dk_wrong')).status).toBe(403);
    const accepted = await send(made.keys?.[0]?.rawKey ?? '');
    expect([accepted.status, accepted.headers.get('location')]).toEqual([303, '/dashboards/form']);
    const cookie = (accepted.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(await page('/dashboards/form', { cookie })).toContain('Home page');
  });

  it('gets its key also when it becomes private', async () => {
    const made = await makeDashboard(world, 'later');
    expect(made.keys).toEqual([]);
    const params = { dashboardId: made.dashboardId };
    const changed = await call(world, contract.updateDashboard, { params, body: { isPrivate: true } });
    expect(changed.keys).toMatchObject([{ rawKey: expect.stringMatching(/^dk_/) }]);
  });
});
