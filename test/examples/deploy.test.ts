/** The examples of running sonde for good: each line of the Dockerfile, the Deployment and the units is carried out. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { startSonde } from '../support/binary.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/http.ts';
import { needs } from '../support/needs.ts';
import { type Registry, startRegistry } from '../support/registry.ts';
import { build, canBuild, type Image } from './image/build.ts';
import { readDockerfile, type Stage } from './image/read.ts';

const run = promisify(execFile);
let service: E2eService;
let key: string;
beforeAll(async () => {
  service = await startE2eService();
  const { id } = await service.make<{ id: string }>('POST /v1/private-locations', {
    ...{ name: 'Cellar', slugName: 'cellar', icon: 'location' },
  });
  const made = await service.make<{ rawKey: string }>(`POST /v1/private-locations/${id}/keys`);
  key = made.rawKey;
});
afterAll(() => service.close());

/** Asks until the answer is the one that is waited for. */
async function until(url: string, status: number): Promise<void> {
  for (;;) {
    const answer = await fetch(url).then(
      (response) => response.status,
      () => 0,
    );
    if (answer === status) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('the Dockerfile', () => {
  let stages: readonly Stage[];
  let registry: Registry;
  beforeAll(async () => {
    registry = await startRegistry();
    stages = readDockerfile(await readFile('examples/Dockerfile', 'utf8')).stages;
  });
  afterAll(() => registry.close());
  beforeEach(async (context) => {
    if (await canBuild()) return;
    if (process.env.SONDE_TEST_FORBID_SKIPS === '1') throw new Error('no root can be laid over this one');
    context.skip('no root can be laid over this one');
  });

  async function built(target: string): Promise<Image> {
    const image = await build(stages, target, registry.env);
    onTestFinished(() => image.remove());
    return image;
  }

  it.each([
    ['uptime', '10001'],
    ['dev', '0'],
  ])(
    'makes an agent of the target %s that says how it is, and ends in order',
    { timeout: 240_000 },
    async (target, uid) => {
      const image = await built(target);
      expect((await image.run(['id', '-u'])).trim()).toBe(uid);
      const there = (await image.run(['sh', '-c', 'ls $(npm root -g)/sonde/node_modules'])).split('\n');
      expect(there).toContain('libsql');
      expect(there).not.toContain('vitest');
      if (target === 'dev') expect(await image.run(['make', '--version'])).toContain('GNU Make');
      const env = {
        API_KEY: key,
        SONDE_BASE_URL: service.url,
        AGENT_HEALTH_PORT: String(await freePort()),
      };
      const agent = image.start(image.command, env);
      const ended = new Promise((resolve) => agent.once('exit', resolve));
      await until(`http://127.0.0.1:${env.AGENT_HEALTH_PORT}/-/readiness`, 200);
      expect(await image.run(image.health ?? [], env)).not.toBe('');
      agent.kill('SIGTERM');
      expect(await ended).toBe(0);
      await expect(image.run(image.health ?? [], env)).rejects.toMatchObject({ code: 1 });
    },
  );

  it('makes a service with a browser', {
    timeout: 300_000,
  }, async () => {
    const image = await built('service');
    const port = await freePort();
    const running = image.start(
      image.command.map((word) => word.replace('0.0.0.0:4100', `127.0.0.1:${port}`)),
    );
    await until(`http://127.0.0.1:${port}/health`, 200);
    const { browserChecks } = (await (await fetch(`http://127.0.0.1:${port}/health`)).json()) as {
      browserChecks: { browser?: string };
    };
    expect(browserChecks.browser).toMatch(/chrom/);
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('the Deployment', () => {
  it('has its probes where the agent answers them, and gives it time to end', {
    timeout: 60_000,
  }, async () => {
    const { spec } = parse(await readFile('examples/kubernetes-agent.yaml', 'utf8')).spec.template;
    const [container] = spec.containers;
    const named = (container.env as { name: string; value?: string }[]).map(({ name, value }) => [
      name,
      value,
    ]);
    const home = await temporaryFolder();
    const health = String(await freePort());
    const env = {
      ...{ HOME: home, PATH: process.env.PATH ?? '', AGENT_HEALTH_PORT: health },
      ...Object.fromEntries(named),
      ...{ API_KEY: key, SONDE_BASE_URL: service.url },
    };
    expect(named.map(([name]) => name)).toEqual(['API_KEY', 'SONDE_BASE_URL', 'JOB_CONCURRENCY']);
    expect(container.ports).toEqual([{ name: 'health', containerPort: 8081 }]);
    const agent = startSonde(container.args, { env });
    for (const probe of ['readinessProbe', 'livenessProbe'])
      await until(`http://127.0.0.1:${health}${container[probe].httpGet.path}`, 200);
    agent.child.kill('SIGTERM');
    expect((await agent.ended).code).toBe(0);
    const grace = Number(/^(\d+)s$/.exec(container.args[container.args.indexOf('--grace') + 1])?.[1]);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(grace);
  });
});

describe('the units', () => {
  beforeEach(needs('systemd-analyze', 'systemd'));

  it.each(['sonde.service', 'sonde-agent.service'])('%s is one that systemd takes', async (name) => {
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', `examples/${name}`]);
    expect(stderr).not.toContain(name);
  });

  it('give what is stopped the time that it asks for', async () => {
    for (const name of ['sonde.service', 'sonde-agent.service']) {
      const text = await readFile(`examples/${name}`, 'utf8');
      const grace = Number(/--grace (\d+)s/.exec(text)?.[1]);
      expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(grace);
    }
  });
});
