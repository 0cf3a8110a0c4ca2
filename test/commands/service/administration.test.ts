/** `sonde service keys`, `backup` and `restore`: over a service that runs, and over its folder when it does not. */
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { skip } from '../../support/needs.ts';
import { openShell, type Shell } from '../../support/shell.ts';

let shell: Shell;
beforeEach(() => {
  shell = openShell();
});
afterEach(() => shell.close());

const sonde = async (line: string) => {
  const done = await shell.run(`sonde ${line}`);
  expect(done.code, done.stderr).toBe(0);
  return done;
};

test('a running service is backed up, restored over what came after, and its keys are made and revoked', async () => {
  await sonde('service start --detach');
  await sonde('checks create-dns --name before --query a.example --no-activated');
  const file = join(shell.home, 'copy.db');
  const backup = await sonde(`service backup ${file}`);
  expect(backup.stderr).toMatch(
    /Wrote and verified .*: 1 account, 1 check, 0 results, 0 screenshots and traces, \d+ bytes, schema \d{3}-\w+/,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await shell.run(`sonde service backup ${file}`);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')]);

  const made = await sonde('service keys --create ci');
  const secret = made.stdout.trim();
  expect(secret).toMatch(/^sk_[\w-]+$/);
  const listed = await sonde('service keys --json');
  expect(listed.stdout).not.toContain(secret);
  const keys = JSON.parse(listed.stdout) as { id: string; name: string }[];
  expect(keys).toHaveLength(2);
  const status = JSON.parse((await sonde('service status --json')).stdout) as { url: string };
  const asked = (key: string) =>
    fetch(`${status.url}/v1/checks`, { headers: { authorization: `Bearer ${key}` } });
  expect((await asked(secret)).status).toBe(200);
  // Completion gives up after a while: on a busy machine it may know nothing the first time.
  await eventually(async () => {
    const offered = await sonde("__complete fish 3 service keys --revoke ''");
    expect(offered.stdout).toContain(`${keys.find(({ name }) => name === 'ci')?.id}\tci, sk_`);
  });
  await sonde(`service keys --revoke ${keys.find(({ name }) => name === 'ci')?.id}`);
  expect((await asked(secret)).status).toBe(401);
  const unknown = await shell.run('sonde service keys --revoke none');
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('key none not found')]);

  // Nobody comes in without the secret of the folder, which nothing tells.
  const door = readFileSync(join(shell.home, '.local/share/sonde/service.door'), 'utf8');
  expect(statSync(join(shell.home, '.local/share/sonde/service.door')).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(status)).not.toContain(door.trim());
  for (const given of ['', 'wrong', secret]) {
    const knock = { method: 'POST', headers: { 'x-sonde-door': given } };
    expect((await fetch(`${status.url}/local/listKeys`, knock)).status).toBe(404);
  }

  await sonde('checks create-dns --name after --query a.example --no-activated');
  const running = await shell.run(`sonde service restore ${file} --yes`);
  expect([running.code, running.stderr]).toEqual([
    2,
    expect.stringContaining('to stop it, run: sonde service stop'),
  ]);
  await sonde('service stop');
  const nobody = await shell.run(`sonde service restore ${file}`);
  expect([nobody.code, nobody.stderr]).toEqual([
    2,
    expect.stringContaining('confirmation required: pass --yes'),
  ]);
  const restored = await sonde(`service restore ${file} --yes`);
  expect(restored.stderr).toContain('1 check, 0 results');
  expect(restored.stderr).toMatch(/The previous data is in \S+before-\d{8}T\d{6}Z/);
  expect((await sonde('service keys --create offline')).stdout).toMatch(/^sk_[\w-]+\n$/);
  await sonde('service start --detach');
  expect((await sonde("api get /v1/checks --jq '.[].name'")).stdout).toBe('before\n');
});

test('what is no backup, or is of a newer program, is refused and nothing is changed', async () => {
  const text = join(shell.home, 'text.db');
  writeFileSync(
    text,
    'no backup, but long enough to be looked at as a file of a database would be\n'.repeat(40),
  );
  chmodSync(text, 0o600);
  const folder = join(shell.home, 'copy');
  for (const file of [text, join(shell.home, 'none.db')]) {
    const { code, stderr } = await shell.run(`sonde service restore ${file} --data ${folder}`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is not a backup|backup .* not found/)]);
  }
  const { code, stderr } = await shell.run(`sonde service keys --data ${folder}`);
  expect([code, stderr]).toEqual([2, expect.stringContaining('no service in')]);
});

test('a backup or a restore that the disk does not take says which file, and why', async (context) => {
  if (process.getuid?.() !== 0) return skip(context, 'only root may mount a small disk');
  const script = join(shell.home, 'disks.sh');
  writeFileSync(
    script,
    `mkdir full read-only
mount -t tmpfs -o size=300k tmpfs full
mount -t tmpfs -o ro tmpfs read-only
backups() { for folder in full read-only none disks.sh; do sonde service backup $folder/x.backup; echo "exit $?" >&2; done; }
sonde service start --detach
backups
sonde service backup good.backup
sonde service stop
backups
for folder in full read-only disks.sh; do sonde service restore good.backup --data $folder/new; echo "exit $?" >&2; done
ls -A full`,
  );
  const { stdout, stderr } = await shell.run(
    `cd ${shell.home} && export -f sonde && unshare --mount bash ${script}`,
  );
  const said = stderr.split('\n').filter((line) => /^(?:Error: cannot|exit)/.test(line));
  const reasons: Readonly<Record<string, string>> = {
    full: 'no space is left on the device (ENOSPC)',
    'read-only': 'read-only file system (EROFS)',
    none: 'no such folder (ENOENT)',
    'disks.sh': 'a parent of the path is not a folder (ENOTDIR)',
  };
  const backups = Object.entries(reasons).flatMap(([folder, reason]) => [
    `Error: cannot write the backup ${join(shell.home, folder, 'x.backup')}: ${reason}`,
    'exit 2',
  ]);
  const restores = ['full', 'read-only', 'disks.sh'].flatMap((folder) => [
    `Error: cannot restore into ${join(shell.home, folder, 'new')}: ${reasons[folder]}`,
    'exit 2',
  ]);
  expect(said).toEqual([...backups, ...backups, ...restores]);
  // Nothing is left of what did not fit, but for the folder.
  expect(stdout.trim()).toBe('new');
});

test('a backup that cannot be read says why', async () => {
  symlinkSync('loop', join(shell.home, 'loop'));
  const { code, stderr } = await shell.run(
    `sonde service restore ${shell.home}/loop --data ${shell.home}/new`,
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining('loop: too many symbolic links (ELOOP)')]);
});
