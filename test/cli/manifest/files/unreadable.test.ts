/** What cannot be read is a problem of the project, never a smaller plan. Links to folders are followed. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../../../src/base/errors.ts';
import { loadManifest } from '../../../../src/cli/manifest/files/load-manifest.ts';
import { BINARY, bareEnv } from '../../../support/binary.ts';
import { runs } from '../../../support/sampled.ts';
import { treeOf, writeFolder } from './project-files.ts';

const check = (name: string) =>
  `checks: [{ name: ${name}, checkType: URL, request: { url: https://a.test } }]\n`;

/** Returns the names of the checks, or the places and messages of the problems. */
async function read(folder: string, paths: readonly string[] = ['monitoring']): Promise<readonly string[]> {
  try {
    const tree = treeOf(folder, '', { paths, root: '.' });
    return (await loadManifest(paths, { tree, env: {} })).manifest.entries.map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.details.map(({ place, message }) => `${place} ${message}`);
  }
}

describe('a link to a folder', () => {
  it('is followed, also through other links', async () => {
    const folder = await writeFolder({ 'monitoring/a.yaml': check('A'), 'team/deep/b.yaml': check('B') });
    await mkdir(join(folder, 'links'));
    await symlink('../team', join(folder, 'links/team'));
    await symlink('../links/team', join(folder, 'monitoring/team'));
    expect(await read(folder)).toEqual(['A', 'B']);
  });

  it.each([
    ['its own folder', '.', 'monitoring/loop leads back to monitoring'],
    ['a folder above', '../..', 'monitoring/sub/loop leads back to monitoring'],
  ])('that leads back to %s is named', async (_, target, problem) => {
    const folder = await writeFolder({ 'monitoring/sub/a.yaml': check('A') });
    const at = target === '.' ? 'monitoring/loop' : 'monitoring/sub/loop';
    await symlink(target === '.' ? '.' : '..', join(folder, at));
    expect(await read(folder)).toEqual([`${problem}, which contains it; remove the link`]);
  });

  it('that leads back over another link is named', async () => {
    const folder = await writeFolder({ 'monitoring/a.yaml': check('A'), 'team/b.yaml': check('B') });
    await symlink('../team', join(folder, 'monitoring/team'));
    await symlink('../monitoring', join(folder, 'team/back'));
    expect(await read(folder)).toEqual([
      'monitoring/team/back leads back to monitoring, which contains it; remove the link',
    ]);
  });

  it('outside the root is refused', async () => {
    const folder = await writeFolder({ 'project/monitoring/a.yaml': check('A'), 'team/b.yaml': check('B') });
    await symlink('../../team', join(folder, 'project/monitoring/team'));
    expect(await read(join(folder, 'project'))).toEqual([
      expect.stringContaining('monitoring/team is outside the project root'),
    ]);
  });
});

/** Things of which a folder can be full, with the problem of each; undefined: the thing belongs to no project. */
const OBSTACLES = {
  dangling: 'the link cannot be read: its target does not exist',
  'dangling.yaml': 'the link cannot be read: its target does not exist',
  'itself.yml': 'the link cannot be read: its links lead to each other',
  itself: 'the link cannot be read: its links lead to each other',
  'socket.yaml': 'is a device, pipe or socket, not a regular file',
  '.#lock': undefined,
  node_modules: undefined,
} as const;

it('anything that cannot be read at any depth is named with its path', async () => {
  const places = fc.array(
    fc.record({
      folder: fc.constantFrom('', 'sub/', 'sub/deep/'),
      name: fc.constantFrom(...(Object.keys(OBSTACLES) as (keyof typeof OBSTACLES)[])),
    }),
    { minLength: 1, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(places, async (drawn) => {
      const root = await writeFolder({
        'monitoring/a.yaml': check('A'),
        'monitoring/sub/deep/b.yaml': check('B'),
      });
      const obstacles = new Map(drawn.map((each) => [`monitoring/${each.folder}${each.name}`, each.name]));
      for (const [path, name] of obstacles) {
        if (name !== 'socket.yaml')
          await symlink(name.startsWith('itself') ? name : '/nowhere/at-all', join(root, path));
        else {
          const server = createServer();
          await new Promise<void>((resolve) => server.listen(join(root, path), resolve));
          onTestFinished(() => void server.close());
        }
      }
      const problems = [...obstacles].flatMap(([path, name]) =>
        OBSTACLES[name] === undefined ? [] : [expect.stringContaining(`${path} ${OBSTACLES[name]}`)],
      );
      const found = await read(root);
      if (problems.length === 0) expect(found).toEqual(['A', 'B']);
      else {
        expect(found).toEqual(expect.arrayContaining(problems));
        expect(found).toHaveLength(problems.length);
      }
    }),
    { numRuns: runs(200, 30) },
  );
});

/** The superuser reads every folder, unless it gives these capabilities away. */
const WITHOUT_OVERRIDE =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'] : [];

it.each([['monitoring'], ['monitoring/sub'], ['monitoring/sub/b.yaml']])(
  'an unreadable folder ends a plan of %s with 2 and its path',
  async (path) => {
    const folder = await writeFolder({
      'monitoring/a.yaml': check('A'),
      'monitoring/sub/b.yaml': check('B'),
    });
    await mkdir(join(folder, 'home'));
    await chmod(join(folder, 'monitoring/sub'), 0);
    onTestFinished(() => chmod(join(folder, 'monitoring/sub'), 0o755));
    const env = {
      ...bareEnv(join(folder, 'home')),
      SONDE_BASE_URL: 'http://127.0.0.1:9',
      SONDE_API_KEY: 'k',
    };
    const command = [...WITHOUT_OVERRIDE, process.execPath, BINARY, 'plan', path];
    const child = spawn(command[0] as string, command.slice(1), { cwd: folder, env });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/monitoring\/sub.*permission denied/)]);
  },
);
