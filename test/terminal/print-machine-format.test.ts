/** Results for programs: exact, whole or as they come, and readable by what others have written. */
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseExact } from '../../src/base/exact-numbers.ts';
import { type Column, type OutputFlags, render, resolveOutput } from '../../src/terminal/index.ts';
import { createTestTerminal } from '../support/terminal.ts';

type Row = Readonly<Record<string, unknown>>;

async function* arriving<T>(rows: readonly T[]): AsyncGenerator<T> {
  for (const [index, row] of rows.entries()) {
    if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    yield row;
  }
}

async function print(
  rows: readonly Row[],
  flags: OutputFlags,
  { isTTY = false, columns }: { isTTY?: boolean; columns?: readonly Column<Row>[] } = {},
): Promise<string> {
  const test = createTestTerminal({ isTTY });
  const output = await resolveOutput(flags);
  const view = { kind: 'list', data: arriving(rows), output } as const;
  await render<Row>(test.terminal, columns ? { ...view, columns } : view);
  return test.stdout();
}

const exact = parseExact(
  '[{"id":12345678901234567890,"rate":1.0,"list":[98765432109876543210,2],"nested":{"far":1e999}}]',
) as Row[];

describe('numbers that JavaScript cannot hold', () => {
  it.each([
    [
      { json: true },
      '[{"id":12345678901234567890,"rate":1.0,"list":[98765432109876543210,2],"nested":{"far":1e999}}]\n',
    ],
    [{ output: 'jsonl', fields: 'nested.far,id' }, '{"nested":{"far":1e999},"id":12345678901234567890}\n'],
    [
      { output: 'yaml', fields: 'id,rate,list' },
      '- id: 12345678901234567890\n  rate: 1.0\n  list:\n    - 98765432109876543210\n    - 2\n',
    ],
    [{ output: 'tsv' }, '12345678901234567890\t1\t98765432109876543210,2\t{"far":1e999}\n'],
    [{ output: 'csv', fields: 'id,nested.far' }, 'id,nested.far\r\n12345678901234567890,1e999\r\n'],
    [{ jq: '.[] | .id, .list[0]' }, '12345678901234567890\n98765432109876543210\n'],
    [{ output: 'jsonl', jq: '.id' }, '12345678901234567890\n'],
  ])('come as they were with %j', async (flags, text) => {
    expect(await print(exact, flags)).toBe(text);
  });
});

describe('a list', () => {
  const rows = Array.from({ length: 1234 }, (_, id) => ({
    id,
    name: `Check ${id}`,
    tags: id % 2 ? ['a'] : [],
  }));

  it.each([
    [false, [{ json: true }, (text: string) => JSON.parse(text) as unknown]],
    [true, [{ json: true }, (text: string) => JSON.parse(text) as unknown]],
    [false, [{ output: 'yaml' }, (text: string) => parseYaml(text) as unknown]],
    [
      false,
      [
        { output: 'jsonl' },
        (text: string) =>
          text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as unknown),
      ],
    ],
  ] as const)('is whole over many batches, in a terminal: %s', async (isTTY, [flags, read]) => {
    const text = await print(rows, flags, { isTTY });
    expect(read(text)).toEqual(rows);
    if (isTTY) expect(text).toBe(`${JSON.stringify(rows, null, 2)}\n`);
  });

  it.each([
    [{ json: true }, '[]\n'],
    [{ output: 'yaml' }, '[]\n'],
    [{ output: 'jsonl' }, ''],
    [{ jq: 'length' }, '0\n'],
    [{ output: 'jsonl', jq: '.id' }, ''],
  ])('of nothing is %j', async (flags, text) => {
    expect(await print([], flags)).toBe(text);
  });

  it.each([{ json: true }, { output: 'yaml' }, { jq: '.' }])(
    'is nothing where its source breaks off after megabytes, with %j, and no file of it is left',
    async (flags) => {
      const before = readdirSync(tmpdir());
      async function* broken() {
        for (let row = 0; row < 3000; row += 1) yield { text: 'x'.repeat(1000) };
        throw new Error('page 30 is gone');
      }
      const test = createTestTerminal();
      const output = await resolveOutput(flags);
      await expect(render(test.terminal, { kind: 'list', data: broken(), output })).rejects.toThrow(
        'page 30',
      );
      expect(test.stdout()).toBe('');
      expect(
        readdirSync(tmpdir()).filter((name) => /^sonde-\w{6}$/.test(name) && !before.includes(name)),
      ).toEqual([]);
    },
  );

  it('is written up to where it waits for more', async () => {
    const test = createTestTerminal();
    const seen: string[] = [];
    async function* pages() {
      for (let page = 0; page < 3; page += 1) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        seen.push(test.stdout());
        yield* [{ id: page * 2 }, { id: page * 2 + 1 }];
      }
    }
    await render(test.terminal, {
      kind: 'list',
      data: pages(),
      output: await resolveOutput({ output: 'tsv' }),
    });
    expect(seen).toEqual(['', '0\n1\n', '0\n1\n2\n3\n']);
  });

  it('has in csv the columns of all rows that are there', async () => {
    const test = createTestTerminal();
    const output = await resolveOutput({ output: 'csv' });
    await render(test.terminal, { kind: 'list', data: [...rows, { id: 1, late: 'x' }], output });
    expect(test.stdout().slice(0, 19)).toBe('id,name,tags,late\r\n');
  });

  it.each([{ json: true }, { output: 'yaml' }, { output: 'csv' }, { output: 'jsonl' }])(
    'is refused with an unknown field before anything is written, with %j',
    async (flags) => {
      const test = createTestTerminal();
      const output = await resolveOutput({ ...flags, fields: 'id,nested.colour' });
      const data = arriving([{ id: 1, nested: { color: 'red' } }]);
      await expect(render(test.terminal, { kind: 'list', data, output })).rejects.toMatchObject({
        exitCode: 2,
        details: [{ place: '--fields', nearest: 'nested.color' }],
      });
      expect(test.stdout()).toBe('');
    },
  );

  it('may have a field that only its last row has, where it is whole', async () => {
    const data = [...rows, { id: 1, late: 'x' }];
    expect(JSON.parse(await print(data, { json: true, fields: 'late' }))).toHaveLength(data.length);
  });
});

describe('csv', () => {
  const one: readonly Column<Row>[] = [{ key: 'a' }];
  const cell = async (text: string): Promise<string> => {
    const [, row] = parseCsv(await print([{ a: text }], { output: 'csv' }, { columns: one }), {
      record_delimiter: '\r\n',
    });
    return row?.[0] ?? 'no row';
  };

  it.each([
    ...[
      '=1+1',
      '+49',
      '-2+3',
      '@SUM(A1)',
      '＝1',
      '＋1',
      '－1',
      '＠x',
      ' =1',
      '\t=1',
      '\tx',
      '\r=1',
      '\nx',
      '\u00a0=1',
    ],
    ...['\x1b[0m=1', '\u202e=1', '\u200e@x'],
  ])('defuses %j as it will stand there', async (text) => {
    expect(await cell(text)).toMatch(/^'/);
  });

  it.each(['-5', '1e5', 'a=b', "it's", 'a-b'])('leaves %j as it is', async (text) => {
    expect(await cell(text)).toBe(text);
  });

  it('has a row for what is empty', async () => {
    expect(await cell('')).toBe('');
  });

  it('is read by another program as it was written', async () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[",;\r\n\t =x]{0,8}$/));
    const rows = fc.array(fc.record({ a: text, b: text }), { minLength: 1, maxLength: 5 });
    const columns: readonly Column<Row>[] = [{ key: 'a' }, { key: 'b' }];
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const read = parseCsv(await print(given, { output: 'csv' }, { columns }), {
          record_delimiter: '\r\n',
        });
        const shown = (each: string) =>
          each.replace(/\r\n|[\r\u0085]/g, '\n').replace(/[\u2028\u2029]/g, ' ');
        const plain = (each: string) =>
          /^(?:\s*[=+\-@]|[\t\n])/.test(each) && !/^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(each)
            ? `'${each}`
            : each;
        expect(read).toEqual([
          ['a', 'b'],
          ...given.map(({ a, b }) => [a, b].map((each) => plain(shown(each)))),
        ]);
      }),
    );
  });
});

describe('--jq', () => {
  const rows: readonly Row[] = [{ name: 'a' }, { name: { first: 'b' } }, { name: 'c' }];

  it('names the row that an expression does not fit', async () => {
    await expect(print(rows, { jq: '.[] | .name | ascii_downcase' })).rejects.toMatchObject({
      exitCode: 74,
      message: '--jq failed on row 2 of 3: explode input must be a string',
      hint: expect.stringContaining('the row is {"name":{"first":"b"}}'),
    });
  });

  it('says how the rows of a list are reached', async () => {
    await expect(print(rows, { jq: '.name' })).rejects.toMatchObject({
      message: '--jq failed on this result: Cannot index array with string ("name")',
      hint: expect.stringContaining('use .[] to select its rows'),
    });
  });

  it('takes the rows of -o jsonl one by one, and gives JSON lines', async () => {
    const jq = '# its names\n(.name | .first? // .), length # both';
    expect(await print(rows, { output: 'jsonl', jq })).toBe('"a"\n1\n"b"\n1\n"c"\n1\n');
    expect(await print(rows, { output: 'jsonl', jq: 'select(.name == "c")' })).toBe('{"name":"c"}\n');
  });

  it('names the row of -o jsonl, counted over all batches', async () => {
    const many = Array.from({ length: 777 }, (_, n): Row => ({ n: n === 666 ? 'x' : n }));
    await expect(print(many, { output: 'jsonl', jq: '.n + 1' })).rejects.toMatchObject({
      message: '--jq failed on row 667: string ("x") and number (1) cannot be added',
    });
  });

  it('takes an expression of several lines, and one with comments', async () => {
    expect(await print(rows, { jq: '# of each\n.[]\n| .name\n| strings # only' })).toBe('a\nc\n');
  });

  it('says so where jq has no room for the result', async () => {
    const doubling = 'reduce range(6) as $time ("x" * 1e7; . + .) | length';
    // jq computes a constant while it compiles.
    for (const jq of [doubling, '("x" * 4e8) | length'])
      await expect(print(rows, { jq })).rejects.toMatchObject({
        exitCode: 74,
        message: expect.stringMatching(
          /^--jq ran out of memory: the limit is 256 MiB, and the JSON has 0 MB/,
        ),
        hint: expect.stringContaining('-o jsonl --jq'),
      });
  });
});
