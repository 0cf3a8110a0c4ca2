/** One result in each output format. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Clock } from '../../src/base/clock.ts';
import { type Column, type OutputFlags, render, resolveOutput } from '../../src/terminal/index.ts';
import { createTestTerminal } from '../support/terminal.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const clock: Clock = { now: () => NOW, monotonic: () => 0, sleep: async () => {}, timer: () => () => {} };

interface Session {
  id: string;
  name: string;
  status: string;
  startedAt: string | null;
  activated: boolean;
  timeElapsed: number;
  locations: string[];
  [unknown: string]: unknown;
}

const session = (over: Partial<Session> = {}): Session => ({
  id: 'b8f1c1de-0000-4000-8000-000000000001',
  name: 'Home',
  status: 'PASSED',
  startedAt: '2026-11-21T11:57:00Z',
  activated: true,
  timeElapsed: 1234,
  locations: ['eu-west-1', 'us-east-1'],
  ...over,
});

const columns: Column<Session>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'status', kind: 'status' },
  { key: 'startedAt', header: 'started', kind: 'time' },
  { key: 'activated', header: 'active', kind: 'boolean' },
  { key: 'timeElapsed', header: 'elapsed', kind: 'duration' },
  { key: 'locations', kind: 'list' },
];

async function list(
  rows: readonly Session[] | AsyncIterable<Session>,
  flags: OutputFlags = {},
  isTTY = false,
  width = 140,
) {
  const test = createTestTerminal({ isTTY, columns: width, env: { NO_COLOR: '1' }, clock });
  await render(test.terminal, {
    kind: 'list',
    data: rows,
    columns,
    output: await resolveOutput(flags),
    empty: 'No sessions.',
  });
  return test;
}

async function item(data: Session, flags: OutputFlags = {}, isTTY = false) {
  const test = createTestTerminal({ isTTY, columns: 80, env: { NO_COLOR: '1' }, clock });
  await render(test.terminal, { kind: 'item', data, columns, output: await resolveOutput(flags) });
  return test.stdout();
}

describe('in a terminal', () => {
  it('shows a list as a table with relative times, yes and no, and durations in words', async () => {
    const test = await list(
      [session(), session({ name: 'Basket', activated: false, startedAt: null })],
      {},
      true,
    );
    expect(test.stdout()).toBe(
      [
        'ID                                    NAME    STATUS  STARTED  ACTIVE  ELAPSED  LOCATIONS',
        'b8f1c1de-0000-4000-8000-000000000001  Home    PASSED  3m ago   yes        1.2s  eu-west-1, us-east-1',
        'b8f1c1de-0000-4000-8000-000000000001  Basket  PASSED  —        no         1.2s  eu-west-1, us-east-1',
        '',
      ].join('\n'),
    );
  });

  it('shows an item with absolute and relative times', async () => {
    expect(await item(session(), { utc: true }, true)).toContain(
      'Started    2026-11-21 11:57:00 UTC (3m ago)\n',
    );
  });

  it('says on stderr that a list is empty, and nothing on stdout', async () => {
    const test = await list([], {}, true);
    await test.terminal.flush();
    expect([test.stdout(), test.stderr()]).toEqual(['', 'No sessions.\n']);
  });

  it('colours a status by its meaning', async () => {
    const test = createTestTerminal({ isTTY: true, clock });
    const rows = ['PASSED', 'FAILED', 'DEGRADED', 'PROGRESS', 'BRAND_NEW'].map((status) => ({ status }));
    await render(test.terminal, {
      kind: 'list',
      data: rows,
      columns: [{ key: 'status', kind: 'status' }],
      output: { utc: false },
    });
    expect(test.stdout().split('\n').slice(1, 6)).toEqual([
      '\x1b[32mPASSED\x1b[39m',
      '\x1b[31mFAILED\x1b[39m',
      '\x1b[33mDEGRADED\x1b[39m',
      '\x1b[36mPROGRESS\x1b[39m',
      'BRAND_NEW',
    ]);
  });

  it('removes escape sequences of a server from tables and items', async () => {
    const hostile = session({ name: '\x1b]0;owned\x07\x1b[31mHo\u202eme\x9b2J\nx' });
    expect((await list([hostile], {}, true)).stdout()).toContain('Home x');
    expect(await item(hostile, {}, true)).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
  });

  it('prints --json pretty', async () => {
    expect(await item(session(), { json: true }, true)).toBe(`${JSON.stringify(session(), null, 2)}\n`);
  });
});

describe('in a pipe', () => {
  it('prints one row per line: tab-separated, ISO times, nothing truncated', async () => {
    const name = `a\tb\nc\x1b[31m ${'x'.repeat(300)}`;
    expect((await list([session({ name })])).stdout()).toBe(
      `b8f1c1de-0000-4000-8000-000000000001\ta b c ${'x'.repeat(300)}\tPASSED\t2026-11-21T11:57:00Z\ttrue\t1234\teu-west-1,us-east-1\n`,
    );
  });

  it('prints one key and value of an item per line', async () => {
    expect(await item(session({ startedAt: null }))).toBe(
      [
        'id\tb8f1c1de-0000-4000-8000-000000000001',
        'name\tHome',
        'status\tPASSED',
        'startedAt\t',
        'activated\ttrue',
        'timeElapsed\t1234',
        'locations\teu-west-1,us-east-1',
        '',
      ].join('\n'),
    );
  });

  it('prints --json compact, with undeclared fields', async () => {
    const body = session({ surprise: { deep: [null] } });
    expect(await item(body, { json: true })).toBe(`${JSON.stringify(body)}\n`);
    expect((await list([body], { json: true })).stdout()).toBe(`${JSON.stringify([body])}\n`);
    expect((await list([], { json: true })).stdout()).toBe('[]\n');
  });

  it('truncates nothing with --output table', async () => {
    const name = 'x'.repeat(300);
    expect((await list([session({ name })], { output: 'table' })).stdout()).toContain(name);
  });

  it('prints nothing for a --json list whose source fails', async () => {
    async function* broken() {
      yield session();
      throw new Error('page 2 is gone');
    }
    const test = createTestTerminal();
    const output = await resolveOutput({ json: true });
    await expect(render(test.terminal, { kind: 'list', data: broken(), output })).rejects.toThrow('page 2');
    expect(test.stdout()).toBe('');
  });

  it.each(['tsv', 'csv', 'jsonl'])('writes %s while rows arrive', async (format) => {
    const test = createTestTerminal();
    let seen = 0;
    async function* rows() {
      for (let index = 0; index < 3000; index += 1) {
        yield session();
        seen = Math.max(seen, test.stdout().length);
      }
    }
    const output = await resolveOutput({ output: format });
    await render(test.terminal, { kind: 'list', data: rows(), columns, output });
    expect(seen).toBeGreaterThan(100_000);
    expect(test.stdout().trimEnd().split('\n')).toHaveLength(format === 'csv' ? 3001 : 3000);
  });
});

describe('several items', () => {
  const rows = [session(), session({ name: 'Basket' })];
  it.each([
    [1, JSON.stringify(rows[0])],
    [2, JSON.stringify(rows)],
  ])('print for %d id: one object, or an array', async (count, expected) => {
    const test = createTestTerminal();
    const output = await resolveOutput({ json: true });
    await render(test.terminal, { kind: 'items', data: rows.slice(0, count), columns, output });
    expect(test.stdout()).toBe(`${expected}\n`);
  });
});

describe('csv', () => {
  it('quotes as RFC 4180 says, and escapes formulas only in text', async () => {
    const rows = [
      session({ name: '=HYPERLINK("http://x";"y")', timeElapsed: -5, locations: [] }),
      session({ name: 'two\nlines, "quoted"', startedAt: null }),
      session({ name: '＋1' }),
    ];
    const text = (await list(rows, { output: 'csv', fields: 'name,timeElapsed,startedAt' })).stdout();
    expect(text).toBe(
      [
        'name,timeElapsed,startedAt',
        `"'=HYPERLINK(""http://x"";""y"")",-5,2026-11-21T11:57:00Z`,
        '"two\nlines, ""quoted""",1234,',
        "'＋1,1234,2026-11-21T11:57:00Z",
        '',
      ].join('\r\n'),
    );
  });

  it('prints the header of an empty list', async () => {
    expect((await list([], { output: 'csv' })).stdout()).toBe(
      'id,name,status,startedAt,activated,timeElapsed,locations\r\n',
    );
  });
});

describe('yaml', () => {
  it('parses to the same value, escapes control characters, and quotes `no`', async () => {
    const body = session({ name: 'a\x1b[31m\x9b\u202e\u2028\x7fb\nc\td', note: 'no', '\x1bkey': 'x\ud800' });
    const text = await item(body, { output: 'yaml' });
    expect(text).not.toMatch(/(?!\n)\p{Cc}|\p{Surrogate}|[\u2028\u202e]/u);
    expect(parse(text)).toEqual(body);
    expect(text).toContain('note: "no"');
  });
});

describe('--fields', () => {
  it('selects keys of JSON, nested keys in their place', async () => {
    const body = session({ request: { url: 'u', port: 1 }, results: [{ a: 1, b: 2 }, { a: 3 }] });
    expect(await item(body, { json: true, fields: 'results.a,request.url,id' })).toBe(
      `{"results":[{"a":1},{"a":3}],"request":{"url":"u"},"id":"${body.id}"}\n`,
    );
  });

  it('selects columns in the given order, declared or not', async () => {
    const rows = [session({ request: { url: 'u' } })];
    expect((await list(rows, { fields: 'request.url,status' })).stdout()).toBe('u\tPASSED\n');
    expect((await list(rows, { fields: 'status,request.url' }, true)).stdout()).toBe(
      'STATUS  REQUEST URL\nPASSED  u\n',
    );
  });

  it('names the available fields and the nearest one for an unknown field', async () => {
    await expect(list([session()], { fields: 'id,satus' })).rejects.toMatchObject({
      exitCode: 2,
      message: 'unknown field: "satus" (did you mean status?)',
      hint: expect.stringMatching(/^available: id, name, status/),
    });
  });

  it('accepts a declared column that no row has', async () => {
    const { startedAt: _, ...rest } = session();
    const test = createTestTerminal();
    const output = await resolveOutput({ fields: 'startedAt,name' });
    await render<object>(test.terminal, {
      kind: 'list',
      data: [rest],
      columns: [{ key: 'startedAt' }],
      output,
    });
    expect(test.stdout()).toBe('\tHome\n');
  });
});

describe('--jq', () => {
  it('prints raw strings, and the rest as compact JSON in a pipe', async () => {
    const jq = '.[] | .name, {n: .timeElapsed}, null';
    expect((await list([session({ name: 'a\nb' })], { jq })).stdout()).toBe('a\nb\n{"n":1234}\nnull\n');
  });

  it('prints pretty and sanitised in a terminal', async () => {
    const jq = '.[] | .name, {name}';
    expect((await list([session({ name: 'a\x1b[31mb' })], { jq }, true)).stdout()).toBe(
      'ab\n{\n  "name": "a\\u001b[31mb"\n}\n',
    );
  });

  it('accepts an expression that begins with a dash', async () => {
    expect(await item(session(), { jq: '-.timeElapsed' })).toBe('-1234\n');
  });

  it('prints nothing for no values', async () => {
    expect(await item(session(), { jq: 'empty' })).toBe('');
  });

  it('fails with 74 if the expression does not fit the result, and prints nothing', async () => {
    await expect(item(session(), { jq: '.name, .name.first' })).rejects.toMatchObject({
      exitCode: 74,
      message: expect.stringContaining('Cannot index string with'),
    });
  });
});

describe('formats that a command defines', () => {
  it('are printed unchanged', async () => {
    const test = createTestTerminal();
    const output = await resolveOutput({ output: 'plain' }, ['plain']);
    await render(test.terminal, { kind: 'item', data: {}, output, formats: { plain: () => '10.0.0.1' } });
    expect(test.stdout()).toBe('10.0.0.1\n');
  });
});
