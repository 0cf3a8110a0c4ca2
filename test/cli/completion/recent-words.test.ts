/** Recent ids: from the service in time, from what was known where it is slow, and never at the cost of a key or a question. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sonde } from '../../support/binary.ts';
import { newHome, offered } from '../../support/completion.ts';
import { silentPort } from '../../support/e2e.ts';
import { answer, serve, serveWith } from '../../support/http.ts';

const ID = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
const KEY = 'key-of-the-test';
const session = (name: string) => ({ checkSessionId: ID, name, status: 'PASSED' });
const page = (...entries: readonly object[]) => ({ body: { length: entries.length, entries, nextId: null } });
const CACHE = '.cache/sonde/completion.json';

const GET = ['sessions', 'get', ''];
const NOW = Date.parse('2026-11-21T10:00:00Z');

const homeAt = (url: string) => newHome({ SONDE_BASE_URL: url, SONDE_API_KEY: KEY });

describe('recent ids', () => {
  it('are asked for once, and known for a moment after that', async () => {
    const server = await serve(page(session('Apex record')), page(session('Another')));
    const home = await homeAt(server.url);
    expect(await offered(home, GET, { now: NOW })).toEqual([`${ID}\tPASSED Apex record`]);
    const begun = ['sessions', 'get', ID.slice(0, 3)];
    expect(await offered(home, begun, { now: NOW + 14_000 })).toEqual([`${ID}\tPASSED Apex record`]);
    expect(await offered(home, GET, { now: NOW + 20_000 })).toEqual([`${ID}\tPASSED Another`]);
    expect(server.requests[0]?.headers.authorization).toContain(KEY);
  });

  it('lie in a file that only the user reads, without the key', async () => {
    const server = await serve(page(session('Apex record')));
    const home = await homeAt(server.url);
    await offered(home, GET);
    expect(statSync(join(home.path, CACHE)).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.path, '.cache/sonde')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home.path, '.cache/sonde'))).toEqual(['completion.json']);
    expect(home.read(CACHE)).not.toContain(KEY);
  });

  it('of another profile, account or service are others', async () => {
    const [one, two] = [await serve(page(session('One'))), await serve(page(session('Two')))];
    const home = await newHome();
    const profile = (url: string) => ({ baseUrl: url, apiKey: KEY });
    const profiles = { one: profile(one.url), two: profile(two.url) };
    home.write('.config/sonde/config.yaml', JSON.stringify({ current: 'one', profiles }));
    expect(await offered(home, GET)).toEqual([`${ID}\tPASSED One`]);
    expect(await offered(home, ['--profile', 'two', 'sessions', 'get', ''])).toEqual([`${ID}\tPASSED Two`]);
    expect(await offered(home, ['sessions', 'get', '--profile=one', ''])).toEqual([`${ID}\tPASSED One`]);
  });

  it('of a slow service are those that were known, and it is then left alone for a while', async () => {
    let deadline: AbortController | undefined;
    const server = await serveWith((_, response) => {
      if (deadline) deadline.abort();
      else answer(response, page(session('Apex record')));
    });
    const home = await homeAt(server.url);
    const known = [`${ID}\tPASSED Apex record`];
    expect(await offered(home, GET, { now: NOW })).toEqual(known);
    deadline = new AbortController();
    expect(await offered(home, GET, { now: NOW + 60_000, deadline: deadline.signal })).toEqual(known);
    expect(await offered(home, GET, { now: NOW + 62_000 })).toEqual(known);
    expect(server.requests).toHaveLength(2);
    deadline = new AbortController();
    expect(await offered(home, GET, { now: NOW + 11 * 60_000, deadline: deadline.signal })).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });

  it('end by themselves, well and without a word, where nothing answers and nothing is known', async () => {
    const server = await serveWith(() => {});
    const ran = await sonde(['__complete', 'fish', '2', ...GET], await homeAt(server.url));
    expect(ran).toEqual({ code: 0, stdout: 'words nosort\n\n', stderr: '' });
    // Without a deadline the request would time out and be sent again.
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });

  it('are done without where only a command has the key, and the command is not run', async () => {
    const server = await serve();
    const home = await newHome();
    const profile = { baseUrl: server.url, apiKeyCommand: `touch ${join(home.path, 'ran')}; echo ${KEY}` };
    home.write('.config/sonde/config.yaml', JSON.stringify({ current: 'a', profiles: { a: profile } }));
    expect(await offered(home, GET)).toEqual([]);
    expect(existsSync(join(home.path, 'ran'))).toBe(false);
    expect(await offered(home, ['profiles', 'use', ''])).toEqual([`a\t${server.url}`]);
  });

  it('are asked for at no address that the key was not saved for', async () => {
    const other = await silentPort();
    const home = await newHome();
    const profiles = { a: { baseUrl: 'http://127.0.0.1:9', apiKey: KEY } };
    home.write('.config/sonde/config.yaml', JSON.stringify({ current: 'a', profiles }));
    expect(await offered(home, ['sessions', 'get', '--base-url', other.url, ''])).toEqual([]);
    expect(other.connections()).toBe(0);
    await other.close();
  });

  it.each([
    ['a refusal', { status: 401, body: { message: 'no' } }],
    ['what is no list', { body: { entries: 'none' } }],
    ['HTML', { body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['a redirect elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
    ['limits', { status: 429, headers: { 'retry-after': '60' } }],
  ])('are none, without a word, where the service answers %s', async (_, step) => {
    const server = await serve(step);
    expect(await offered(await homeAt(server.url), GET)).toEqual([]);
  });

  it('are none, without a word, where files are damaged', async () => {
    const server = await serve(page(session('Apex record')));
    const home = await homeAt(server.url);
    home.write(CACHE, '{"x": ');
    expect(await offered(home, GET)).toEqual([`${ID}\tPASSED Apex record`]);
    home.write('.config/sonde/config.yaml', 'profiles: [');
    expect(await offered(home, GET)).toEqual([]);
    expect(await offered(home, ['profiles', 'use', ''])).toEqual([]);
  });

  it('do without a cache where none can be written', async () => {
    const server = await serve(page(session('Apex record')), page(session('Apex record')));
    const home = await homeAt(server.url);
    writeFileSync(join(home.path, '.cache'), 'in the way');
    for (let time = 0; time < 2; time++)
      expect(await offered(home, GET)).toEqual([`${ID}\tPASSED Apex record`]);
  });

  it('go on with a name once it is begun, where it is one word and means one thing', async () => {
    const check = (number: number, name: string) => ({
      id: `${number}${ID.slice(1)}`,
      name,
      checkType: 'DNS',
    });
    const checks = [
      check(1, 'apex'),
      check(2, 'apex-2'),
      check(3, 'twins'),
      check(4, 'twins'),
      check(6, 'a $(b)'),
    ];
    const home = await homeAt((await serve({ body: checks })).url);
    expect(await offered(home, ['checks', 'get', 'ap'])).toEqual([
      'apex\t1a2f8c1e, apex, DNS',
      'apex-2\t2a2f8c1e, apex-2, DNS',
    ]);
    expect(await offered(home, ['checks', 'get', 'APEX-'])).toEqual(['apex-2\t2a2f8c1e, apex-2, DNS']);
    expect(await offered(home, ['checks', 'get', 'twi'])).toEqual([]);
    expect(await offered(home, ['checks', 'get', 'a'])).toHaveLength(2);
    expect(await offered(home, ['checks', 'get', ''])).toHaveLength(checks.length);
  });

  it('are searched for where none of the first begins so, and never where those are all', async () => {
    const first = Array.from({ length: 50 }, (_, index) => ({
      id: `${String(index).padStart(8, '0')}${ID.slice(8)}`,
      name: `check ${index}`,
    }));
    const server = await serveWith(({ url }, response) => {
      const search = new URL(url, 'http://localhost').searchParams.get('search');
      answer(response, { body: search === null ? first : [{ id: ID, name: 'apex' }] });
    });
    const home = await homeAt(server.url);
    expect(await offered(home, ['checks', 'get', '5a2f'])).toEqual([`${ID}\tapex`]);
    expect(await offered(home, ['checks', 'get', 'ape'])).toEqual(['apex\t5a2f8c1e, apex']);
    expect(await offered(home, ['checks', 'get', '0000004'])).toHaveLength(10);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/v1/checks?limit=50',
      '/v1/checks?limit=50&search=5a2f',
      '/v1/checks?limit=50&search=ape',
    ]);
    first.pop();
    const another = await homeAt(server.url);
    expect(await offered(another, ['checks', 'get', '5a2f'])).toEqual([]);
  });

  it('of error groups are gathered from the checks', async () => {
    const groups: Readonly<Record<string, object[]>> = {
      a: [{ id: 'g1', cleanedErrorMessage: 'no answer' }],
      b: [{ id: 'g2', cleanedErrorMessage: 'NXDOMAIN', archivedUntilNextEvent: true }],
    };
    const server = await serveWith(({ url }, response) => {
      const [, check = ''] = url.match(/error-groups\/checks\/(\w+)/) ?? [];
      answer(response, { body: groups[check] ?? [{ id: 'a' }, { id: 'b' }] });
    });
    expect(await offered(await homeAt(server.url), ['error-groups', 'archive', ''])).toEqual([
      'g1\tno answer',
      'g2\tNXDOMAIN, archived',
    ]);
  });
});

it('says nothing and ends well whatever it is asked', async () => {
  const home = await newHome();
  for (const argv of [
    [],
    ['tcsh'],
    ['bash'],
    ['bash', 'x', 'y', 'z', '"'],
    ['zsh', '-5'],
    ['fish', '99', 'a'],
    ['powershell', '%%%'],
  ]) {
    const { code, stderr } = await sonde(['__complete', ...argv], home);
    expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: '' });
  }
});
