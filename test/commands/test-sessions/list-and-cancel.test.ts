/** `sonde test-sessions list` and `cancel`. */
import { describe, expect, it } from 'vitest';
import { command as cancel } from '../../../commands/test-sessions/cancel.ts';
import { command as list } from '../../../commands/test-sessions/list.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serve, serveWith } from '../../support/http.ts';

const ONE = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10';
const TWO = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d20';
const session = (testSessionId: string, status: string) => ({
  ...{
    testSessionId,
    id: testSessionId,
    name: 'Before release',
    status,
    errorGroupIds: [],
    timeElapsed: 1200,
  },
  ...{ startedAt: '2026-11-21T08:00:00Z', results: [], region: 'eu-west-1', branchName: 'main' },
});

describe('test-sessions list', () => {
  it('lists them with state, location and branch', async () => {
    const entries = [session(ONE, 'RUNNING'), session(TWO, 'FAILED')];
    const server = await serve({ body: { length: 2, entries, nextId: null } });
    const { code, stdout } = await runLine(list, ['--limit', '2', '-o', 'tsv'], {
      env: serviceAt(server.url),
    });
    expect(code).toBe(0);
    expect(server.requests[0]?.url).toBe('/v1/test-sessions?limit=2');
    expect(stdout).toContain(`${ONE}\tRUNNING\tBefore release`);
    expect(stdout).toContain('eu-west-1');
  });
});

describe('test-sessions cancel', () => {
  it('cancels each, and exits with the worst outcome', async () => {
    const server = await serveWith(({ url }, response) =>
      url.includes(TWO)
        ? answer(response, { status: 409, body: { message: 'It has ended already' } })
        : answer(response, { status: 204 }),
    );
    const { code, stdout, stderr } = await runLine(cancel, ['-', '--json'], {
      env: serviceAt(server.url),
      input: `${ONE}\n${TWO}\n`,
    });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual([
      { id: ONE, cancelled: true },
      { id: TWO, cancelled: false },
    ]);
    expect(stderr).toContain('It has ended already');
    expect(server.requests.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      `POST /v1/test-sessions/${ONE}/cancel`,
      `POST /v1/test-sessions/${TWO}/cancel`,
    ]);
  });
});
