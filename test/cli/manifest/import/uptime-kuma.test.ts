/** Imports of Uptime Kuma: databases of both versions and backups, to files that load and that a service accepts. */
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../../../../commands/import/uptime-kuma.ts';
import { evaluateAssertion } from '../../../../src/runners/assertions/evaluate-assertions.ts';
import { selectJsonPath } from '../../../../src/runners/assertions/jsonpath.ts';
import { complete } from '../../../../src/runners/assertions/observed.ts';
import { measured, selectFrom } from '../../../../src/runners/assertions/subject.ts';
import type { Assertion } from '../../../../src/runners/core/assertion.ts';
import { runLine } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { createBackup, createDatabase } from './fixtures/uptime-kuma.ts';
import { expectAccepted, formatImport, importInto } from './imported.ts';

/** Imports a database that Uptime Kuma has closed. */
async function importDatabase(version: 1 | 2) {
  const cwd = await temporaryFolder();
  createDatabase(join(cwd, 'kuma.db'), version).close();
  return { cwd, imported: await importInto(cwd, command, ['kuma.db', '--project', 'shop']) };
}

const assertionsOf = (check: Readonly<Record<string, unknown>>) =>
  (check.request as { readonly assertions: readonly Assertion[] }).assertions;

describe('import uptime-kuma', () => {
  it('converts a database to files that a service accepts', async () => {
    const { imported } = await importDatabase(2);
    expect(imported.manifest.project).toBe('shop');
    await expect(formatImport(imported)).toMatchFileSnapshot('fixtures/uptime-kuma.txt');
    await expectAccepted(imported);
  });

  it('reads version 1 and its backups alike', async () => {
    const { imported: database } = await importDatabase(1);
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'backup.json'), createBackup());
    const backup = await importInto(cwd, command, ['backup.json', '--project', 'shop']);
    const withoutPages = database.bodies('checks').map(({ triggerIncident: _, ...fields }) => fields);
    const sslDays = /"alertDaysBeforeExpiry":\d+/g;
    const text = (bodies: readonly unknown[]) => JSON.stringify(bodies).replace(sslDays, '');
    // Version 1 has neither the operator >= nor conditions, and a backup may have columns of version 2.
    const differs = (name: unknown) =>
      ['Health', 'Mail record', 'Orders', 'Bearer', 'Router'].includes(String(name));
    expect(text(backup.bodies('checks').filter(({ name }) => !differs(name)))).toBe(
      text(withoutPages.filter(({ name }) => !differs(name))),
    );
    expect(backup.bodies('alertChannels')).toEqual(database.bodies('alertChannels'));
    await expectAccepted(backup);
  });

  it('writes no secret to a file that git has', async () => {
    const { cwd, imported } = await importDatabase(2);
    const folder = join(cwd, 'monitoring');
    const all = Object.values(imported.texts).join('\n');
    for (const secret of [
      't0k-3n',
      'p\\"w',
      'k3y-value',
      'hunter2',
      's3cret',
      'b3arer',
      'hooks.example.com',
      '12:ab',
      'h00k',
      'smtp-pw',
    ])
      expect(all, secret).not.toContain(secret);
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('secrets.env\n');
    expect((await stat(join(folder, 'secrets.env'))).mode & 0o777).toBe(0o600);
    // The values come back as they were, and other text that looks like a variable stays.
    expect(imported.entry('checks', 'API').request).toMatchObject({
      url: 'https://api.example.com/login?token=t0k-3n&lang=de',
      basicAuth: { username: 'probe', password: 'hunter2 # "$x"' },
      body: `{"user": "probe", "password": "p\\"w", "note": "\${HOME} \\{{x}}"}`,
    });
    expect(imported.stderr).not.toContain('hunter2');
  });

  it('changes neither the database nor its folder, also while Uptime Kuma runs', async () => {
    const cwd = await temporaryFolder();
    const open = createDatabase(join(cwd, 'kuma.db'), 2);
    const before = await readdir(cwd);
    expect(before).toContain('kuma.db-wal');
    const running = await importInto(cwd, command, ['kuma.db']);
    expect((await readdir(cwd)).sort()).toEqual([...before, 'monitoring'].sort());
    // A copy with a write-ahead log that no process has open: who closes it last would merge the log.
    const killed = await temporaryFolder();
    const names = ['kuma.db', 'kuma.db-wal'];
    for (const name of names) await copyFile(join(cwd, name), join(killed, name));
    const originals = await Promise.all(names.map((name) => readFile(join(killed, name))));
    expect((await importInto(killed, command, ['kuma.db'])).texts).toEqual(running.texts);
    expect(await Promise.all(names.map((name) => readFile(join(killed, name))))).toEqual(originals);
    open.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const bytes = await readFile(join(cwd, 'kuma.db'));
    open.close();
    const copy = await temporaryFolder();
    await writeFile(join(copy, 'kuma.db'), bytes, { mode: 0o400 });
    const stopped = await importInto(copy, command, ['kuma.db']);
    expect((await readdir(copy)).sort()).toEqual(['kuma.db', 'monitoring']);
    expect(await readFile(join(copy, 'kuma.db'))).toEqual(bytes);
    expect(stopped.texts).toEqual(running.texts);
  });

  it('accepts exactly the status codes that the monitor accepts', async () => {
    const { imported } = await importDatabase(2);
    const accepted = (name: string) =>
      Array.from({ length: 500 }, (_, index) => index + 100).filter((status) =>
        assertionsOf(imported.entry('checks', name))
          .filter(({ source }) => source === 'STATUS_CODE')
          .every((assertion) => evaluateAssertion(assertion, measured(status)).passed),
      );
    const successes = Array.from({ length: 100 }, (_, index) => index + 200);
    expect(accepted('API')).toEqual([...successes, 401, 418, 419, 420]);
    expect(accepted('Home')).toEqual(successes);
  });

  it('evaluates conditions on DNS records and JSON as Uptime Kuma does', async () => {
    const { imported } = await importDatabase(2);
    const subjectOf = (document: object, property: string | null = '') =>
      selectFrom(complete(document as never), (whole) => selectJsonPath(whole, property ?? ''));
    const passes = (name: string, document: object) =>
      assertionsOf(imported.entry('checks', name))
        .filter(({ property }) => property)
        .every((each) => evaluateAssertion(each, subjectOf(document, each.property)).passed);
    const mx = (...data: readonly string[]) => ({ Answer: data.map((each) => ({ type: 'MX', data: each })) });
    expect(passes('Mail record', mx('10 mx.example.org.', '20 mx.example.com.'))).toBe(true);
    expect(passes('Mail record', mx('10 mx.example.org.'))).toBe(false);
    expect(passes('Mail record', { Answer: [{ type: 'CNAME', data: 'mx.example.com.' }] })).toBe(false);
    const health = (free: unknown) => ({ db: { pools: [{ free }] } });
    expect([2.9999, 3, 4].map((free) => passes('Health', health(free)))).toEqual([false, true, true]);
    expect(passes('Health', {})).toBe(false);
  });

  it('asks before it overwrites files, and refuses files without monitors', async () => {
    const { cwd } = await importDatabase(1);
    const checks = join(cwd, 'monitoring/checks.yaml');
    await writeFile(checks, 'checks: []\n');
    const ignored = join(cwd, 'monitoring/.gitignore');
    expect(await readFile(ignored, 'utf8')).toBe('secrets.env\n');
    await rm(ignored);
    const again = await runLine(command, ['kuma.db', '--project', 'shop'], { cwd });
    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('confirmation required: pass --yes'),
    });
    expect(await readFile(checks, 'utf8')).toBe('checks: []\n');
    expect(existsSync(ignored)).toBe(false);
    const text = await runLine(command, ['a.txt'], { files: { 'a.txt': 'hello' } });
    expect(text).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('neither a database nor a backup'),
    });
    const backup = JSON.stringify({ monitorList: [{ id: 1, name: 'Queue', type: 'mqtt' }] });
    const none = await runLine(command, ['b.json'], { files: { 'b.json': backup } });
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('monitor "Queue" sonde has no check for the type mqtt'),
    });
  });
});
