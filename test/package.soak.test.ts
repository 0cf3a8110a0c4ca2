/** The package does everything a first day asks of it on every version of Node that it supports. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installNode, installSonde, packSonde } from './support/package.ts';

const place = mkdtempSync(join(tmpdir(), 'sonde-package-'));
let tarball: string;
beforeAll(async () => {
  tarball = await packSonde(place);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const STEPS = `
import axios from 'axios';
const answer = await axios(process.env.SERVICE + '/health');
if (answer.status !== 200) throw new Error('the service answered ' + answer.status);
`;

test.each([20, 22, 24, 26])('Node %i installs it, and runs the service, checks and a gate', async (major) => {
  const folder = join(place, String(major));
  const node = await installNode(major, join(folder, 'node'));
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(new RegExp(`^v${major}\\.`));
  const sonde = await installSonde(tarball, node, folder);
  const { stdout, stderr } = await sonde.run('quickstart');
  expect(stdout).toMatch(/^PASSED\tName resolves\t/m);
  expect(stdout).toMatch(/^FAILED\tName has moved\t/m);
  expect(stderr).not.toContain('clone');

  await sonde.run('service', 'start', '--detach', '--listen', '127.0.0.1:0', '--allow-own-address');
  const service = JSON.parse((await sonde.run('service', 'status', '--json')).stdout);
  expect(service).toMatchObject({ status: 'ok' });
  try {
    const create = (type: string, name: string, ...more: readonly string[]) =>
      sonde.run('checks', `create-${type}`, '--name', name, '--tags', name, ...more);
    const gate = (name: string) => sonde.run('checks', 'run', '--tag', name, '--timeout', '2m');

    await create('url', 'good', '--url', `${service.url}/health`);
    expect((await gate('good')).stdout).toMatch(/^PASSED\tgood\t/m);
    await create('url', 'bad', '--url', `${service.url}/missing`);
    await expect(gate('bad')).rejects.toMatchObject({ code: 1 });
    // A script uses Playwright and a package, which npm installs, the sandbox's programs, and the store.
    const script = join(folder, 'steps.mjs');
    writeFileSync(script, STEPS);
    await create('multistep', 'steps', '--script-file', script, '--env', `SERVICE=${service.url}`);
    expect((await gate('steps')).stdout).toMatch(/^PASSED\tsteps\t/m);
  } finally {
    await sonde.run('service', 'stop');
  }
  await expect(sonde.run('service', 'status')).rejects.toMatchObject({ code: 6 });
});
