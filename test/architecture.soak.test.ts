/** Who may know whom: `npm run lint` reads the whole tree, and here every rule is seen to notice what breaks it. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '..');
const depcruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** What the modules of a tree break: `rule: from → to`. */
async function violations(cwd: string, ...paths: readonly string[]): Promise<string[]> {
  const args = [depcruise, ...paths, '--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd,
    maxBuffer: 256 * 1024 * 1024,
  }).catch((error: { stdout: string }) => error);
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { from: string; to: string; rule: { name: string } }[] };
  };
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}

/** A tree of its own under the same rules. */
async function treeOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-architecture-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json'])
    await cp(join(root, name), join(folder, name));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

describe('the architecture', () => {
  it('is broken by modules that know too much, and that is noticed', async () => {
    const one = 'export const one = 1;\n';
    const tree = await treeOf({
      'src/base/one.ts': one,
      'src/terminal/one.ts': one,
      'src/profiles/one.ts': one,
      'src/service/one.ts': one,
      'src/client/knows-base.ts': "export { one } from '../base/one.ts';\n",
      'src/client/knows-terminal.ts': "export { one } from '../terminal/one.ts';\n",
      'src/contract/knows-client.ts': "export type { one } from '../client/knows-base.ts';\n",
      'src/base/knows-profiles.ts': "export { one } from '../profiles/one.ts';\n",
      'src/gate/format/one.ts': one,
      'src/gate/wait/knows-format.ts': "export { one } from '../format/one.ts';\n",
      'src/service/store/one.ts': one,
      'src/service/store/knows-service.ts': "export { one } from '../one.ts';\n",
      'src/service/engine/knows-store.ts': "export { one } from '../store/one.ts';\n",
      'src/service/engine/one.ts': one,
      'src/service/maintenance/knows-engine.ts': "export { one } from '../engine/one.ts';\n",
      'commands/checks/one.ts': one,
      'src/cli/help/knows-command.ts': "export { one } from '../../../commands/checks/one.ts';\n",
      'src/cli/framework/knows-help.ts': "export { one } from '../help/knows-command.ts';\n",
      'src/gate/circle-a.ts': "import './circle-b.ts';\n",
      'src/gate/circle-b.ts': "import './circle-a.ts';\n",
      'commands/lazy.ts': "export const load = () => import('../src/service/one.ts');\n",
      'commands/early.ts': "export { one } from '../src/service/one.ts';\n",
      'bin/loads.ts': "export { one } from '../src/base/one.ts';\n",
    });
    const found = await violations(tree, 'bin', 'commands', 'src');
    expect(found.sort()).toEqual([
      'base-imports: src/base/knows-profiles.ts → src/profiles/one.ts',
      'bin-imports: bin/loads.ts → src/base/one.ts',
      'cli-framework-imports: src/cli/framework/knows-help.ts → src/cli/help/knows-command.ts',
      'cli-imports: src/cli/help/knows-command.ts → commands/checks/one.ts',
      'client-imports: src/client/knows-terminal.ts → src/terminal/one.ts',
      'contract-imports: src/contract/knows-client.ts → src/client/knows-base.ts',
      'gate-wait-imports: src/gate/wait/knows-format.ts → src/gate/format/one.ts',
      'no-cycles: src/gate/circle-a.ts → src/gate/circle-b.ts',
      'service-and-agent-load-on-demand: commands/early.ts → src/service/one.ts',
      'service-maintenance-imports: src/service/maintenance/knows-engine.ts → src/service/engine/one.ts',
      'service-store-imports: src/service/store/knows-service.ts → src/service/one.ts',
    ]);
  });

  it('leaves `process` to the entry', async () => {
    const found: string[] = [];
    for (const folder of ['src', 'commands']) {
      for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (!entry.isFile() || !path.endsWith('.ts') || path.includes('/generated/')) continue;
        const text = (await readFile(path, 'utf8')).replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, '');
        if (/(?<![\w.])process\.\w|node:process/.test(text)) found.push(path.slice(root.length + 1));
      }
    }
    expect(found).toEqual([]);
  });
});
