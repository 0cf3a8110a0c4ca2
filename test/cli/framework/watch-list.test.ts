/** Lists with --watch: changes for programs, a table in place in a terminal, and refreshes that fail. */
import { expect, it, onTestFinished } from 'vitest';
import { command as listChecks } from '../../../commands/checks/list.ts';
import { command as listSessions } from '../../../commands/sessions/list.ts';
import { CancelledError } from '../../../src/base/errors.ts';
import type { Command } from '../../../src/cli/framework/types.ts';
import { runCommand } from '../../../src/cli/program/run-command.ts';
import { createManualClock } from '../../support/clock.ts';
import { type LineOptions, makeHost, runLine, serviceAt } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, serveWith } from '../../support/http.ts';

const check = (name: string, status: string, nextRunAt = '2026-11-21T08:01:00Z') => ({
  ...{ id: name.toLowerCase(), name, checkType: 'DNS', status, activated: true, frequency: 1, nextRunAt },
  ...{ tags: [], locations: ['eu-west-1'], groupId: null },
});

/** A command that watches a list, which the test changes. */
async function watching(command: Command, argv: readonly string[], options: LineOptions = {}) {
  let [rows, status]: [readonly object[], number] = [[], 200];
  let nextId: string | null = null;
  const body = () => (command === listSessions ? { entries: rows, nextId } : rows);
  const clock = createManualClock();
  const times: number[] = [];
  const server = await serveWith((_, response) => {
    times.push(clock.now());
    if (status === 200) return answer(response, { body: body() });
    const headers = status === 429 ? { 'retry-after': '60' } : {};
    return answer(response, { status, headers, body: { message: 'no' } });
  });
  const stop = new AbortController();
  const env = { ...serviceAt(server.url), ...options.env };
  const { host, screen } = await makeHost(argv, { ...options, clock, signal: stop.signal, env });
  let ended: number | undefined;
  const start = (first: readonly object[]) => {
    rows = first;
    const done = runCommand(command, host).then((code) => {
      ended = code;
    });
    onTestFinished(async () => {
      stop.abort(new CancelledError('SIGINT'));
      await clock.run(done);
    });
  };
  return {
    ...{ start, screen, clock, server, times },
    /** Changes the answer, and waits until a refresh has read it. */
    async answers(next: readonly object[], nextStatus = 200) {
      [rows, status] = [next, nextStatus];
      const before = server.requests.length;
      await eventually(async () => {
        await clock.advance(1000);
        expect(server.requests.length).toBeGreaterThan(before + 1);
      });
    },
    /** From now on, the list has another page. */
    grow() {
      nextId = 'next';
    },
    deny() {
      status = 401;
    },
    async stop() {
      stop.abort(new CancelledError('SIGINT'));
      return this.code();
    },
    async code() {
      await eventually(async () => {
        await clock.advance(1000);
        expect(ended).toBeDefined();
      });
      return ended;
    },
  };
}

it('prints each new or changed check once for programs, oldest first', async () => {
  const at = await watching(listChecks, ['--watch', '--json', '--fields', 'name,status']);
  at.start([check('Login', 'passing'), check('Home', 'passing')]);
  const lines = () => at.screen.stdout().split('\n').slice(0, -1);
  const expected = ['{"name":"Home","status":"passing"}', '{"name":"Login","status":"passing"}'];
  await eventually(() => expect(lines()).toEqual(expected));
  // Only the time of its next run changes.
  await at.answers([check('Login', 'passing'), check('Home', 'passing', '2026-11-21T08:02:00Z')]);
  await at.answers([check('Login', 'failing'), check('Home', 'passing')]);
  await eventually(() => expect(lines()).toEqual([...expected, '{"name":"Login","status":"failing"}']));
  expect(await at.stop()).toBe(130);
});

it('warns if rows may be missing, because a refresh knows none of them', async () => {
  const at = await watching(listSessions, ['--watch', '-o', 'csv', '--fields', 'name']);
  const session = (id: string) => ({ checkSessionId: id, name: id, status: 'PASSED' });
  at.start([session('b'), session('a')]);
  await eventually(() => expect(at.screen.stdout()).toBe('name\r\na\r\nb\r\n'));
  // All that there is: nothing is missing.
  await at.answers([session('d'), session('c')]);
  await eventually(() => expect(at.screen.stdout()).toBe('name\r\na\r\nb\r\nc\r\nd\r\n'));
  expect(at.screen.stderr()).toBe('');
  at.grow();
  await at.answers([session('f'), session('e')]);
  await eventually(() => expect(at.screen.stdout()).toContain('e\r\nf\r\n'));
  expect(at.screen.stderr()).toContain('Warning: Some check sessions may be missing: pass a larger --limit');
});

it('repeats a refresh that fails, and ends if access is denied', async () => {
  const at = await watching(listChecks, ['--watch']);
  at.start([check('Home', 'passing')]);
  await eventually(() => expect(at.screen.stdout()).toContain('passing'));
  await at.answers([], 503);
  await eventually(async () => {
    await at.clock.advance(10_000);
    expect(at.screen.stderr()).toContain('Warning: Refresh failed: ');
  });
  await at.answers([check('Home', 'failing')]);
  await eventually(() => expect(at.screen.stdout()).toContain('failing'));
  expect(at.screen.stderr().match(/Refresh failed/g)).toHaveLength(1);
  expect(at.screen.stderr()).not.toContain('retrying');
  at.deny();
  expect(await at.code()).toBe(4);
});

it('waits as long as the service asks', async () => {
  const at = await watching(listChecks, ['--watch']);
  at.start([check('Home', 'passing')]);
  await eventually(() => expect(at.screen.stdout()).toContain('passing'));
  await at.answers([], 429);
  const [before = 0, last = 0] = at.times.slice(-2);
  expect(last - before).toBeGreaterThanOrEqual(60_000);
  await at.answers([check('Home', 'failing')]);
  await eventually(() => expect(at.screen.stdout()).toContain('failing'));
});

it('refreshes a table in place in a terminal, as high as the window, and leaves the last one', async () => {
  const env = { TERM: 'xterm', NO_COLOR: '1' };
  const at = await watching(listChecks, ['--watch', '--utc'], { isTTY: true, columns: 80, env });
  const many = Array.from({ length: 40 }, (_, index) => check(`Check${index}`, 'passing'));
  at.start(many);
  await eventually(async () => {
    await at.clock.advance(100);
    expect(at.screen.stderr()).toContain('… 21 more');
  });
  expect(at.screen.stderr()).toContain('40 checks: 40 passing.');
  expect(at.screen.stderr()).toContain('Refreshed at 08:00:00. To stop, press Ctrl-C.');
  await at.answers([check('Home', 'failing')]);
  await eventually(async () => {
    await at.clock.advance(100);
    expect(at.screen.stderr()).toContain('1 check: 1 failing.');
  });
  await at.answers([], 503);
  await eventually(async () => {
    await at.clock.advance(1000);
    expect(at.screen.stderr()).toMatch(/Refresh failed: .*\r\n.*Refreshed at 08:00:\d\d\. To stop/);
  });
  expect(at.screen.stdout()).toBe('');
  expect(await at.stop()).toBe(130);
  expect(at.screen.stdout()).toMatch(/^STATUS +NAME .*\n.*failing.*Home/);
});

it.each([
  ['an interval that is too short', ['--interval', '10ms'], '--interval must be at least 1s'],
  ['YAML, which would never end', ['-o', 'yaml'], '--watch cannot be combined with -o yaml'],
  ['a table without a terminal', ['-o', 'table'], '--watch cannot be combined with -o table'],
])('rejects %s', async (_, argv, message) => {
  const { code, stderr } = await runLine(listChecks, ['--watch', ...argv], {
    env: serviceAt('http://127.0.0.1:9'),
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
