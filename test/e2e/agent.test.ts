/** The agent as people run it: the built binary, killed, drained, without a service, with a service that is killed. */
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ended, makeLocation, spoolOf, startAgent, startTarget } from '../support/agents.ts';
import { type Running, sonde } from '../support/binary.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { eventually } from '../support/eventually.ts';
import { startFaultProxy } from '../support/fault-proxy/proxy.ts';
import { temporaryFolder } from '../support/folder.ts';

let service: E2eService;
let target: Awaited<ReturnType<typeof startTarget>>;
let place: Awaited<ReturnType<typeof makeLocation>>;
beforeAll(async () => {
  [service, target] = await Promise.all([startE2eService(), startTarget()]);
  place = await makeLocation(service, 'cellar', target.url);
});
afterAll(async () => {
  target.close();
  await service.close();
});

/** An agent that is gone after the test. */
async function agentFor(home: string, url = service.url, flags?: readonly string[]) {
  const agent = await startAgent({ key: place.key, url, home }, flags);
  onTestFinished(() => void agent.child.kill('SIGKILL'));
  return agent;
}
async function killed(agent: Running, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  agent.child.kill(signal);
  return (await agent.ended).code;
}
const files = async (home: string): Promise<readonly string[]> => {
  const found = await readdir(spoolOf(home), { recursive: true }).catch(() => []);
  return found.filter((name) => name.endsWith('.json'));
};

it('starts with two variables, needs little memory, and loads nothing of scripts and browsers', async () => {
  const home = await temporaryFolder();
  const agent = await agentFor(home);
  const session = await place.start();
  expect(await ended(service, session)).toBe('PASSED');
  const [result] = await place.results();
  expect(result).toMatchObject({ runLocation: 'cellar', resultType: 'FINAL' });
  // Once it is idle: V8 lets go of what starting took. Node 24 takes 9 MB more than Node 20.
  await eventually(async () => {
    const status = await readFile(`/proc/${agent.pid}/status`, 'utf8');
    expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(88 * 1024);
  });
  expect(await readFile(`/proc/${agent.pid}/maps`, 'utf8')).not.toMatch(/libsql|playwright/);
  expect(await killed(agent, 'SIGTERM')).toBe(0);
  expect(agent.stderr()).not.toContain(place.key);
  expect(await files(home)).toEqual([]);
});

it('names all that is wrong or missing, and sends nothing', async () => {
  const home = await temporaryFolder();
  const run = (env: Readonly<Record<string, string>>) =>
    sonde(['agent', 'start'], { env: { PATH: process.env.PATH ?? '', HOME: home, ...env } });
  const none = await run({});
  expect([none.code, none.stdout]).toEqual([2, '']);
  expect(none.stderr).toMatch(/API_KEY must be set[\s\S]*SONDE_BASE_URL must be set/);
  const wrong = await run({
    ...{ API_KEY: 'sk_an-account', SONDE_BASE_URL: 'http://10.1.2.3', JOB_CONCURRENCY: '11' },
    ...{ AGENT_HEALTH_PORT: 'x', LOG_LEVEL: 'loud', HTTPS_PROXY: 'ftp://me:hidden@proxy' },
  });
  expect(wrong.code).toBe(2);
  for (const name of [
    'API_KEY',
    'SONDE_BASE_URL',
    'JOB_CONCURRENCY',
    'AGENT_HEALTH_PORT',
    'LOG_LEVEL',
    'HTTPS_PROXY',
  ])
    expect(wrong.stderr).toContain(`  ${name} `);
  expect(wrong.stderr).not.toMatch(/sk_an-account|hidden/);
});

it('ends with 4 where the key is refused, and with 2 where its port is taken', async () => {
  const home = await temporaryFolder();
  const env = { PATH: process.env.PATH ?? '', HOME: home, SONDE_BASE_URL: service.url };
  const refused = await sonde(['agent', 'start', '--uptime', '--health-port', '0'], {
    env: { ...env, API_KEY: 'pl_nobody-has-this-key' },
  });
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('The service rejected the key');
  expect(refused.stderr).not.toContain('pl_nobody-has-this-key');
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { readonly port: number };
  const second = await sonde(['agent', 'start', '--uptime'], {
    env: { ...env, API_KEY: place.key, AGENT_HEALTH_PORT: `${port}` },
  });
  expect([second.code, second.stderr]).toEqual([
    2,
    expect.stringContaining(`port ${port}: the port is in use`),
  ]);
});

it('hands in after kill -9 what it had found and could not hand in', async () => {
  const home = await temporaryFolder();
  const proxy = await startFaultProxy({
    service: service.url,
    schedule: { steps: [], afterwards: { name: 'pass' } },
  });
  const agent = await agentFor(home, proxy.url);
  target.hold();
  const session = await place.start();
  await target.untilAsked(1);
  await proxy.close();
  target.letGo();
  await eventually(async () => expect(await files(home)).toHaveLength(1));
  await killed(agent, 'SIGKILL');
  const next = await agentFor(home);
  expect(await ended(service, session)).toBe('PASSED');
  expect(await killed(next, 'SIGTERM')).toBe(0);
  expect(await files(home)).toEqual([]);
});

it('rides out a service that is killed and comes back, and hands in what it ran meanwhile, once', async () => {
  const home = await temporaryFolder();
  const agent = await agentFor(home);
  const before = (await place.results()).length;
  target.hold();
  const session = await place.start();
  await target.untilAsked(1);
  await service.kill();
  target.letGo();
  await eventually(async () => expect(await files(home)).toHaveLength(1));
  await service.start();
  expect(await ended(service, session)).toBe('PASSED');
  expect(await place.results()).toHaveLength(before + 1);
  expect(await killed(agent, 'SIGTERM')).toBe(0);
});

it('lets what runs finish when it is told to stop: not ready, alive, and 0 in the end', async () => {
  const home = await temporaryFolder();
  const agent = await agentFor(home);
  const probe = async (what: string) =>
    (await sonde(['agent', 'probe', what, '--port', `${agent.port}`], { env: service.env })).code;
  expect(await probe('--readiness')).toBe(0);
  target.hold();
  const session = await place.start();
  await target.untilAsked(1);
  agent.child.kill('SIGTERM');
  await agent.saw('Stopping');
  expect(await probe('--readiness')).toBe(1);
  expect(await probe('--liveness')).toBe(0);
  target.letGo();
  expect((await agent.ended).code).toBe(0);
  expect(await ended(service, session)).toBe('PASSED');
  expect(await probe('--liveness')).toBe(1);
});

it('is told from a busy one where it is stuck', async () => {
  const agent = await agentFor(await temporaryFolder());
  const probe = (timeout: string) =>
    sonde(['agent', 'probe', '--port', `${agent.port}`, '--timeout', timeout], { env: service.env });
  target.hold();
  const session = await place.start();
  await target.untilAsked(1);
  expect((await probe('60s')).stdout).toBe(`liveness on port ${agent.port}: OK\n`);
  agent.child.kill('SIGSTOP');
  const stuck = await probe('500ms');
  expect([stuck.code, stuck.stdout, stuck.stderr]).toEqual([
    ...[1, ''],
    `Error: liveness on port ${agent.port}: no response within 500 ms\n`,
  ]);
  agent.child.kill('SIGCONT');
  target.letGo();
  expect(await ended(service, session)).toBe('PASSED');
});

it('ends at once at a second signal, and another agent makes what it held', async () => {
  const agent = await agentFor(await temporaryFolder());
  target.hold();
  const session = await place.start();
  await target.untilAsked(1);
  agent.child.kill('SIGTERM');
  await agent.saw('Stopping');
  const next = await agentFor(await temporaryFolder());
  target.letGo();
  target.hold();
  const second = await place.start();
  await target.untilAsked(1);
  next.child.kill('SIGINT');
  await next.saw('Stopping');
  expect(await killed(next, 'SIGTERM')).toBe(143);
  target.letGo();
  await agentFor(await temporaryFolder());
  expect(await ended(service, second)).toBe('PASSED');
  expect(await ended(service, session)).toBe('PASSED');
});

it('says what is left where it cannot hand in at its end', async () => {
  const home = await temporaryFolder();
  const proxy = await startFaultProxy({
    service: service.url,
    schedule: { steps: [], afterwards: { name: 'pass' } },
  });
  const agent = await agentFor(home, proxy.url, ['--uptime', '--grace', '1s']);
  target.hold();
  const session = await place.start();
  await target.untilAsked(1);
  await proxy.close();
  target.letGo();
  await eventually(async () => expect(await files(home)).toHaveLength(1));
  expect(await killed(agent, 'SIGTERM')).toBe(6);
  expect(agent.stderr()).toContain(`1 result could not be sent`);
  expect(agent.stderr()).toContain(join(home, '.local/share/sonde/agent'));
  await agentFor(home);
  expect(await ended(service, session)).toBe('PASSED');
});
