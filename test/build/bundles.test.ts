/** What the bundles are made of: a command loads what it needs and no more, and each class exists once. */
import { execFile } from 'node:child_process';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.mjs';
import { commandFiles } from '../../scripts/manifest.mjs';

const dist = join(import.meta.dirname, '../../dist');
const run = promisify(execFile);
let inputs: ReadonlyMap<string, readonly string[]>;
let outputs: ReadonlyMap<string, Buffer>;

beforeAll(async () => {
  ({ inputs, outputs } = await bundle(await commandFiles()));
});

const packagesIn = (name: string): string[] => {
  const found = (inputs.get(name) ?? []).flatMap(
    (path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1] ?? [],
  );
  return [...new Set(found)].sort();
};

describe('the bundles', () => {
  it('leave the entry without any dependency', () => {
    expect(packagesIn('sonde.cjs')).toEqual([]);
    expect(
      inputs
        .get('sonde.cjs')
        ?.every((path) =>
          /^(?:bin|src\/base\/exits|src\/cli\/(?:framework\/resolve-command|generated\/names))/.test(path),
        ),
    ).toBe(true);
  });

  it('keep what is heavy and seldom needed out of what every command loads', () => {
    expect(packagesIn('shared.cjs')).toEqual(['commander', 'fastest-levenshtein']);
    expect(packagesIn('commands/sessions-get.cjs')).toEqual([]);
    expect(packagesIn('commands/_root.cjs')).toEqual(['fastest-levenshtein']);
    const shared = inputs.get('shared.cjs') ?? [];
    expect(shared.filter((path) => /^src\/(?:service|agent|runners|worker|gate)\//.test(path))).toEqual([]);
  });

  it('require only files that are built', () => {
    const missing = [...outputs].flatMap(([name, text]) =>
      [...text.toString().matchAll(/require\("(\.[^"]+)"\)/g)]
        .map(([, path = '']) => posix.join(posix.dirname(name), path))
        .filter((path) => !outputs.has(path)),
    );
    expect(missing).toEqual([]);
  });

  it('load the contract of one type alone for a file with one check', () => {
    const names = ['commands/try', 'lazy/try-shared-read-single-check', 'lazy/try-shared-try-checks'];
    for (const name of names)
      expect(inputs.get(`${name}.cjs`)).not.toContain('src/contract/generated/endpoints.js');
    expect(packagesIn('lazy/try-shared-types-url.cjs')).toEqual([]);
    expect(inputs.get('lazy/try-shared-types-url.cjs')).not.toContain('src/runners/dns/runner.ts');
    expect(inputs.get('lazy/try-shared-types-dns.cjs')).toContain('src/runners/dns/runner.ts');
  });

  it('hold every class of ours once', () => {
    const holders = [...inputs]
      .filter(([, paths]) => paths.includes('src/base/errors.ts'))
      .map(([name]) => name);
    expect(holders.sort()).toEqual(['commands/_root.cjs', 'shared.cjs']);
  });

  it('hold undici once, and nothing of HTTP/2', () => {
    const holders = [...inputs.keys()].filter((name) => packagesIn(name).includes('undici'));
    expect(holders).toEqual(['lazy/undici.cjs']);
  });

  it('load nothing but the entry for --version', async () => {
    const script = `
      const { Module } = require('node:module');
      const load = Module._load;
      Module._load = function (id, ...rest) { process.stderr.write(id + '\\n'); return load.call(this, id, ...rest); };
      process.argv.splice(1, 1, ${JSON.stringify(join(dist, 'sonde.cjs'))}, '--version');
      require(process.argv[1]);`;
    const { stderr } = await run(process.execPath, ['-e', script, 'x']);
    const loaded = stderr.trim().split('\n').slice(1);
    expect(loaded.every((id) => ['node:os', 'node:path'].includes(id))).toBe(true);
  });
});
