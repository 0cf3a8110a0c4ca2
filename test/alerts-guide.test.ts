/** What the guide to alerts says is true: its commands run, in their order, as they stand there. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShell, type Shell } from './support/shell.ts';

const guide = readFileSync('docs/alerts.md', 'utf8');
const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => String(text));

let shell: Shell;
beforeAll(async () => {
  shell = openShell();
  await shell.run('sonde service start --detach');
}, 30_000);
afterAll(() => shell.close());

test.each(blocks.map((block) => [block.split('\n')[0], block]))(
  'it runs: %s',
  async (_, block) => {
    const { code, stderr } = await shell.run(block);
    expect(code, stderr).toBe(0);
  },
  30_000,
);
