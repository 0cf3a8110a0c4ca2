/** Test sessions of named checks, end to end: none is started that would leave one out without a word. */
import { describe, expect, it } from 'vitest';
import { type Ran, sonde } from '../support/binary.ts';
import { answer, serveWith } from '../support/http.ts';
import { fresh, makeCheck, NOBODY, useWorld } from './world.ts';

const world = useWorld();

const run = (...args: readonly string[]): Promise<Ran> =>
  sonde(['test-sessions', 'run', ...args, '--run-location', 'eu-west-1'], { env: world.service.env });
const sessions = async (): Promise<number> => {
  const { length } = await world.service.make<{ length: number }>('GET /v1/test-sessions?limit=100');
  return length;
};

describe('test-sessions run', () => {
  it('starts nothing where a named check is switched off, in a group that is, or not there, and names each', async () => {
    const good = await makeCheck(world);
    const off = await makeCheck(world, 'good.test', { activated: false });
    const { id: groupId } = await world.service.make<{ id: number }>('POST /v1/check-groups', {
      name: fresh('group'),
      activated: false,
      concurrency: 1,
      locations: [],
      tags: [],
    });
    const grouped = await makeCheck(world, 'good.test', { groupId });
    const before = await sessions();
    const { code, stdout, stderr } = await run(good.id, off.id, grouped.id, NOBODY, '--name', 'all');
    expect(code, stderr).toBe(5);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      'Error: nothing was started: 3 of 4 checks cannot run\n' +
        `  ${off.id} is deactivated\n` +
        `  ${grouped.id} is in group ${groupId}, which is deactivated\n` +
        `  ${NOBODY} not found\n` +
        'to run deactivated checks as well, pass --allow-deactivated\n',
    );
    expect(await sessions()).toBe(before);
    const allowed = await run(good.id, off.id, grouped.id, '--name', 'all', '--allow-deactivated');
    expect(allowed.code, allowed.stderr).toBe(0);
    expect(await sessions()).toBe(before + 1);
  });

  it('refuses one unknown check as the service does', async () => {
    expect((await run(NOBODY, '--name', 'all')).code).toBe(5);
  });

  it('goes on with a warning where the service does not let checks be read', async () => {
    const [one, two] = [await makeCheck(world), await makeCheck(world)];
    for (const status of [403, 404]) {
      const server = await serveWith(({ method }, response) =>
        method === 'GET'
          ? answer(response, { status, body: { message: 'no' } })
          : answer(response, {
              status: 201,
              body: { testSessionId: NOBODY, name: 'all', status: 'RUNNING' },
            }),
      );
      const env = { ...world.service.env, SONDE_BASE_URL: server.url, SONDE_API_KEY: 'key-of-the-test' };
      const args = ['test-sessions', 'run', one.id, two.id, '--name', 'all', '--run-location', 'eu-west-1'];
      const { code, stderr } = await sonde(args, { env });
      expect(code, stderr).toBe(0);
      expect(stderr).toContain('Warning: sonde cannot read all of these checks');
      expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
    }
  });

  it('starts nothing where the key does not hold', async () => {
    const server = await serveWith((_, response) =>
      answer(response, { status: 401, body: { message: 'no' } }),
    );
    const env = { ...world.service.env, SONDE_BASE_URL: server.url, SONDE_API_KEY: 'key-of-the-test' };
    const args = [
      'test-sessions',
      'run',
      NOBODY,
      NOBODY.replace('0', '1'),
      '--name',
      'all',
      '--run-location',
      'eu-west-1',
    ];
    const { code } = await sonde(args, { env });
    expect(code).toBe(4);
    expect(server.requests.every(({ method }) => method === 'GET')).toBe(true);
  });
});
