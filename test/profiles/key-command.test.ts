/** Keys that a password manager prints. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CancelledError, CredentialsError } from '../../src/base/errors.ts';
import { type KeyCommand, runKeyCommand } from '../../src/profiles/key-command.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { makeHome, rejection } from './support/home.ts';

/** What a command is run with, and what the person was shown. */
function given(command: string, more: Partial<KeyCommand> = {}) {
  const { context, said, home } = makeHome();
  const { env, host } = context();
  return { said, run: () => runKeyCommand({ command, profile: 'prod', env, cwd: home, ...host, ...more }) };
}

test('what it says on stderr is shown, also where it fails', async () => {
  const well = given('echo touch your key >&2; echo sk-of-the-manager');
  expect((await well.run()).reveal()).toBe('sk-of-the-manager');
  expect(well.said).toEqual(['touch your key\n']);
  const badly = given('echo the vault is locked >&2; exit 3');
  expect(String(await rejection(badly.run()))).toContain('profile "prod" exited with 3');
  expect(badly.said).toEqual(['the vault is locked\n']);
});

test('the key is taken out of what it says where nobody watches, as in the log of a pipeline', async () => {
  const { run, said } = given('set -x; echo sk-of-the-manager');
  await run();
  expect(said.join('')).toContain('echo ***');
  expect(said.join('')).not.toContain('sk-of');
});

test('a person at the terminal reads it as it comes, before the key is there', async () => {
  const { home } = makeHome();
  const gate = join(home, 'gate');
  const shown: string[] = [];
  const show = (text: string): void => {
    shown.push(text);
    // Only now may the command go on.
    void writeFile(gate, '');
  };
  const command = `echo touch >&2; while [ ! -e '${gate}' ]; do sleep 0.01; done; echo sk-of-the-manager`;
  const { run } = given(command, { isInteractive: true, show });
  expect((await run()).reveal()).toBe('sk-of-the-manager');
  expect(shown).toEqual(['touch\n']);
});

test('it is waited for a minute by the clock, and killed', async () => {
  const slept: number[] = [];
  const { host } = makeHome().context();
  const clock = { ...host.clock, sleep: async (ms: number) => void slept.push(ms) };
  const folder = await temporaryFolder();
  const { run } = given(`echo $$ > '${folder}/pid'; while :; do sleep 1; done`, {
    clock: {
      ...clock,
      async sleep(ms: number) {
        await eventually(async () =>
          expect(await readFile(`${folder}/pid`, 'utf8').catch(() => '')).not.toBe(''),
        );
        await clock.sleep(ms);
      },
    },
  });
  const error = await rejection(run());
  expect(error).toBeInstanceOf(CredentialsError);
  expect(String(error)).toContain('returned no key within 60 s');
  expect(slept[0]).toBe(60_000);
  const pid = Number(await readFile(`${folder}/pid`, 'utf8'));
  await eventually(() => expect(isRunning(pid)).toBe(false));
});

test('it is killed where the process is told to stop', async () => {
  const stop = new AbortController();
  const folder = await temporaryFolder();
  const { run } = given(`echo $$ > '${folder}/pid'; while :; do sleep 1; done`, { signal: stop.signal });
  const ended = rejection(run());
  await eventually(async () => expect(await readFile(`${folder}/pid`, 'utf8').catch(() => '')).not.toBe(''));
  stop.abort(new CancelledError('SIGINT'));
  expect(await ended).toBeInstanceOf(CancelledError);
  const pid = Number(await readFile(`${folder}/pid`, 'utf8'));
  await eventually(() => expect(isRunning(pid)).toBe(false));
});

test('what it leaves running, as an agent, is not waited for', async () => {
  const { run } = given('sleep 30 >/dev/null & echo sk-of-the-manager');
  expect((await run()).reveal()).toBe('sk-of-the-manager');
});

test('it gets no other key that the environment has', async () => {
  const { run } = given('echo "key:$SONDE_API_KEY:$WHO"', {
    env: { PATH: process.env.PATH, WHO: 'ada', SONDE_API_KEY: 'sk-env' },
  });
  expect((await run()).reveal()).toBe('key::ada');
});

test.each([
  ["pass show 'web/sonde prod' | head -n 1", ['show', 'web/sonde prod']],
  ['op read "op://Work/sonde/api key"', ['read', 'op://Work/sonde/api key']],
  ['secret-tool lookup service sonde user "$USER"', ['lookup', 'service', 'sonde', 'user', 'ada']],
  ['security find-generic-password -s sonde -w', ['find-generic-password', '-s', 'sonde', '-w']],
])('the line %s is read by the shell', async (line, words) => {
  const folder = await temporaryFolder();
  const [name = ''] = line.split(' ');
  // Stands in for the manager: it writes down its arguments, and prints a key and more, as `pass` does.
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/words'\necho sk-of-the-manager\n`;
  const more = name === 'pass' ? 'echo "user: ada"\n' : '';
  await writeFile(join(folder, name), script + more, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}`, USER: 'ada' };
  expect((await given(line, { env }).run()).reveal()).toBe('sk-of-the-manager');
  expect((await readFile(join(folder, 'words'), 'utf8')).trimEnd().split('\n')).toEqual(words);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
