/** `renamedFrom` of chains and swaps, lists without an order, and texts that no service can store, against a real service. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as plan } from '../../commands/plan.ts';
import { runLine } from '../support/command.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { newAccount } from './apply-account.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
type Renaming = readonly (readonly [from: string, to: string])[];
const file = (entries: readonly string[]): string => `project: shop\ngroups:\n${entries.join('\n')}\n`;
const declared = (renaming: Renaming): string =>
  file(renaming.map(([from, to]) => `  - { name: ${to}${from === to ? '' : `, renamedFrom: ${from}`} }`));

/** Each of the first names becomes one of all names, and no two the same. */
const renamings: fc.Arbitrary<Renaming> = fc
  .tuple(fc.integer({ min: 2, max: 4 }), fc.shuffledSubarray(NAMES, { minLength: 4, maxLength: 4 }))
  .map(([count, to]) => NAMES.slice(0, count).map((from, index) => [from, to[index] ?? from] as const));

async function expectRenamed(renaming: Renaming): Promise<void> {
  const { plan: planOf, apply: applyTo, list } = await newAccount(service);
  await applyTo(file(renaming.map(([from]) => `  - { name: ${from} }`)));
  const idsOf = async () =>
    new Map(
      ((await list('/v1/check-groups')) as readonly { name: string; id: number }[]).map(({ name, id }) => [
        name,
        id,
      ]),
    );
  const before = await idsOf();
  const next = declared(renaming);
  const { summary } = await planOf(next);
  const renamed = renaming.filter(([from, to]) => from !== to).length;
  expect(summary).toMatchObject({
    create: 0,
    delete: 0,
    rename: renamed,
    unchanged: renaming.length - renamed,
  });
  await applyTo(next, '--prune');
  const after = await idsOf();
  expect(Object.fromEntries(after)).toEqual(
    Object.fromEntries(renaming.map(([from, to]) => [to, before.get(from)])),
  );
  expect((await planOf(next)).summary).toMatchObject({ rename: 0, create: 0, unchanged: renaming.length });
  await applyTo(next);
  expect(await idsOf()).toEqual(after);
}

describe('renamedFrom', () => {
  it('of two entries is refused: one resource cannot become two', async () => {
    const { env } = await newAccount(service);
    const files = {
      'sonde.yaml': file(['  - { name: a, renamedFrom: base }', '  - { name: b, renamedFrom: base }']),
    };
    const { code, stderr } = await runLine(plan, ['sonde.yaml'], { env, files });
    expect(code).toBe(2);
    expect(stderr).toContain('"base" is also the former name of "a": one resource cannot become two');
  });

  it('moves resources along every permutation and chain of names, once', () =>
    fc.assert(fc.asyncProperty(renamings, expectRenamed), {
      numRuns: 8,
      examples: [
        [
          [
            ['a', 'b'],
            ['b', 'a'],
          ],
        ],
        [
          [
            ['a', 'b'],
            ['b', 'c'],
          ],
        ],
        [
          [
            ['a', 'b'],
            ['b', 'c'],
            ['c', 'a'],
          ],
        ],
      ],
    }));

  it('refuses a swap without a project, of which nothing would tell whether it was made', async () => {
    const { env, own } = await newAccount(service);
    for (const name of ['a', 'b']) await send(own, 'POST /v1/check-groups', { name });
    const swap = declared([
      ['a', 'b'],
      ['b', 'a'],
    ]).replace('project: shop\n', '');
    const { code, stderr } = await runLine(plan, ['f'], { env, files: { f: swap } });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('cannot exchange their names without a project'),
    ]);
  });
});

describe('a list without an order', () => {
  const shuffled = (items: readonly string[]) => fc.shuffledSubarray([...items], { minLength: items.length });
  const TAGS = ['edge', 'dns', 'prod', 'shop'];
  const LOCATIONS = ['eu-west-1', 'us-east-1', 'ap-south-1'];
  const lists = fc.record({
    tags: shuffled(TAGS),
    locations: shuffled(LOCATIONS),
    others: shuffled(['One', 'Two']),
  });
  const checks = ({ tags, locations, others }: { tags: string[]; locations: string[]; others: string[] }) => `
project: shop
dashboards:
  - { header: Shop, customUrl: shop-order, tags: [${tags}] }
groups:
  - { name: Shop, tags: [${tags}], locations: [${locations}] }
checks:
  - { name: One, checkType: DNS, request: { query: shop.test } }
  - { name: Two, checkType: DNS, request: { query: shop.test } }
  - { name: Home, checkType: URL, request: { url: https://shop.test }, tags: [${tags}], locations: [${locations}], dependsOn: [${others}] }
maintenanceWindows:
  - { name: Upgrade, tags: [${tags}], startsAt: "2030-11-22", endsAt: "2030-11-23" }
`;

  it('is unchanged in any other order, whoever made it, and changes with its items', async () => {
    const { plan: planOf, apply: applyTo, list, own } = await newAccount(service);
    await applyTo(checks({ tags: TAGS, locations: LOCATIONS, others: ['One', 'Two'] }));
    const home = (await list('/v1/checks')).find(({ name }) => name === 'Home');
    await fc.assert(
      fc.asyncProperty(lists, lists, async (wanted, remote) => {
        await send(own, `PUT /v1/checks/url/${home?.id}`, { tags: remote.tags, locations: remote.locations });
        expect((await planOf(checks(wanted))).summary).toMatchObject({ unchanged: 6, update: 0 });
        expect((await planOf(checks(wanted), '--refresh-only')).summary).toMatchObject({ update: 0 });
        const fewer = { ...wanted, tags: wanted.tags.slice(1) };
        expect((await planOf(checks(fewer))).summary).toMatchObject({ update: 4 });
      }),
      { numRuns: 5 },
    );
  });
});

describe('a text that no service can store', () => {
  const FIELDS: readonly (readonly [path: string, entry: (text: string) => string])[] = [
    ['name', (text) => `checks: [{ name: ${text}, checkType: URL, request: { url: https://shop.test } }]`],
    [
      'description',
      (text) =>
        `checks: [{ name: a, description: ${text}, checkType: URL, request: { url: https://shop.test } }]`,
    ],
    [
      'tags[1]',
      (text) =>
        `checks: [{ name: a, tags: [x, ${text}], checkType: URL, request: { url: https://shop.test } }]`,
    ],
    [
      'request.body',
      (text) =>
        `checks: [{ name: a, checkType: API, request: { url: https://shop.test, method: POST, body: ${text} } }]`,
    ],
    ['script', (text) => `snippets: [{ name: a, script: ${text} }]`],
    [
      'config.template',
      (text) =>
        `alertChannels: [{ type: WEBHOOK, config: { name: a, url: https://shop.test/a, template: ${text} } }]`,
    ],
  ];
  it.each(FIELDS)('%s is refused by plan with its place', async (path, entry) => {
    const { env } = await newAccount(service);
    for (const text of ['"a\\0b"', '"\\uD800"']) {
      const { code, stderr } = await runLine(plan, ['f'], { env, files: { f: `\n${entry(text)}\n` } });
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(
          new RegExp(`f:2:\\d+: ${path.replaceAll(/[[\].]/g, '\\$&')} contains a NUL character`),
        ),
      ]);
    }
  });
});
