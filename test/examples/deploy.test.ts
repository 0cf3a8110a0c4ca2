/** The examples of running sonde for good: the Deployment and the systemd units do what they say. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startSonde } from '../support/binary.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { needs } from '../support/needs.ts';
import { untilOk, useLocation } from './location.ts';

const run = promisify(execFile);
const location = useLocation();

describe('the Deployment', () => {
  it('has its probes where the agent answers them, and gives it time to end', async () => {
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
      ...{ API_KEY: location.key, SONDE_BASE_URL: location.service.url },
    };
    expect(named.map(([name]) => name)).toEqual(['API_KEY', 'SONDE_BASE_URL', 'JOB_CONCURRENCY']);
    expect(container.ports).toEqual([{ name: 'health', containerPort: 8081 }]);
    const agent = startSonde(container.args, { env });
    for (const probe of ['readinessProbe', 'livenessProbe'])
      await untilOk(`http://127.0.0.1:${health}${container[probe].httpGet.path}`);
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
