/** The level `process`: what it keeps, and that it says what it lacks. */
import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { isRunning, sandboxFor, told } from './support.ts';

it('gives a program a clean environment and an empty folder of its own', async () => {
  const sandbox = await sandboxFor({});
  const cell = await sandbox.open();
  await cell.write('given.txt', 'hello');
  const { out } = await told(
    cell.spawn(['/bin/sh', '-c', 'pwd; ls; env | cut -d= -f1 | sort'], { env: { MINE: '1' } }),
  );
  expect(out.split('\n').filter((line) => !/^_?$|^(?:OLDPWD|PWD|SHLVL)$/.test(line))).toEqual([
    cell.folder,
    'given.txt',
    'HOME',
    'LANG',
    'MINE',
    'PATH',
    'SONDE_CELL',
    'TMPDIR',
  ]);
});

it.each(['A;id', 'A=B', '1A', 'A B', ''])(
  'refuses the name "%s" of a variable, which a shell would read',
  async (name) => {
    const sandbox = await sandboxFor({});
    const cell = await sandbox.open();
    expect(() => cell.spawn(['/bin/true'], { env: { [name]: 'x' } })).toThrow(
      `"${name}" is not a valid name of an environment variable`,
    );
  },
);

it('kills what detached, and removes the folder', async () => {
  const sandbox = await sandboxFor({});
  const cell = await sandbox.open();
  const { out } = await told(
    cell.spawn([
      '/bin/sh',
      '-c',
      'setsid sh -c \'trap "" TERM HUP; sleep 600 & echo $!; wait\' >pid 2>/dev/null </dev/null & sleep 0.2; cat pid',
    ]),
  );
  const pid = Number(out);
  expect(isRunning(pid)).toBe(true);
  await cell.close();
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(cell.folder)).toBe(false);
});

it('reads what a script left, but neither links nor pipes', async () => {
  const sandbox = await sandboxFor({});
  const cell = await sandbox.open();
  await told(
    cell.spawn([
      '/bin/sh',
      '-c',
      'echo good >good; ln -s /etc/passwd link; ln good second; mkfifo pipe; echo x >file; mkdir folder',
    ]),
  );
  const names = ['file', 'good', 'link', 'pipe', 'folder', 'none'];
  const found = await Promise.all(names.map(async (name) => (await cell.read(name, 100))?.toString()));
  expect(found).toEqual(['x\n', undefined, undefined, undefined, undefined, undefined]);
  await expect(cell.read('../x', 1)).rejects.toThrow('without a slash');
});

it('does not find a process that left its session and cleared its environment, as it says', async () => {
  const sandbox = await sandboxFor({});
  const cell = await sandbox.open();
  const hide = "(env -i setsid sh -c 'echo $$ >pid; exec sleep 600' >/dev/null 2>&1 </dev/null &)";
  const line = `${hide}; until [ -s pid ]; do sleep 0.02; done; cat pid`;
  const pid = Number((await told(cell.spawn(['/bin/sh', '-c', line]))).out);
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  await cell.close();
  expect(isRunning(pid)).toBe(true);
  expect(sandbox.describe().lacks.join('\n')).toContain('clears its environment is not killed');
});

it('says what it lacks', async () => {
  const sandbox = await sandboxFor({});
  expect(sandbox.describe().lacks.join('\n')).toContain(
    'can read and write everything that the user of the service can',
  );
});
