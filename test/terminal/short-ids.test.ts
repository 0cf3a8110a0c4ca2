/** IDs in tables: abbreviated in a terminal, complete everywhere else. */
import { describe, expect, it } from 'vitest';
import { type OutputFlags, render, resolveOutput } from '../../src/terminal/index.ts';
import { createTestTerminal } from '../support/terminal.ts';

describe('IDs that can be abbreviated', () => {
  const ids = ['b8f1c1de-0000', 'b8f1c1de-0a00', '77aa0000-0000'].map(
    (start) => `${start}-4000-8000-000000000001`,
  );
  const print = async (flags: OutputFlags, isTTY: boolean, extra: readonly string[] = []) => {
    const test = createTestTerminal({ isTTY, columns: 140, env: { NO_COLOR: '1' } });
    await render(test.terminal, {
      kind: 'list',
      data: [...ids, ...extra].map((id) => ({ id, name: 'Home' })),
      columns: [{ key: 'name' }, { key: 'id', kind: 'id', isShort: true }],
      output: await resolveOutput(flags),
    });
    return test.stdout();
  };

  it('have in a terminal the shortest unique prefix of at least eight characters', async () => {
    const rows = (await print({}, true, ['not-a-uuid-here', ids[0] ?? ''])).split('\n').slice(1, 6);
    expect(rows.map((row) => row.slice(6))).toEqual([
      'b8f1c1de-00',
      'b8f1c1de-0a',
      '77aa0000',
      'not-a-uuid-here',
      'b8f1c1de-00',
    ]);
  });

  it('have a longer prefix if they begin with a time', async () => {
    const timed = '01a2094c-c4ae-7abc-8def-000000000001';
    expect(await print({}, true, [timed])).toContain(' 01a2094c-c4ae-7abc\n');
  });

  it.each<readonly [string, OutputFlags, boolean]>([
    ['in a pipe', {}, false],
    ['as a table in a pipe', { output: 'table' }, false],
    ['as JSON', { output: 'json' }, true],
    ['as tsv', { output: 'tsv' }, true],
    ['as yaml', { output: 'yaml' }, true],
    ['as csv', { output: 'csv' }, true],
    ['if the column is selected', { fields: 'id' }, true],
  ])('are complete %s', async (_, flags, isTTY) => {
    const text = await print(flags, isTTY);
    for (const id of ids) expect(text).toContain(id);
  });
});
