/** A channel's config that is sent back as it was shown keeps what was not shown of it. */
import { expect, it } from 'vitest';
import { maskConfig, restoreConfig } from '../../../../src/service/http/api/secrets.ts';

const locked = (key: string, value: string) => ({ key, value, locked: true });
const open = (key: string, value: string) => ({ key, value, locked: false });
const STOOD = {
  ...{ name: 'hook', url: 'https://hooks.example/services/T1', webhookSecret: 'signs' },
  headers: [locked('authorization', 'Bearer x'), open('x-team', 'shop')],
  queryParameters: [open('to', 'all'), locked('to', 'alice'), locked('to', 'bob')],
};

const shown = (config: typeof STOOD) => maskConfig({ type: 'WEBHOOK', config });
const restored = (sent: Parameters<typeof restoreConfig>[1]) => restoreConfig('WEBHOOK', sent, STOOD);

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
