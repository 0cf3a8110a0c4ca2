/** The output of `get` is the input of `create -f` and `update -f`, for every resource of a real service. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject } from '../../../src/base/object.ts';
import type { Command } from '../../../src/cli/framework/types.ts';
import type { CheckType } from '../../../src/contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../src/contract/generated/check-types.js';
import { drawn, makeAll } from '../../commands/whole-account.ts';
import { parseLine, runLine } from '../../support/command.ts';
import { runs } from '../../support/sampled.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { envOf, well } from '../resources/journey.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Fields = Readonly<Record<string, unknown>>;

async function commandOf(noun: string, verb: string): Promise<Command> {
  return ((await import(`../../../commands/${noun}/${verb}.ts`)) as { command: Command }).command;
}

/** Flags for what is unique, with the field that they change. `update`: undefined if nothing updates from a file. */
interface Kind {
  readonly noun: string;
  readonly key?: string;
  readonly update?: string;
  readonly unique?: readonly [flag: string, field: string];
}
const KINDS: readonly Kind[] = [
  { noun: 'checks', update: 'update' },
  { noun: 'groups', update: 'update' },
  { noun: 'alert-channels', update: 'update' },
  { noun: 'snippets', update: 'update' },
  { noun: 'services', update: 'update' },
  { noun: 'maintenance', update: 'update' },
  { noun: 'status-pages', update: 'put', unique: ['--url', 'url'] },
  { noun: 'private-locations', update: 'update', unique: ['--slug-name', 'slugName'] },
  { noun: 'dashboards', key: 'dashboardId', update: 'update', unique: ['--custom-url', 'customUrl'] },
];

/** What the service sets: IDs, times, and what follows from them. */
const OWN =
  /^(?:id|dashboardId|statusPageId|created_at|updated_at|nextRunAt|status|keys|openSince|exceptions|pingToken|pingUrl)$/;
function withoutOwn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwn);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (OWN.test(name) ? [] : [[name, withoutOwn(each)]])),
  );
}

describe('the output of get', () => {
  it('creates an equal resource, and is no change as an update', async () => {
    const seen = new Map<string, number>();
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(drawn(false), async (whole) => {
        // Draws accounts until each kind was compared.
        if (seen.size === ALL.length) return;
        const account = { ...service, ...(await service.newAccount()) };
        await makeAll(account, whole, String(turn++));
        for (const kind of KINDS) await compareAll(account, kind, seen);
      }),
      { numRuns: runs(1, 50) },
    );
    if (runs(1, 50) > 1) expect([...seen.keys()].sort()).toEqual([...ALL].sort());
  });
  const ALL = [
    ...Object.keys(CHECK_TYPES).filter((type) => type !== 'SSL'),
    ...KINDS.slice(1).map(({ noun }) => noun),
  ];

  async function compareAll(account: TestService, kind: Kind, seen: Map<string, number>): Promise<void> {
    const env = envOf(account);
    const { noun, key = 'id', unique, update } = kind;
    const get = await commandOf(noun, 'get');
    const rows = JSON.parse((await well(await commandOf(noun, 'list'), ['--all', '--json'], { env })).stdout);
    for (const row of rows as readonly Fields[]) {
      const id = String(row[key]);
      const type = String(row.checkType ?? noun);
      const format = (seen.get(type) ?? 0) % 2 === 0 ? 'yaml' : 'json';
      const printed = (await well(get, [id, '-o', format], { env })).stdout;
      const before = JSON.parse((await well(get, [id, '--json'], { env })).stdout) as Fields;
      const verb = noun === 'checks' ? `create-${CHECK_TYPES[type as CheckType].path}` : 'create';
      const create = await commandOf(noun, verb);
      const argv = [
        '-f',
        '-',
        '-o',
        'json',
        ...(unique ? [unique[0], `n-${account.accountId.slice(0, 8)}-${id.slice(0, 8)}`] : []),
      ];
      const made = await runLine(create, argv, { env, input: printed });
      if (/mask/.test(made.stderr)) continue;
      expect(made.code, `${type}: ${made.stderr}\n${printed}`).toBe(0);
      expect(
        made.stderr.match(/ignored in stdin, because the request has no such fields: .*\bid\b/g),
      ).toHaveLength(1);
      const newId = String(JSON.parse(made.stdout)[key]);
      const after = JSON.parse((await well(get, [newId, '--json'], { env })).stdout) as Fields;
      const skip = unique ? { [unique[1]]: undefined } : {};
      expect({ ...(withoutOwn(after) as Fields), ...skip }).toEqual({
        ...(withoutOwn(before) as Fields),
        ...skip,
      });
      if (update) {
        const changed = await well(await commandOf(noun, update), [id, '-f', '-', '--yes'], {
          env,
          input: printed,
        });
        expect(changed.stderr, type).toMatch(/No (?:visible )?changes\./);
      }
      seen.set(type, (seen.get(type) ?? 0) + 1);
    }
  }
});

describe('a file with a check', () => {
  const TYPES = Object.keys(CHECK_TYPES) as CheckType[];
  it.each(TYPES)('of the type %s is refused by the commands of the others', async (type) => {
    for (const other of TYPES) {
      const create = await commandOf('checks', `create-${CHECK_TYPES[other].path}`);
      const { code, stderr } = await parseLine(create, ['-f', '-', '--dry-run'], {
        input: `name: a\ncheckType: ${type}\n`,
      });
      const problem = `stdin:2 checkType must be ${other} for this command, not "${type}"`;
      expect(stderr.includes(problem), stderr).toBe(type !== other);
      if (type !== other) expect(code).toBe(2);
    }
  });

  it('is refused by the update of a check of another type', async () => {
    const env = envOf(service);
    const create = await commandOf('checks', 'create-url');
    const made = await well(create, ['--name', 'Shop', '--url', 'https://example.com', '--jq', '.id'], {
      env,
    });
    const argv = [made.stdout.trim(), '-f', '-', '--yes'];
    const { code, stderr } = await runLine(await commandOf('checks', 'update'), argv, {
      env,
      input: 'checkType: DNS\nname: Other\n',
    });
    expect(stderr).toContain('checkType cannot change from "URL" to "DNS"');
    expect(code).toBe(2);
  });
});

describe('a file', () => {
  it('that a person wrote has no unknown fields, whatever its type', async () => {
    const create = await commandOf('checks', 'create-dns');
    const input = 'name: a\ncheckType: DNS\nrequest: {query: example.com}\nchannel: ops\n';
    const { code, stderr } = await parseLine(create, ['-f', '-'], { input });
    expect(stderr).toContain('"channel" is not a known field');
    expect(code).toBe(2);
  });
});
