/** What is loaded when: a command that prints JSON pays for no table, no colour, no prompt. */
import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** The packages reached from an entry without passing a dynamic import. */
async function loadedBy(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
  });
  const found = new Set<string>();
  const seen = new Set<string>();
  const walk = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind, external } of metafile.inputs[path]?.imports ?? []) {
      if (kind === 'dynamic-import') continue;
      if (external) found.add(next);
      else walk(next);
    }
  };
  walk(entry);
  return [...found].filter((name) => !name.startsWith('node:')).sort();
}

it('needs of all libraries only the one that finds the nearest word', async () => {
  expect(await loadedBy('src/terminal/index.ts')).toEqual(['fastest-levenshtein']);
});

it.each([
  ['jq', ['jq-wasm']],
  ['plain-prompts', []],
  ['prompts', ['@inquirer/core', '@inquirer/prompts', 'string-width']],
  ['region', []],
  ['spinner-line', ['ora']],
  ['styles', ['chalk']],
  ['table', ['cli-table3', 'fastest-levenshtein']],
  ['width', ['string-width']],
  ['wrap', ['fast-wrap-ansi']],
  ['yaml', ['yaml']],
])('loads in lazy/%s.ts only its library, so that it can be a separate bundle', async (name, libraries) => {
  expect(await loadedBy(`src/terminal/lazy/${name}.ts`)).toEqual(libraries);
});
