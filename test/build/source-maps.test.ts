/** Source maps: only a build that asks for them has them, and `scripts/stack.mjs` finds the source of a frame with them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.mjs';

const root = join(import.meta.dirname, '../..');
const FILES = [{ name: 'whoami', file: 'commands/whoami.ts' }];
const folder = mkdtempSync(join(tmpdir(), 'sonde-maps-'));
const dist = join(folder, 'dist');
let outputs: ReadonlyMap<string, Buffer>;

beforeAll(async () => {
  ({ outputs } = await bundle(FILES, { hasSourceMaps: true }));
  for (const name of ['shared.cjs', 'shared.cjs.map']) {
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    writeFileSync(join(dist, name), outputs.get(name) ?? '');
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

it('each bundle has a map in a build with source maps', () => {
  const bundles = [...outputs.keys()].filter((name) => name.endsWith('.cjs'));
  expect(bundles.length).toBeGreaterThan(20);
  expect(bundles.filter((name) => !outputs.has(`${name}.map`))).toEqual([]);
});

it('no bundle has a map in a build for the package', async () => {
  const plain = await bundle(FILES);
  expect([...plain.outputs.keys()].filter((name) => name.endsWith('.map'))).toEqual([]);
  expect(plain.outputs.get('shared.cjs')?.toString()).not.toContain('sourceMappingURL');
});

it('a frame of a bundle becomes the line of the source that threw', () => {
  const throwing = `
    const { src_cli_framework_parse_command_line: module } = require(${JSON.stringify(join(dist, 'shared.cjs'))});
    try { module.requireValid(); } catch ({ stack }) { console.log(stack); }`;
  const stack = execFileSync(process.execPath, ['-e', throwing]);
  const script = join(root, 'scripts/stack.mjs');
  const shown = execFileSync(process.execPath, [script, dist], { input: stack, encoding: 'utf8' });
  const [, line = ''] = shown.match(/src\/cli\/framework\/parse-command-line\.ts:(\d+):\d+/) ?? [];
  const source = readFileSync(join(root, 'src/cli/framework/parse-command-line.ts'), 'utf8').split('\n');
  expect(source[Number(line) - 1]).toContain('} = result;');
});
