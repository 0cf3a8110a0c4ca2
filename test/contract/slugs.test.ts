/** No resource has a slug that leads elsewhere, hides characters or belongs to the service. */
import { expect, it } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import { RESERVED_SLUGS } from '../../src/contract/limits.ts';
import { violationsOf } from '../../src/contract/validate.ts';

const SLUGS = ['url', 'customUrl', 'slugName'];
const endpoints: readonly contract.Endpoint[] = Object.values(contract);
const slugged = endpoints.flatMap((endpoint) =>
  SLUGS.filter((field) => /^Slug /.test(String(endpoint.body?.properties?.[field]?.description))).map(
    (field) => [endpoint.name, field, endpoint] as const,
  ),
);

it('covers all resources with a slug', () => {
  expect(new Set(slugged.map(([, field]) => field))).toEqual(new Set(SLUGS));
});

it.each(slugged)('%s refuses them as %s', (_, field, endpoint) => {
  const messages = (slug: string) =>
    violationsOf(endpoint, { body: { [field]: slug } }, 0)
      .filter(({ path }) => path.join('.') === field)
      .map(({ message }) => message);
  for (const slug of [
    '',
    '.',
    '..',
    ' ',
    ' a',
    'a ',
    'a\tb',
    'a/b',
    'a\\b',
    '\u202egnp',
    'a\u2066b',
    'a\u200bb',
    ...RESERVED_SLUGS,
  ])
    expect([slug, messages(slug)]).toEqual([slug, [expect.stringMatching(/^must be|^must have/)]]);
  for (const slug of ['shop', 'status-page', 'my-api', 'v10', 'Status2', 'access-1'])
    expect(messages(slug)).toEqual([]);
});
