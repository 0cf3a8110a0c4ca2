/** The gate, end to end, where the world breaks: a result that cannot be written, a service that is killed or stopped. */
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shell, sonde, watchSonde } from '../support/binary.ts';
import { replyTo, startFaulty } from '../support/dns/faulty.ts';
import { startE2eService } from '../support/e2e.ts';
import { makeCheck, makeSession, startEndlessSession, useWorld } from './world.ts';

const world = useWorld();

/** A name server that says nothing until it is told to, and then answers whatever comes. */
async function heldNames() {
  let isOpen = false;
  let waiting: (() => void)[] = [];
  const asked: (() => void)[] = [];
  const server = await startFaulty({
    udp(query, _before, reply) {
      const answer = () => reply(replyTo(query, [{ type: 'A', name: 'good.test', data: '192.0.2.7' }]));
      for (const told of asked.splice(0)) told();
      if (isOpen) answer();
      else waiting.push(answer);
    },
  });
  return {
    request: { query: 'good.test', nameServer: server.address, port: server.port },
    /** Resolves with the next question. */
    nextQuestion: () => new Promise<void>((resolve) => asked.push(resolve)),
    /** Forgets what was asked so far, and answers from now on. */
    open() {
      isOpen = true;
      waiting = [];
    },
    /** Answers what was asked so far. */
    release() {
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

describe('a result that cannot be written', () => {
  it.each([
    ['good.test', 74],
    ['missing.test', 1],
  ] as const)('turns a good verdict and leaves a bad one (%s: %i)', async (query, code) => {
    const { id } = await makeSession(world, query);
    const ran = await shell(`sonde sessions wait ${id} > /dev/full`, { env: world.service.env });
    expect(ran.code, ran.stderr).toBe(code);
  });
});

describe('a service that never answers the start', () => {
  it('is out of reach at the deadline, and sessions may have started', async () => {
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void mute.close());
    const { port } = mute.address() as AddressInfo;
    const env = { ...world.service.env, SONDE_API_KEY: 'k', SONDE_BASE_URL: `http://127.0.0.1:${port}` };
    const { code, stdout, stderr } = await sonde(['checks', 'run', '--all', '--timeout', '1s'], { env });
    expect(code, stderr).toBe(6);
    expect(stdout).toBe('');
    expect(stderr).toContain('did not respond before the deadline');
    expect(stderr).toContain('sessions may have started');
  });
});

describe('a service that goes away', () => {
  it('killed in the middle of a run and started again leaves the gate waiting for the right verdict', async () => {
    const names = await heldNames();
    const { id } = await makeCheck(world, 'good.test', { request: names.request });
    const asked = names.nextQuestion();
    const gate = watchSonde(['checks', 'run', id, '--json'], { env: world.service.env });
    await asked;
    await gate.saw('Started 1 session');
    await world.service.kill();
    await gate.saw('still waiting');
    names.open();
    await world.service.start();
    const { code, stdout, stderr } = await gate.ended;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ checkId: id, status: 'PASSED' });
  });

  it('is exit 6 where it is still away at the deadline', async () => {
    const session = await startEndlessSession(world);
    await world.service.kill();
    const { code, stdout } = await sonde(['sessions', 'wait', session, '--timeout', '1s', '--json'], {
      env: world.service.env,
    });
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({ checkSessionId: session, status: null });
    await world.service.start();
  });

  it('lets a running check finish when it is told to stop, and exits 0', async () => {
    const names = await heldNames();
    const own = await startE2eService();
    const { request } = names;
    const { id } = await makeCheck({ ...world, service: own }, 'good.test', { request });
    const asked = names.nextQuestion();
    const gate = watchSonde(['checks', 'run', id, '--json'], { env: own.env });
    await asked;
    const closed = own.close();
    // The resolver's own repetitions, half a second and a second and a half after the first question, tell the time.
    const repeated = names.nextQuestion().then(() => names.nextQuestion());
    await Promise.race([repeated, closed]);
    names.release();
    expect(await closed).toBe(0);
    const { code, stdout, stderr } = await gate.ended;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ checkId: id, status: 'PASSED' });
  });
});
