/** A channel's config that is sent back as it was shown keeps what was not shown of it. */
import { expect, it } from 'vitest';
import { maskConfig, restoreConfig, restoreRequest } from '../../../../src/service/http/api/secrets.ts';
import { validateChannel } from '../../../../src/service/notify/channels/index.ts';

const locked = (key: string, value: string) => ({ key, value, locked: true });
const open = (key: string, value: string) => ({ key, value, locked: false });
const STOOD = {
  ...{ name: 'hook', url: 'https://hooks.example/services/T1', webhookSecret: 'signs' },
  headers: [locked('authorization', 'Bearer x'), open('x-team', 'shop')],
  queryParameters: [open('to', 'all'), locked('to', 'alice'), locked('to', 'bob')],
};

const shown = (config: typeof STOOD) => maskConfig({ type: 'WEBHOOK', config });
const restored = (sent: Parameters<typeof restoreConfig>[1]) =>
  restoreConfig('WEBHOOK', sent, { type: 'WEBHOOK', config: STOOD });

it('as it was shown, value for value where a name stands several times', () => {
  expect(shown(STOOD).url).toMatch(/^https:\/\/hooks\.example\/\*\*\*-[0-9a-f]{6}$/);
  expect(restored(shown(STOOD))).toEqual(STOOD);
});

it('with an empty value where something is locked, as other things have it', () => {
  const headers = [locked('authorization', ''), open('x-team', '')];
  expect(restored({ ...STOOD, headers }).headers).toEqual([STOOD.headers[0], open('x-team', '')]);
});

it('and makes nothing of an open value that is locked from now on', () => {
  const headers = [locked('authorization', 'Bearer y'), locked('x-team', '')];
  expect(restored({ ...STOOD, headers }).headers).toEqual(headers);
});

const MOVED = [
  ...['https://evil.example/services/T1', 'http://hooks.example/x', 'https://hooks.example:8443/x'],
  ...['https://c:d@hooks.example/services/T1', 'https://c@hooks.example/services/T1'],
];

it.each(MOVED)('with %s each secret must be given again, and no other', (url) => {
  const given = { webhookSecret: 'new', headers: [locked('authorization', 'Bearer y')] };
  const again = [locked('to', 'carol'), open('to', 'all')];
  const sent = { ...STOOD, ...given, url, queryParameters: again };
  expect(restored(sent)).toEqual(sent);
  const { webhookSecret: _, ...withoutSecret } = sent;
  for (const [lacking, place] of [
    [withoutSecret, 'config.webhookSecret'],
    [{ ...sent, headers: [locked('authorization', '')] }, 'config.headers[0].value'],
    [{ ...sent, headers: [{ key: 'authorization', locked: true }] }, 'config.headers[0].value'],
    [{ ...sent, queryParameters: [open('a', 'b'), locked('to', '')] }, undefined],
    [{ ...sent, queryParameters: [open('to', 'b'), locked('to', '')] }, 'config.queryParameters[1].value'],
  ] as const) {
    if (place === undefined) expect(restored(lacking)).toEqual(lacking);
    else expect(() => restored(lacking)).toThrow(`${place} must be given again`);
  }
});

it('with another path of the same origin keeps its secrets', () => {
  const url = 'https://hooks.example/services/T2';
  expect(restored({ ...shown(STOOD), url })).toEqual({ ...STOOD, url });
});

it.each(['https://c:d@hooks.example/x', 'https://a:d@hooks.example/x', 'https://hooks.example/x', '{{U}}'])(
  'with a URL of a user keeps nothing for %s',
  (url) => {
    const before = {
      type: 'WEBHOOK' as const,
      config: { url: 'https://a:b@hooks.example/1', webhookSecret: 's' },
    };
    expect(restoreConfig('WEBHOOK', { url: 'https://a:b@hooks.example/2' }, before).webhookSecret).toBe('s');
    expect(() => restoreConfig('WEBHOOK', { url }, before)).toThrow('webhookSecret must be given again');
  },
);

it('of ntfy keeps its token and topic at the same server only', () => {
  const before = {
    type: 'NTFY' as const,
    config: { url: 'https://ntfy.example/', topic: 'alerts', token: 'tk_1' },
  };
  const masked = maskConfig(before);
  expect(restoreConfig('NTFY', masked, before)).toEqual(before.config);
  for (const url of ['https://evil.example/', undefined])
    expect(() => restoreConfig('NTFY', { ...masked, url }, before)).toThrow('must be given again');
  const open = { type: 'NTFY' as const, config: { url: 'https://ntfy.example/', topic: 'a', token: '' } };
  const moved = { url: 'https://other.example/', topic: 'b', token: '' };
  expect(restoreConfig('NTFY', moved, open)).toEqual(moved);
});

it('with a new type keeps nothing', () => {
  const before = { type: 'NTFY' as const, config: { topic: 'alerts', token: 'tk_1' } };
  expect(restoreConfig('SLACK_APP', maskConfig(before), before)).toEqual(maskConfig(before));
});

it.each([
  '***-45e3d2x',
  '***-45e3d',
  '***',
  'a ***-45e3d2',
  '***-45E3D2',
  'https://hooks.example/***-45e3d2x',
  'https://hooks.example/***-45e3d2/x',
  'https://hooks.example/services/***',
  'https://hooks.example/%2A%2A%2A-45e3d2',
])('that holds %s instead of a value is refused', (text) => {
  for (const [type, field, config] of [
    ['WEBHOOK', 'url', { name: 'hook', url: text }],
    ['SLACK', 'url', { url: text }],
    ['SLACK_APP', 'token', { token: text, slackChannels: ['C1'] }],
    ['PAGERDUTY', 'serviceKey', { serviceKey: text }],
    ['NTFY', 'topic', { topic: text }],
  ] as const)
    expect(validateChannel({ type, config })).toEqual([
      { path: [field], message: expect.stringContaining('exactly the mask of the stored one') },
    ]);
});

it('a request keeps its secrets at the same origin only', () => {
  const before = {
    url: 'https://api.example/a',
    headers: [locked('x-key', 'secret')],
    basicAuth: { username: 'me', password: 'word' },
  };
  const sent = {
    url: 'https://api.example/b',
    headers: [locked('x-key', '')],
    basicAuth: { username: 'me' },
  };
  type Sent = Parameters<typeof restoreRequest>[0];
  const restoredOf = (url: string, from = before) => restoreRequest({ ...sent, url } as Sent, from as Sent);
  expect(restoredOf('https://api.example/b')).toEqual({ ...before, url: 'https://api.example/b' });
  const variable = { ...before, url: '{{BASE}}/a' };
  expect(restoredOf('{{BASE}}/b', variable)).toEqual({ ...variable, url: '{{BASE}}/b' });
  for (const url of ['https://evil.example/', 'https://u:p@api.example/', '{{EVIL}}/a', 'https://{{EVIL}}/a'])
    for (const from of [before, variable])
      expect(() => restoredOf(url, from)).toThrow(/request\.\S+ must be given again/);
});
