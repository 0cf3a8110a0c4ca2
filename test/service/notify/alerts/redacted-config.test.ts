/** A channel's config that is sent back as it was shown keeps what was not shown of it. */
import { expect, it } from 'vitest';
import { maskConfig, restoreConfig } from '../../../../src/service/http/api/secrets.ts';

const locked = (key: string, value: string) => ({ key, value, locked: true });
const open = (key: string, value: string) => ({ key, value, locked: false });
const STOOD = {
  ...{ name: 'hook', url: 'https://hooks.example/', webhookSecret: 'signs' },
  headers: [locked('authorization', 'Bearer x'), open('x-team', 'shop')],
  queryParameters: [open('to', 'all'), locked('to', 'alice'), locked('to', 'bob')],
};

it('as it was shown, value for value where a name stands several times', () => {
  expect(restoreConfig(maskConfig(STOOD), STOOD)).toEqual(STOOD);
});

it('with an empty value where something is locked, as other things have it', () => {
  const headers = [locked('authorization', ''), open('x-team', '')];
  expect(restoreConfig({ ...STOOD, headers }, STOOD).headers).toEqual([STOOD.headers[0], open('x-team', '')]);
});

it('and makes nothing of an open value that is locked from now on', () => {
  const headers = [locked('authorization', 'Bearer y'), locked('x-team', '')];
  expect(restoreConfig({ ...STOOD, headers }, STOOD).headers).toEqual(headers);
});
