/** What a shell leaves behind: a process under nohup, a server without a terminal, a folder that was deleted. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BINARY, shell } from '../support/binary.ts';
import { freePort } from '../support/free-port.ts';
import { makeSession, startEndlessSession, useWorld } from './world.ts';

const world = useWorld();

const PROGRAM = `"${process.execPath}" "${BINARY}"`;

it.each([
  ['nohup', (command: string) => `nohup ${command}`],
  ['the input that nohup gives', (command: string) => `${command} 0>/dev/null`],
])('a gate under %s does not end at a hang-up', async (_, under) => {
  const [over, open] = [await makeSession(world), await startEndlessSession(world)];
  const { stdout } = await shell(
    `rm -f log; ${under(`${PROGRAM} sessions wait ${over.id} ${open}`)} 2>log & pid=$!
    until grep -q PASSED log; do kill -0 $pid || exit; done
    kill -HUP $pid; ${PROGRAM} checks list >/dev/null; kill -TERM $pid; wait $pid; echo $?`,
    { env: world.service.env },
  );
  expect(stdout.trim().split('\n').at(-1)).toBe('143');
});

it('a service without a terminal does not end at a hang-up', async () => {
  const port = await freePort();
  const { stdout, stderr } = await shell(
    `${PROGRAM} service start --listen 127.0.0.1:${port} --data data >log 2>&1 & pid=$!
    until curl -sf http://127.0.0.1:${port}/health; do kill -0 $pid || { cat log >&2; exit; }; done
    kill -HUP $pid; ${PROGRAM} checks list >/dev/null; curl -sf http://127.0.0.1:${port}/health && echo lives; kill $pid; wait $pid`,
    { env: { ...world.service.env, HOME: await mkdtemp(join(world.service.env.HOME ?? '', 'home-')) } },
  );
  expect(stdout, stderr).toMatch(/lives$/m);
});

it('a deleted folder ends a command with 2', async () => {
  const { stderr, stdout } = await shell(
    `mkdir gone; cd gone; rmdir ../gone; ${PROGRAM} checks list; echo $?; ${PROGRAM} --version; echo $?`,
    { env: world.service.env },
  );
  expect(stderr).toContain('Error: the current folder was deleted: change to another folder\n');
  expect(stdout).toMatch(/^2\n\S+\n0\n$/);
});
