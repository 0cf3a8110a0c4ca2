/** Servers whose lists end before everything that they announced: every command that reads all pages must fail. */
import { describe, expect, it } from 'vitest';
import { commandFiles, loadCommands } from '../../scripts/manifest.mjs';
import { endpointsOf } from '../../src/cli/framework/command-spec.ts';
import type { Command } from '../../src/cli/framework/types.ts';
import { runLine, serviceAt } from '../support/command.ts';
import { answer, type ScriptedAnswer, serveWith } from '../support/http.ts';

const { commands } = await loadCommands(await commandFiles());
const ID = '5f0c8b39-9a64-4c8e-8f53-2b0f6c2f7f10';

interface List {
  readonly name: string;
  readonly command: Command;
  readonly line: readonly string[];
  readonly byCursor: boolean;
}
const api = commands.find(({ name }) => name === 'api') as Command;
const lists: readonly List[] = [
  ...commands.flatMap((command): List[] => {
    const listed = endpointsOf(command).filter(({ paging }) => paging !== undefined);
    const required = Object.values(command.arguments ?? {}).filter((argument) => argument.required);
    const given = required.map(() => ID);
    return listed.length === 0
      ? []
      : [{ name: command.name, command, line: given, byCursor: listed[0]?.paging === 'cursor' }];
  }),
  { name: 'api (numbers)', command: api, line: ['get', '/v1/x?limit=2'], byCursor: false },
  { name: 'api (cursors)', command: api, line: ['get', '/v1/x?limit=2'], byCursor: true },
];

const row = (number: number) => ({ id: `${number}${ID.slice(1)}`, key: `k${number}`, name: `row ${number}` });

/** Serves pages, as an array or with cursors. Beyond them a list is empty. */
async function serveList(
  { byCursor }: List,
  pages: readonly {
    readonly rows: number;
    readonly range?: string;
    readonly length?: number;
    readonly nextId?: unknown;
  }[],
) {
  let sent = 0;
  let number = 0;
  return serveWith((_request, response) => {
    const { rows = 0, range, length, nextId = null } = pages[sent++] ?? {};
    const entries = Array.from({ length: rows }, () => row(number++));
    const body: ScriptedAnswer['body'] = byCursor ? { length: length ?? rows, entries, nextId } : entries;
    answer(response, { body, headers: range === undefined ? {} : { 'content-range': range } });
  });
}

async function readAll(list: List, pages: Parameters<typeof serveList>[1]) {
  const server = await serveList(list, pages);
  const line = [...list.line, '--all', '-o', 'jsonl'];
  const { code, stdout, stderr } = await runLine(list.command, line, { env: serviceAt(server.url) });
  return { code, stderr, rows: stdout.trim().split('\n').filter(Boolean).length };
}

/** Adds a test to the lists that it is for. */
function itIf(condition: boolean, name: string, test: () => Promise<void>): void {
  if (condition) it(name, test);
}

it('finds the lists', () => {
  expect(lists.filter(({ byCursor }) => byCursor).length).toBeGreaterThan(4);
  expect(lists.filter(({ byCursor }) => !byCursor).length).toBeGreaterThan(8);
});

describe.each(lists)('$name --all', (list) => {
  const { byCursor } = list;
  /** Statistics send further requests for each check. */
  const isOnlyList = list.name !== 'checks stats';

  it.each(['0-0/3', 'items 0-0/3', '*/3', ' 0-0 / 3 '])(
    'fails at the range %s after one entry',
    async (range) => {
      const { code, stderr } = await readAll(list, [{ rows: 1, range }]);
      expect([code, stderr]).toEqual([
        6,
        expect.stringContaining('the service announced 3 entries, but returned 1'),
      ]);
    },
  );

  it('fails if only an earlier page announced the total', async () => {
    const { code, stderr } = await readAll(list, [{ rows: 2, range: '0-1/5', nextId: 'n1' }, { rows: 1 }]);
    expect([code, stderr]).toEqual([6, expect.stringContaining('announced 5 entries, but returned 3')]);
  });

  itIf(isOnlyList, 'accepts a total that shrinks, one that is exceeded, and none', async () => {
    const two = { rows: 2, range: '0-1/5', nextId: 'n1' };
    for (const last of ['2-2/3', '*/2', undefined]) {
      const first = last === undefined ? { rows: 2, nextId: 'n1' } : two;
      const pages = [first, { rows: 1, ...(last === undefined ? {} : { range: last }) }];
      expect(await readAll(list, pages)).toMatchObject({ code: 0 });
    }
  });

  itIf(isOnlyList, 'ignores ranges without a total, and of bytes', async () => {
    for (const range of ['0-0/*', 'bytes 0-99/100', 'nonsense'])
      expect(await readAll(list, [{ rows: 1, range }])).toMatchObject({ code: 0, rows: 1 });
  });

  itIf(byCursor, 'fails at a page that is shorter than its length', async () => {
    const { code, stderr } = await readAll(list, [{ rows: 2, length: 3, nextId: 'n1' }, { rows: 2 }]);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('a page announced 3 entries, but contained 2'),
    ]);
    const whole = await readAll(list, [
      { rows: 2, length: 3, nextId: 'n1' },
      { rows: 1, length: 3 },
    ]);
    expect(whole).toMatchObject({ code: 0, rows: 3 });
  });

  it('fails if a later page is not a list', async () => {
    let sent = 0;
    const server = await serveWith((_request, response) => {
      const entries = [row(0), row(1)];
      const body = sent++ > 0 ? { message: 'ok' } : byCursor ? { entries, nextId: 'n' } : entries;
      answer(response, { body, headers: { 'content-range': '0-1/5' } });
    });
    const line = [...list.line, '--all', '-o', 'jsonl'];
    const { code, stderr } = await runLine(list.command, line, { env: serviceAt(server.url) });
    expect([code, stderr]).toEqual([6, expect.stringContaining('not a list')]);
  });

  itIf(byCursor, 'fails at a list that goes on beyond its total, or without new entries', async () => {
    const more = ['n1', 'n2', 'n3'].map((nextId) => ({ rows: 2, range: '*/3', nextId }));
    const { code, stderr } = await readAll(list, more);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('the service announced 3 entries, returned 4, and announces more'),
    ]);
    let sent = 0;
    const server = await serveWith((_request, response) => {
      sent += 1;
      answer(response, { body: { entries: [{ ...row(0), updated_at: sent }], nextId: `n${sent}` } });
    });
    const line = [...list.line, '--all', '-o', 'jsonl'];
    const endless = await runLine(list.command, line, { env: serviceAt(server.url) });
    expect([endless.code, endless.stderr, sent]).toEqual([
      6,
      expect.stringContaining('page 2 has only entries of earlier pages'),
      2,
    ]);
  });

  itIf(byCursor, 'follows a cursor of any type', async () => {
    expect(await readAll(list, [{ rows: 1, nextId: 7 }, { rows: 1 }])).toMatchObject({ code: 0, rows: 2 });
  });
});
