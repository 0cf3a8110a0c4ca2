/** `sonde groups update`: what a replacement would lose is seen before it is sent. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { command as update } from '../../../commands/groups/update.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, type ScriptedAnswer, serveWith } from '../../support/http.ts';
import { askedLine } from '../../support/person.ts';

const group = {
  id: 12,
  name: 'Shop',
  activated: true,
  muted: null,
  concurrency: 5,
  apiCheckDefaults: { url: 'https://shop.example', basicAuth: { username: 'u' } },
  locations: ['eu-west-1'],
  created_at: '2026-01-02',
  updated_at: null,
};

/** A service that lets the group be read as told, by default as it stands. `newer`: the status of the newer endpoint. */
async function serveGroup(get?: ScriptedAnswer, newer = 200) {
  let standing: object = group;
  const server = await serveWith(({ method, url, body }, response) => {
    if (method === 'PUT' && newer !== 200 && url.startsWith('/v2')) {
      answer(response, { status: newer, body: { message: `Route PUT:${url} not found` } });
      return;
    }
    if (method === 'PUT') {
      const { activated, concurrency, id } = { ...group, activated: true, concurrency: 3 };
      standing = { id, activated, concurrency, ...JSON.parse(body) };
    }
    answer(response, (method === 'GET' && get) || { body: standing });
  });
  const sent = () => server.requests.filter(({ method }) => method === 'PUT');
  return { ...server, sent };
}

describe('groups update', () => {
  it('prints the body that it would send with --dry-run, and sends nothing', async () => {
    const server = await serveGroup();
    const env = serviceAt(server.url);
    const line = ['12', '--name', 'Bank'];
    const { code, stdout } = await runLine(update, [...line, '--dry-run', '--json'], { env });
    expect(code).toBe(0);
    expect(server.sent()).toEqual([]);
    await runLine(update, [...line, '--yes'], { env });
    const preview: unknown = JSON.parse(stdout);
    const shown = (Array.isArray(preview) ? preview[0] : preview) as { body: object };
    const sent = JSON.parse(server.sent()[0]?.body ?? '') as { apiCheckDefaults: object };
    expect(shown.body).toEqual(sent);
    expect(sent).toMatchObject({ name: 'Bank', concurrency: 5, locations: ['eu-west-1'] });
  });

  const NEWER = { url: '/v2/check-groups/12' };
  const OLDER = { url: '/v1/check-groups/12' };
  const lacking =
    'This deployment does not offer PUT /v2/check-groups/{id}: using PUT /v1/check-groups/{id}.';
  const DEFAULTS = { doubleCheck: false, retryStrategy: 'FALLBACK' };
  const ofV1 = { doubleCheck: true };
  it.each([
    ['the newer endpoint', {}, '--muted', 200, [NEWER], {}],
    ['the older endpoint after a 404', {}, '--muted', 404, [NEWER, OLDER], DEFAULTS],
    ['the older endpoint after a 405', {}, '--name Shop --replace', 405, [NEWER, OLDER], DEFAULTS],
    ['the older endpoint for a body without a name', {}, '--muted --replace', 404, [OLDER], {}],
    ['the older endpoint for a double check', ofV1, '--muted', 200, [OLDER], ofV1],
    ['the newer endpoint for a strategy', ofV1, '--retry-strategy FALLBACK', 200, [NEWER], ofV1],
  ])('uses %s', async (_, more, line, status, expected, body) => {
    const server = await serveGroup({ body: { ...group, ...more } }, status);
    const { code, stderr } = await runLine(update, ['12', ...line.split(' '), '--no-auto-assign-alerts'], {
      env: serviceAt(server.url),
    });
    expect(code, stderr).toBe(0);
    const requests = expected.map(({ url }) => ({ url: `${url}?autoAssignAlerts=false` }));
    expect(server.sent()).toMatchObject(requests);
    expect(JSON.parse(server.sent().at(-1)?.body ?? '')).toMatchObject(body);
    expect(stderr.includes(lacking)).toBe(expected.length > 1);
    expect(stderr).toMatch(/sonde groups update 12 --replace -f \S+/);
    expect(stderr).not.toContain('deprecated');
  });

  it('accepts --newer of lines that earlier versions printed', async () => {
    const server = await serveGroup();
    const line = ['12', '--newer', '--replace', '--name', 'Shop', '--no-activated', '--json'];
    const { code, stdout, stderr } = await runLine(update, line, { env: serviceAt(server.url) });
    expect(code, stderr).toBe(0);
    expect(server.sent()).toMatchObject([{ ...NEWER, body: '{"name":"Shop","activated":false}' }]);
    expect(JSON.parse(stdout)).toMatchObject({ id: 12, activated: false });
    expect(stderr).toContain('Warning: --newer is deprecated');
  });

  it('leaves what is not given as it stands', async () => {
    const server = await serveGroup();
    const { code, stderr } = await runLine(
      update,
      ['12', '--set', 'apiCheckDefaults.url=https://b.example'],
      {
        env: serviceAt(server.url),
      },
    );
    expect(code).toBe(0);
    const { id, muted, created_at, updated_at, ...request } = group;
    expect(JSON.parse(server.sent()[0]?.body ?? '')).toEqual({
      ...request,
      apiCheckDefaults: { url: 'https://b.example', basicAuth: { username: 'u' } },
    });
    expect(stderr).not.toMatch(/^[-+]concurrency/m);
    const nothing = await runLine(update, ['12'], { env: serviceAt(server.url) });
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('nothing to update')]);
  });

  it('sends nothing where somebody else changes the group while a person reads the difference', async () => {
    let reads = 0;
    const server = await serveWith(({ method }, response) => {
      if (method === 'GET') reads += 1;
      answer(response, { body: { ...group, concurrency: reads > 1 ? 9 : 5 } });
    });
    const { code, stderr } = await askedLine(update, ['12', '--name', 'B'], { env: serviceAt(server.url) }, [
      'Apply this change?',
      'y\n',
    ]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('was changed in the meantime; nothing was sent'),
    ]);
    expect(server.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('shows what left-out fields turn into, and what is kept goes back as it was', async () => {
    const server = await serveGroup();
    const env = serviceAt(server.url);
    const { stderr } = await runLine(update, ['12', '--name', 'Shop', '--replace'], { env });
    expect(stderr).toContain('\n-concurrency: 5\n');
    expect(stderr).toContain('\n+concurrency: 3\n');
    expect(stderr).toContain('-  - eu-west-1');
    expect(stderr).not.toContain('-activated: true');
    const path = stderr.match(/sonde groups update 12 --replace -f (\S+)/)?.[1] ?? '';
    const kept = await readFile(path, 'utf8').catch(() => '');
    expect(parse(kept)).toEqual(group);
    await runLine(update, ['12', '--replace', '-f', 'before.yaml'], { env, files: { 'before.yaml': kept } });
    const { id, muted, created_at, updated_at, ...request } = group;
    expect(JSON.parse(server.sent()[1]?.body ?? '')).toEqual(request);
  });

  it.each([403, 404])(
    'replaces, but changes no part of, a group that it may not read (%i)',
    async (status) => {
      const server = await serveGroup({ status, body: { message: 'Not here' } });
      const env = serviceAt(server.url);
      const merged = await runLine(update, ['12', '--name', 'Shop', '--yes'], { env });
      expect(merged.code).toBe(status === 404 ? 5 : 4);
      expect(server.sent()).toEqual([]);
      const { code, stderr } = await runLine(update, ['12', '--name', 'Shop', '--replace'], { env });
      expect(code).toBe(0);
      expect(stderr).toContain(`Cannot read group 12 (HTTP ${status})`);
      expect(server.sent()).toHaveLength(1);
    },
  );

  it.each([
    ['a route', 404, { message: 'Route GET:/v1/check-groups/12 not found', error: 'Not Found' }, ''],
    ['a bare 404', 404, { message: 'Not Found' }, ', or does not have the group 12'],
    ['a page', 404, '<html><title>404 Not Found</title></html>', ''],
    ['another method', 405, { message: 'Method Not Allowed' }, ''],
    ['nothing yet', 501, '', ''],
  ])(
    'goes on without a difference after a word, where the read is missing: %s',
    async (_, status, body, or) => {
      const server = await serveGroup({ status, body });
      const env = serviceAt(server.url);
      const sentence = `cannot show a diff: this deployment does not offer GET /v1/check-groups/{id}${or}`;
      const unconfirmed = await runLine(update, ['12', '--muted'], { env });
      expect(unconfirmed.code).toBe(2);
      expect(unconfirmed.stderr).toContain('pass --yes');
      const asked = await askedLine(update, ['12', '--muted'], { env }, ['without a diff?', 'n\n']);
      expect(asked.code).toBe(9);
      expect(asked.stderr.replace(/\s+/g, ' ')).toContain(sentence);
      expect(server.sent()).toEqual([]);
      const done = await runLine(update, ['12', '--muted', '--yes'], { env });
      expect(done.code, done.stderr).toBe(0);
      expect(done.stderr).toContain(sentence);
      expect(server.sent().map((each) => JSON.parse(each.body))).toEqual([{ muted: true }]);
      const named = ['12', '--name', 'Shop', '--yes', '--quiet'];
      expect((await runLine(update, named, { env })).code).toBe(0);
      expect(server.sent()[1]).toMatchObject({ url: '/v2/check-groups/12', body: '{"name":"Shop"}' });
    },
  );

  it('asks a person, with or without a difference to show', async () => {
    const readable = await serveGroup();
    const no = await askedLine(update, ['12', '--name', 'B'], { env: serviceAt(readable.url) }, [
      'Apply this change?',
      'n\n',
    ]);
    expect(no.code).toBe(9);
    const closed = await serveGroup({ status: 404, body: { message: 'Not here' } });
    const also = await askedLine(update, ['12', '--name', 'B', '--replace'], { env: serviceAt(closed.url) }, [
      'Replace the group 12 without a diff?',
      'n\n',
    ]);
    expect(also.code).toBe(9);
    expect([...readable.sent(), ...closed.sent()]).toEqual([]);
  });

  it('takes nothing on purpose for no default: no retries at all are a change', async () => {
    const server = await serveGroup({ body: { ...group, retryStrategy: 'FALLBACK' } });
    const { id, muted, created_at, updated_at, ...request } = group;
    const { stderr } = await runLine(update, ['12', '-f', 'group.json'], {
      env: serviceAt(server.url),
      files: { 'group.json': JSON.stringify({ ...request, retryStrategy: null }) },
    });
    expect(stderr).toContain('-retryStrategy: FALLBACK\n+retryStrategy: null\n');
    expect(server.sent()).toHaveLength(1);
  });

  it('shows no secret in the difference, and says where one differs', async () => {
    const before = { ...group, environmentVariables: [{ key: 'TOKEN', value: 'old-secret' }] };
    const server = await serveGroup({ body: before });
    const { id, muted, created_at, updated_at, ...request } = before;
    const body = { ...request, environmentVariables: [{ key: 'TOKEN', value: 'new-secret' }] };
    const { code, stderr } = await runLine(update, ['12', '-f', 'group.json'], {
      env: serviceAt(server.url),
      files: { 'group.json': JSON.stringify(body) },
    });
    expect(code).toBe(0);
    expect(stderr).not.toContain('-secret');
    expect(stderr).toContain('-    value: "***"\n+    value: "*** (another value)"\n');
  });
});
