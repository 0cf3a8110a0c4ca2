/** `sonde test-sessions get` and `run`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command as get } from '../../../commands/test-sessions/get.ts';
import { command as run } from '../../../commands/test-sessions/run.ts';
import { cancelTestOnExit } from '../../../commands/test-sessions/shared/start-test.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { createClient } from '../../../src/client/index.ts';
import { createManualClock } from '../../support/clock.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { answer, serve, serveWith } from '../../support/http.ts';

const ID = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10';
const CHECK = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
const session = {
  testSessionId: ID,
  name: 'Before release',
  status: 'FAILED',
  errorGroupIds: [],
  startedAt: '2026-11-21T07:59:00Z',
  timeElapsed: 2000,
  metadata: { branchName: 'main' },
  results: [
    { name: 'Checkout', runLocation: 'eu-west-1', hasFailures: true, hasErrors: false, isDegraded: false },
    { name: 'Login', runLocation: 'eu-west-1', hasFailures: false, hasErrors: false, isDegraded: true },
  ],
};
const base = ['--name', 'Before release', '--run-location', 'eu-west-1'];

describe('test-sessions get', () => {
  it('shows the session with a line a result', async () => {
    const server = await serve({ body: session });
    const { code, stdout } = await runLine(get, [ID, '--no-color'], {
      env: serviceAt(server.url),
      isTTY: true,
      columns: 80,
    });
    expect(code).toBe(0);
    expect(server.requests[0]?.url).toBe(`/v1/test-sessions/${ID}`);
    expect(stdout).toMatch(/^✗ FAILED +Before release +test session\n\nFailed: 1 of 2 checks\.\n/);
    expect(stdout).toMatch(/\nCheckout +eu-west-1 +FAILED\nLogin +eu-west-1 +DEGRADED\n/);
    expect(stdout).toMatch(/Branch +main/);
  });
});

describe('test-sessions run --suite', () => {
  const preview = async (...more: readonly string[]) => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, 'e2e'));
    await writeFile(join(cwd, 'e2e/package.json'), '{"name": "@shop/e2e"}');
    await mkdir(join(cwd, 'bare'));
    const argv = ['--dry-run', ...more];
    const { code, stdout, stderr } = await runLine(run, argv, { env: serviceAt('http://127.0.0.1:1'), cwd });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout.slice(stdout.indexOf('{'))) as Readonly<Record<string, unknown>>;
  };

  it('is called as it is told to be, else as its package, else as its folder', async () => {
    const at = ['--run-location', 'eu-west-1'];
    expect(await preview('--suite', 'e2e', ...at, '--name', 'Shop')).toMatchObject({ name: 'Shop' });
    expect(await preview('--suite', 'e2e', ...at)).toMatchObject({ name: '@shop/e2e' });
    expect(await preview('--suite', './bare/', ...at)).toMatchObject({ name: 'bare' });
  });

  it('runs in all the locations that are named, with what a suite takes', async () => {
    const argv = ['--run-location', 'eu-west-1, office', '--further-locations', 'us-east-1'];
    expect(await preview('--suite', 'e2e', ...argv, '--pw-tags', '@a,@b', '--engine', 'bun')).toMatchObject({
      runLocation: 'eu-west-1',
      suite: { furtherLocations: ['office', 'us-east-1'], pwTags: ['@a', '@b'], engine: 'bun' },
    });
  });

  it('is refused where what runs again or other checks are named, too, and where no folder is', async () => {
    const at = ['--run-location', 'eu-west-1'];
    const retried = await runLine(run, ['--suite', 'e2e', ...at, '--retry-strategy', 'null', CHECK]);
    expect(retried).toMatchObject({ code: 2, stdout: '' });
    expect(retried.stderr).toContain('--retry-strategy must not be set together with suite');
    expect(retried.stderr).toContain('--suite cannot be combined with check IDs, --tag or --all');
    const none = await runLine(run, [...base, '--set', 'suite.engine=bun']);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--suite is required') });
  });
});

describe('a session that is cancelled as the process ends', () => {
  const depsAt = async (url: string) => {
    const clock = createManualClock();
    const client = createClient({
      ...{ baseUrl: url, getKey: async () => 'key', userAgent: 'test' },
      ...{ clock: systemClock, random: systemRandom },
    });
    onTestFinished(() => client.close());
    return { clock, deps: { clock, client: async () => client } };
  };

  it('is so where the service says yes, and else is not said to be: after three seconds, too', async () => {
    const server = await serve({ status: 204 }, { status: 500, body: {} }, () => {});
    const { clock, deps } = await depsAt(server.url);
    expect(await cancelTestOnExit(deps, ID)).toBe(true);
    expect(await cancelTestOnExit(deps, ID)).toBe(false);
    const late = cancelTestOnExit(deps, ID);
    await eventually(() => expect(server.requests).toHaveLength(3));
    await clock.advance(3_000);
    expect(await late).toBe(false);
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: `/v1/test-sessions/${ID}/cancel` });
  });
});

describe('test-sessions run', () => {
  it('starts a session of the checks that are named, and prints it', async () => {
    const server = await serve({ status: 201, body: { ...session, status: 'RUNNING' } });
    const { code, stdout, stderr } = await runLine(
      run,
      [
        CHECK,
        '--tag',
        'a, b',
        '--tag',
        '!c',
        ...base,
        '--allow-deactivated',
        '--branch-name',
        'main',
        '--env',
        'A=1',
      ],
      { env: serviceAt(server.url) },
    );
    expect(code).toBe(0);
    expect(server.requests).toMatchObject([{ method: 'POST', url: '/v1/test-sessions/trigger' }]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      name: 'Before release',
      runLocation: 'eu-west-1',
      environmentVariables: [{ key: 'A', value: '1' }],
      metadata: { branchName: 'main' },
      target: { checkId: [CHECK], matchTags: [['a', 'b'], ['!c']], allowDeactivated: true },
    });
    expect(stdout).toContain(`testSessionId\t${ID}\n`);
    expect(stderr).toBe(`Started test session Before release (${ID}).\n`);
  });

  it('names no target for --all, and prints the id alone with -o plain', async () => {
    const server = await serve({ status: 201, body: session });
    const { stdout } = await runLine(run, ['--all', ...base, '-o', 'plain'], { env: serviceAt(server.url) });
    expect(JSON.parse(server.requests[0]?.body ?? '').target).toBeUndefined();
    expect(stdout).toBe(`${ID}\n`);
  });

  it('refuses to start where no check is named, or where all and some are', async () => {
    const none = await runLine(run, base);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('<check-id> is required, or one of --tag, --all and --suite');
    const both = await runLine(run, [...base, '--all', '--tag', 'a']);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain('--all cannot be combined with check IDs or --tag');
  });

  it('holds for checks, too, where it is told to, and ends by their verdict', async () => {
    const server = await serve({ status: 201, body: { ...session, status: 'RUNNING' } }, { body: session });
    const argv = ['--all', ...base, '--wait', '--json'];
    const { code, stdout, stderr } = await runLine(run, argv, { env: serviceAt(server.url) });
    expect(code, stderr).toBe(1);
    expect(JSON.parse(stdout)).toEqual(session);
    expect(server.requests.slice(0, 2).map(({ method, url }) => `${method} ${url.split('?')[0]}`)).toEqual([
      'POST /v1/test-sessions/trigger',
      `GET /v1/test-sessions/${ID}/completion`,
    ]);
  });

  it('says that a session may have started where the answer was lost', async () => {
    const server = await serve((_request, response) => response.destroy());
    const { code, stderr } = await runLine(run, ['--all', ...base], { env: serviceAt(server.url) });
    expect(code).toBe(6);
    expect(stderr).toContain('a test session may have started');
  });
});

describe('test-sessions run --wait', () => {
  const OTHER = CHECK.replace('5a', '6a');
  const runBoth = async (results: readonly object[]) => {
    const running = { ...session, status: 'RUNNING', results: [] };
    const ended = { ...session, status: 'PASSED', results };
    const { url } = await serveWith((request, response) => {
      if (request.method === 'POST') return answer(response, { status: 201, body: running });
      const id = /checks\/([^/?]+)/.exec(request.url)?.[1];
      return answer(response, { body: id === undefined ? ended : { id, checkType: 'DNS', activated: true } });
    });
    return runLine(run, [CHECK, OTHER, ...base, '--wait', '--timeout', '1s'], { env: serviceAt(url) });
  };

  it('is good if each named check has a good final result', async () => {
    const { code, stderr } = await runBoth([{ checkId: CHECK }, { checkId: OTHER.toUpperCase() }]);
    expect(code, stderr).toBe(0);
  });

  it('exits 5 if a named check has no final result', async () => {
    for (const more of [[], [{ checkId: OTHER, resultType: 'ATTEMPT' }], [{ checkId: ID }]]) {
      const { code, stderr } = await runBoth([{ checkId: CHECK }, ...more]);
      expect(code, stderr).toBe(5);
      expect(stderr).toContain(`o result for check ${OTHER}`);
    }
  });

  it('fails if a result failed, and names the contradiction', async () => {
    const { code, stderr } = await runBoth([{ checkId: CHECK }, { checkId: OTHER, hasErrors: true }]);
    expect(code, stderr).toBe(1);
    expect(stderr).toContain('the status of the session is PASSED, but a result says otherwise');
  });
});
