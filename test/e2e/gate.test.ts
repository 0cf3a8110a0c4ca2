/** The gate, end to end: what a pipeline sees and exits with, whatever becomes of the checks. */
import { describe, expect, it } from 'vitest';
import {
  errorOf,
  type Ran,
  type RunOptions,
  shell,
  sonde,
  sondeInTerminal,
  watchSonde,
} from '../support/binary.ts';
import { startFaulty } from '../support/dns/faulty.ts';
import {
  dnsCheck,
  fresh,
  makeCheck,
  makeEndlessCheck,
  makeSession,
  NOBODY,
  startEndlessSession,
  useWorld,
} from './world.ts';

const world = useWorld();

const run = (args: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> =>
  sonde(args, { env: world.service.env, ...options });

/** Makes a check of a name that is there, with further fields. */
const make = async (more: object): Promise<string> => (await makeCheck(world, 'good.test', more)).id;

describe('checks run', () => {
  it('exits 0 on a check that passes, and prints its session', async () => {
    const { id } = await makeCheck(world);
    const { code, stdout, stderr } = await run(['checks', 'run', id]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^PASSED\tcheck-\S+\teu-west-1\tPASSED\t/);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/✓ check-\S+ passed at eu-west-1 in \d/);
  });

  it('exits 1 on a check that fails, and says how to read why', async () => {
    const { id } = await makeCheck(world, 'missing.test');
    const { code, stdout, stderr } = await run(['checks', 'run', id]);
    expect(code, stderr).toBe(1);
    expect(stdout).toMatch(/^FAILED\t/);
    expect(stderr).toContain(`sonde error-groups list ${id}`);
    expect((await run(['error-groups', 'list', id])).stdout).toContain('RESPONSE_CODE');
  });

  it('exits 0 on a degraded check, and 1 where that counts as bad', async () => {
    const id = await make({ degradedResponseTime: 0 });
    const good = await run(['checks', 'run', id]);
    expect(good.code, good.stderr).toBe(0);
    expect(good.stdout).toMatch(/^DEGRADED\t/);
    expect((await run(['checks', 'run', id, '--fail-on', 'degraded'])).code).toBe(1);
  });

  it('exits 1 on a check whose name server never answers', async () => {
    const server = await startFaulty({});
    const request = { query: 'good.test', nameServer: server.address, port: server.port };
    const id = await make({ request });
    const { code, stdout, stderr } = await run(['checks', 'run', id, '--json']);
    expect(code, stderr).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ checkId: id, status: 'FAILED' });
    expect(server.datagrams.length).toBeGreaterThan(0);
  });

  it('exits 8 on a session that was cancelled meanwhile', async () => {
    const { id } = await makeEndlessCheck(world);
    const gate = watchSonde(['checks', 'run', id, '--json'], { env: world.service.env });
    await gate.saw('Started 1 session');
    const { entries } = await world.service.make<{ entries: readonly { checkSessionId: string }[] }>(
      `GET /v2/check-sessions?checkId=${id}`,
    );
    const session = entries[0]?.checkSessionId ?? '';
    const cancelled = await run(['sessions', 'cancel', session, '--json']);
    expect(JSON.parse(cancelled.stdout)).toEqual({ id: session, cancelled: true });
    const { code, stdout } = await gate.ended;
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ checkSessionId: session, status: 'CANCELLED' });
  });

  it('exits 5 where no check matches: nothing was started', async () => {
    const { code, stdout, stderr } = await run(['checks', 'run', '--tag', 'no-such-tag', '--json']);
    expect(code).toBe(5);
    expect(stdout).toBe('');
    expect(errorOf(stderr)).toMatchObject({
      kind: 'api',
      status: 404,
      message: expect.stringMatching(/^nothing/),
    });
  });

  it('runs all that have a tag, prints an array, and exits by the worst', async () => {
    const tags = [fresh('tag')];
    const good = await make({ tags });
    const bad = await make({ tags, request: { ...dnsCheck(world, '', 'missing.test').request } });
    await make({ tags, activated: false });
    const { code, stdout } = await run(['checks', 'run', '--tag', tags[0] ?? '', '--json']);
    expect(code).toBe(1);
    const sessions = JSON.parse(stdout) as readonly { checkId: string; status: string }[];
    expect(sessions).toHaveLength(2);
    expect(sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ checkId: good, status: 'PASSED' }),
        expect.objectContaining({ checkId: bad, status: 'FAILED' }),
      ]),
    );
  });

  it('shows a person the table and the verdict', async () => {
    const { id, name } = await makeCheck(world, 'missing.test');
    const { code, screen } = await sondeInTerminal(['checks', 'run', id], { env: world.service.env });
    expect(code).toBe(1);
    for (const text of ['RESULT', 'FAILED', name, 'eu-west-1', `sonde error-groups list ${id}`])
      expect(screen).toContain(text);
  });
});

describe('sessions wait', () => {
  it('waits for several and prints them in the order given', async () => {
    const bad = await makeSession(world, 'missing.test');
    const good = await makeSession(world);
    const { code, stdout } = await run(['sessions', 'wait', good.id, bad.id, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { checkSessionId: good.id, status: 'PASSED' },
      { checkSessionId: bad.id, status: 'FAILED' },
    ]);
  });

  it('takes ids from stdin, and answers with an array also for one', async () => {
    const { id } = await makeSession(world);
    const { code, stdout, stderr } = await run(['sessions', 'wait', '-', '--json'], { stdin: `${id}\n` });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ checkSessionId: id, status: 'PASSED' }]);
    const one = await run(['sessions', 'wait', id, '--json']);
    expect(JSON.parse(one.stdout)).toMatchObject({ checkSessionId: id });
    expect((await run(['sessions', 'wait', '-'])).code).toBe(2);
  });

  it('lets an unknown session outrank one that passed', async () => {
    const { id } = await makeSession(world);
    const { code, stdout } = await run(['sessions', 'wait', id, NOBODY]);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^NOT_FOUND\t.*\nPASSED\t/);
  });

  it('exits 7 at its deadline: the verdict is unknown, and the session is told as it is', async () => {
    const session = await startEndlessSession(world);
    const { code, stdout, stderr } = await run(['sessions', 'wait', session, '--timeout', '1s', '--json']);
    expect(code, stderr).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({ checkSessionId: session });
  });

  it('waits for test sessions in the same way', async () => {
    const [good, bad] = await Promise.all([makeCheck(world), makeCheck(world, 'missing.test')]);
    const args = [
      'test-sessions',
      'run',
      good.id,
      bad.id,
      '--name',
      'both',
      '--run-location',
      'eu-west-1',
      '--json',
    ];
    const started = await run(args);
    expect(started.code, started.stderr).toBe(0);
    const { testSessionId } = JSON.parse(started.stdout) as { testSessionId: string };
    const { code, stdout } = await run(['test-sessions', 'wait', testSessionId, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ testSessionId, status: 'FAILED' });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'says at %s what still runs and how to take up waiting again, and exits %i',
    async (signal, code) => {
      const [over, open] = [await makeSession(world), await startEndlessSession(world)];
      const gate = watchSonde(['sessions', 'wait', over.id, open], { env: world.service.env });
      await gate.saw('PASSED');
      gate.child.kill(signal);
      const ended = await gate.ended;
      expect(ended.code, ended.stderr).toBe(code);
      expect(ended.stderr).toContain(`Still running: ${open}\n`);
      expect(ended.stderr).toContain(`To continue waiting, run:\n  sonde sessions wait ${open}\n`);
      expect(ended.stdout).toBe('');
    },
  );

  it.each([
    ['good.test', 0],
    ['missing.test', 1],
  ] as const)('exits by the verdict where its reader has gone away (%s: %i)', async (query, code) => {
    const { id } = await makeSession(world, query);
    const line = `sonde sessions wait ${id} ${id} | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout } = await shell(line, { env: world.service.env });
    expect(stdout.trim()).toBe(String(code));
  });
});
