/** `sonde sessions list`: filters and pages. */
import { describe, expect, it } from 'vitest';
import { command as list } from '../../../commands/sessions/list.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { serve } from '../../support/http.ts';

const session = (number: number, more: object = {}) => ({
  checkSessionId: `0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d1${number}`,
  checkId: '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
  name: `Check ${number}`,
  checkType: 'DNS',
  status: 'PASSED',
  startedAt: '2026-11-21T07:59:00Z',
  stoppedAt: '2026-11-21T07:59:02Z',
  timeElapsed: 2000,
  runLocations: ['eu-west-1'],
  runSource: 'SCHEDULER',
  unknownField: 'kept',
  ...more,
});
const page = (entries: readonly object[], nextId: string | null = null) => ({
  body: { length: entries.length, entries, nextId },
});

describe('sessions list', () => {
  it('prints one row a session into a pipe, and says on stderr how to see more', async () => {
    const server = await serve(page([session(1), session(2)], 'abc'));
    const { code, stdout, stderr } = await runLine(list, [], { env: serviceAt(server.url) });
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]?.split('\t').slice(0, 5)).toEqual([
      session(1).checkSessionId,
      'PASSED',
      'Check 1',
      '2026-11-21T07:59:00Z',
      '2000',
    ]);
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stderr).toContain('--next-id abc');
    expect(stderr).toContain('--all');
  });

  it('says nothing of more on the last page', async () => {
    const server = await serve(page([session(1)]));
    const { stderr } = await runLine(list, [], { env: serviceAt(server.url) });
    expect(stderr).toBe('');
  });

  it('gathers every page with --all, and prints one array as it came', async () => {
    const server = await serve(page([session(1)], 'abc'), page([session(2)]));
    const { stdout, stderr } = await runLine(list, ['--all', '--json'], { env: serviceAt(server.url) });
    expect(JSON.parse(stdout)).toEqual([session(1), session(2)]);
    expect(stderr).toBe('');
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/v2/check-sessions?limit=100',
      '/v2/check-sessions?limit=100&nextId=abc',
    ]);
  });

  it('fails where the service repeats its cursor, so that the list is not complete', async () => {
    const server = await serve(page([session(1)], 'abc'), page([session(2)], 'abc'));
    const { code, stderr } = await runLine(list, ['--all'], { env: serviceAt(server.url) });
    expect(code).toBe(6);
    expect(stderr).toContain('the service repeats a page after 2 pages');
  });

  it('says that a list is empty on stderr, and exits 0', async () => {
    const server = await serve(page([]), page([]));
    const env = serviceAt(server.url);
    expect(await runLine(list, [], { env })).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'No check sessions. Start one with "sonde checks run <check-id>", or wait for the schedule of a check.\n',
    });
    const json = await runLine(list, ['--json', '--fields', 'unknownField'], { env });
    expect(json).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  it('says nothing of how to start one where only some were asked for', async () => {
    const server = await serve(page([]));
    const { stderr } = await runLine(list, ['--status', 'FAILED'], { env: serviceAt(server.url) });
    expect(stderr).toBe('No check sessions.\n');
  });

  it('sums up in one line on the screen how they stand and how to see more', async () => {
    const all = ['PASSED', 'FAILED', 'PROGRESS', 'PASSED', 'BRAND_NEW', 'TIMED_OUT'].map((status, index) =>
      session(index, { status }),
    );
    const server = await serve(page(all, 'abc'), page(all, 'abc'), page(all, 'abc'));
    const options = { env: serviceAt(server.url), isTTY: true, columns: 200 };
    const told =
      '6 check sessions: 2 passed, 1 failed, 1 timed out, 2 running. For more, pass --limit; for all, pass --all.\n';
    const shown = await runLine(list, ['--no-color'], options);
    expect(shown.stderr).toBe(told);
    expect(shown.stdout).not.toContain('check sessions');
    expect((await runLine(list, ['--quiet'], options)).stderr).toBe('');
    const piped = await runLine(list, [], { ...options, isTTY: { stderr: true } });
    expect(piped.stderr).toBe(
      'There may be more check sessions: for the next page, pass --next-id abc; for all, pass --all.\n',
    );
  });

  it('sends the filters as the API names them, and refuses others', async () => {
    const server = await serve(page([session(1)]));
    const env = serviceAt(server.url);
    await runLine(list, ['--status', 'FAILED', '--limit', '5', '--next-id', 'x y'], { env });
    expect(server.requests[0]?.url).toBe('/v2/check-sessions?limit=5&nextId=x%20y&status=FAILED');
    const wrong = await runLine(list, ['--status', 'FAILD', '--limit', '101'], { env });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('did you mean FAILED?');
    expect(wrong.stderr).toContain('--limit must be at most 100');
  });

  it('fits a terminal of 80 columns, keeps the name readable, and shows whole ids where they are chosen', async () => {
    const name = 'A check with a name that takes some room, and then more';
    const shown = page([session(1, { name }), session(2)]);
    const server = await serve(shown, shown);
    const screen = { env: serviceAt(server.url), isTTY: true, columns: 80 };
    const { stdout } = await runLine(list, ['--no-color'], screen);
    const rows = stdout.split('\n');
    for (const line of rows) expect(line.length).toBeLessThanOrEqual(80);
    const [id, other] = [session(1).checkSessionId, session(2).checkSessionId];
    expect(rows[1]).toContain(name.slice(0, 23));
    expect(rows[1]).toContain('PASSED');
    const [short = ''] = rows[1]?.split(' ') ?? [];
    expect([id.startsWith(short), other.startsWith(short), short.length >= 8]).toEqual([true, false, true]);
    const whole = await runLine(list, ['--no-color', '--fields', 'checkSessionId'], screen);
    expect(whole.stdout).toContain(id);
  });
});
