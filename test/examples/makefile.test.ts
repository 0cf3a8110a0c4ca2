/** The example for make: its targets, run by make as its first lines say. */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { startWorld, type World } from '../e2e/world.ts';
import { silentPort } from '../support/e2e.ts';
import { runLogged } from './process.ts';
import { needsMake, withSonde } from './programs.ts';
import { endlessCheck, haveChecks, makeProject, settingsOf, smokeCheck } from './project.ts';

const EXAMPLE = 'examples/Makefile';
/** What its first lines tell the reader to type. */
const [, RELEASE = ''] = /^# {3}(make deploy .*)$/m.exec(readFileSync(EXAMPLE, 'utf8')) ?? [];

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(needsMake);
afterAll(async () => {
  await Promise.all([world.service.close(), world.names.close()]);
});

/** A repository with the example in it, and what runs a line there. */
function openProject(settings: object = {}) {
  const project = makeProject();
  onTestFinished(project.remove);
  copyFileSync(EXAMPLE, join(project.folder, 'Makefile'));
  const env = withSonde(project, { ...settingsOf(world), ...settings });
  const file = (name: string): string | undefined => {
    const path = join(project.folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const run = (line: string, told?: (log: string, pid: number) => void) =>
    runLogged('sh', ['-c', line], { cwd: project.folder, env }, told);
  return { ...project, file, run };
}

it('promotes what was deployed where all checks pass', async () => {
  await haveChecks(world, smokeCheck(world));
  const { run, done, file } = openProject();
  const { code, log } = await run(RELEASE);
  expect(code, log).toBe(0);
  expect(done()).toEqual(['deploy', 'promote']);
  expect(file('sonde.code')).toBe('0\n');
  expect(file('sonde.xml')).toMatch(/tests="1" failures="0" errors="0"/);
});

it('rolls back where a check fails, keeps its report, and keeps the code that make does not', async () => {
  await haveChecks(world, smokeCheck(world), smokeCheck(world, 'missing.test'));
  const { run, done, file } = openProject();
  expect(await run('make deploy && make release')).toMatchObject({ code: 2 });
  expect(done()).toEqual(['deploy']);
  expect(file('sonde.code')).toBe('1\n');
  expect(file('sonde.xml')).toMatch(/tests="2" failures="1" errors="0"/);
  expect(await run('make roll-back')).toMatchObject({ code: 0 });
  expect(done()).toEqual(['deploy', 'roll-back']);
});

it('neither promotes nor rolls back where the service is out of reach', async () => {
  const port = await silentPort();
  await port.close();
  const { run, done, file } = openProject({ SONDE_BASE_URL: port.url });
  const { code, log } = await run(RELEASE);
  expect(code).toBe(2);
  expect(log).toContain('The gate ended with 6, not with 1: not rolled back');
  expect(done()).toEqual(['deploy']);
  expect(file('sonde.xml')).toMatch(/<error /);
});

it('neither promotes nor rolls back where a check still runs at the deadline', async () => {
  await haveChecks(world, smokeCheck(world), await endlessCheck(world));
  const { run, done } = openProject({ TIMEOUT: '1s' });
  const { code, log } = await run(RELEASE);
  expect(code).toBe(2);
  expect(log).toContain('The gate ended with 7, not with 1: not rolled back');
  expect(done()).toEqual(['deploy']);
});

it('asks again without deploying again, and forgets what the gate before it saw', async () => {
  await haveChecks(world, smokeCheck(world));
  const { run, done, file } = openProject();
  await run('echo 1 >sonde.code; make gate SONDE_API_KEY=wrong');
  expect(file('sonde.code')).toBe('4\n');
  expect(await run('make -j4 release')).toMatchObject({ code: 0 });
  expect(done()).toEqual(['promote']);
});

it('does not roll back where the gate was broken off, whatever one before it saw', async () => {
  await haveChecks(world, await endlessCheck(world));
  const { run, done } = openProject();
  const { log } = await run('echo 1 >sonde.code; make release', (log, pid) => {
    if (log.includes('Started 1 session')) process.kill(-pid, 'SIGTERM');
  });
  expect(log).toContain('Started 1 session');
  expect(await run('make roll-back')).toMatchObject({ code: 2 });
  expect(done()).toEqual([]);
});

it('does not roll back where the deployment failed, whatever a gate before it saw', async () => {
  const { run, done } = openProject({ DEPLOY: 'false' });
  expect(await run(`echo 1 >sonde.code; ${RELEASE}`)).toMatchObject({ code: 2 });
  expect(done()).toEqual([]);
});

it('does not roll back where no gate has run', async () => {
  const { run, done } = openProject();
  const { code, log } = await run('make roll-back');
  expect(code).toBe(2);
  expect(log).toContain('The gate ended with no code at all, not with 1: not rolled back');
  expect(done()).toEqual([]);
});
