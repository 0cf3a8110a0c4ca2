/** A guide whose commands run, in their order and as they stand there, against a service of its own. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Env } from './binary.ts';
import { openShell, type Shell } from './shell.ts';

const LIMIT_MS = 30_000;

/** Makes a test of each block of commands in the guide. Answers the shell that they run in, for tests that follow them. `env`: more of its environment. */
export function testGuide(path: string, env: () => Promise<Env> = async () => ({})): () => Shell {
  const blocks = [...readFileSync(path, 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) =>
    String(text),
  );
  let shell: Shell;
  beforeAll(async () => {
    shell = openShell(await env());
    await shell.run('sonde service start --detach');
  }, LIMIT_MS);
  afterAll(() => shell.close());

  test.each(blocks.map((block) => [block.split('\n')[0], block]))(
    'it runs: %s',
    async (_, block) => {
      const { code, stderr } = await shell.run(block);
      expect(code, stderr).toBe(0);
    },
    LIMIT_MS,
  );
  return () => shell;
}
