/** The end of a gate: what is on stdout and stderr, whatever the verdict, and where it is interrupted. */
import { describe, expect, test } from 'vitest';
import { ApiError, CancelledError, NetworkError, VerdictError } from '../../src/base/errors.ts';
import { type GateSnapshot, reportData } from '../../src/gate/report/data.ts';
import { toAnnotations } from '../../src/gate/report/github.ts';
import { toJunit } from '../../src/gate/report/junit.ts';
import { toMarkdown } from '../../src/gate/report/markdown.ts';
import type { RunGateOptions } from '../../src/gate/run-gate.ts';
import type { Terminal } from '../../src/terminal/index.ts';
import { bad, good, open, runTestGate } from './gate-harness.ts';
import { idOf, sessionWith } from './outcomes.ts';

test('what starting a session told is shown only where it can be read', async () => {
  const odd = { checkSessionId: idOf(1), status: ['PASSED'], name: 7, runLocations: 'x', results: {} };
  const known = new Map<string, unknown>([
    [idOf(1), odd],
    [idOf(2), null],
  ]);
  for (const isTTY of [true, false]) {
    const { ended } = await runTestGate([open(1), open(2)], {
      isTTY,
      gate: {
        start: async () => ({ ids: [idOf(1), idOf(2)], many: true, known }),
        // Nothing better is heard.
        openPoll: async () => async () => ({ kind: 'fault', error: new NetworkError('gone') }),
      },
    });
    expect(ended).toMatchObject({ exitCode: 6 });
  }
});

describe('the end', () => {
  test('is one line where all is well, and nobody is asked why', async () => {
    const { ended, asked, stderr } = await runTestGate([good(1)]);
    expect(ended).toBeUndefined();
    expect(asked).toBe(0);
    expect(stderr).toMatch(/^✓ Check 1 passed at eu-west-1 in 12s\n$/m);
  });

  test('tells a program the error in the last column, and a person beside it why', async () => {
    const { ended, stdout, stderr } = await runTestGate([good(2), bad(1)]);
    expect(ended).toMatchObject({ exitCode: 1, message: 'Of 2 check sessions: 1 failed, 1 passed' });
    expect(stdout).toBe(
      `FAILED\tCheck 1\teu-west-1\tFAILED\t12000\t${idOf(1)}\t\tno such name\n` +
        `PASSED\tCheck 2\teu-west-1\tPASSED\t12000\t${idOf(2)}\t\t\n`,
    );
    expect(stderr).toContain(
      `✗ Check 1 at eu-west-1: no such name\n  More: sonde error-groups list ${idOf(1001)}\n`,
    );
  });

  test('says why also with --quiet, and nothing else but errors', async () => {
    const { stderr } = await runTestGate([bad(1)], { flags: { quiet: true } });
    expect(stderr).toBe(
      `✗ Check 1 at eu-west-1: no such name\n  More: sonde error-groups list ${idOf(1001)}\n`,
    );
    expect((await runTestGate([good(1)], { flags: { quiet: true } })).stderr).toBe('');
  });

  test.each(['json', 'jsonl', 'yaml'] as const)(
    'with -o %s is the bodies alone, unexplained',
    async (format) => {
      const { stdout, stderr, asked } = await runTestGate([bad(1)], {
        gate: { output: { utc: true, format } },
      });
      expect(asked).toBe(0);
      expect(stderr).not.toContain('✗');
      if (format === 'json') expect(JSON.parse(stdout)).toEqual([bad(1)]);
    },
  );

  test('asks why for a report even where nobody reads rows', async () => {
    const told: GateSnapshot[] = [];
    const report: RunGateOptions['report'] = async (each) => {
      told.push(each);
      return undefined;
    };
    const { stdout, asked } = await runTestGate([bad(1)], {
      gate: { output: { utc: true, format: 'json' }, report },
    });
    expect(JSON.parse(stdout)).toEqual([bad(1)]);
    expect(asked).toBe(1);
    expect(told.at(-1)).toMatchObject({ isOver: true, exitCode: 1, rows: [{ error: 'no such name' }] });
  });

  test('is the same verdict where the API does not say why', async () => {
    const sources = async () => {
      throw new Error('out of order');
    };
    const { ended, stderr } = await runTestGate([bad(1)], { gate: { errorSources: sources } });
    expect(ended).toBeInstanceOf(VerdictError);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(stderr).toContain('✗ Check 1 at eu-west-1: failed\n');
  });

  test('names what nobody waited for by what starting it answered', async () => {
    const known = new Map([[idOf(2), open(2)]]);
    const start = async () => ({ ids: [idOf(1), idOf(2)], many: true, known });
    const byId = async (id: string) =>
      id === idOf(1) ? ({ kind: 'body', body: bad(1) } as const) : new Promise<never>(() => {});
    const { stdout } = await runTestGate([], { gate: { start, failFast: true, openPoll: async () => byId } });
    expect(stdout).toContain(`PROGRESS\tCheck 2\t\tPROGRESS\t\t${idOf(2)}\t\tnot awaited\n`);
  });

  test('says how to go on where a session still ran at the deadline', async () => {
    const { ended, stderr } = await runTestGate([good(1), open(2)]);
    expect(ended).toMatchObject({
      exitCode: 7,
      hint: `To continue waiting, run:\n  sonde sessions wait ${idOf(2)}`,
    });
    expect(stderr).toContain('✗ Check 2: still running at the deadline\n');
  });
});

describe('of one session', () => {
  const refusing =
    (hint: string | undefined): RunGateOptions['openPoll'] =>
    async () =>
    async () => ({
      kind: 'refused',
      error: new ApiError('The API key is not valid', { status: 401, endpoint: 'GET /x' }, { hint }),
    });

  test('a refusal is said once, with the way out', async () => {
    const { ended, stderr } = await runTestGate([good(1)], {
      gate: { openPoll: refusing('run "sonde login"') },
    });
    expect(ended).toMatchObject({
      exitCode: 4,
      message: `sonde cannot wait for the check session ${idOf(1)}: The API key is not valid`,
      hint: 'run "sonde login"',
    });
    expect(stderr).not.toContain('✗');
  });

  test('and of several it stands beside each', async () => {
    const { stderr } = await runTestGate([good(1), good(2)], { gate: { openPoll: refusing(undefined) } });
    expect(stderr).toContain('✗ 2 sessions: The API key is not valid\n');
  });
});

describe('the table', () => {
  test('keeps names whole in a narrow window, and says nothing of ids that found no room', async () => {
    const more = { name: 'Checkout zone delegation' };
    const session = sessionWith(1, 'FAILED', [{ at: 'eu-west-1', is: 'failed', more }]);
    const { stdout, stderr } = await runTestGate([session], {
      isTTY: true,
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toContain('Checkout zone delegation  eu-west-1');
    expect(stderr).not.toContain('No room for');
  });

  const many = [...Array.from({ length: 40 }, (_, index) => good(index + 100)), bad(1)];
  const lines = (text: string) => text.trimEnd().split('\n');

  test('leaves out what went well where there is much of it, and says so', async () => {
    const { stdout, stderr } = await runTestGate(many, { isTTY: true });
    expect(lines(stdout)).toHaveLength(1 + 20);
    expect(lines(stdout)[1]).toContain('FAILED');
    expect(stdout).not.toContain('ERROR');
    expect(stderr).toContain(
      'Rows not shown: 21 passed. For all rows of a session, run "sonde sessions get <id>".\n',
    );
  });

  test('never leaves out what is bad', async () => {
    const worse = [...many, ...Array.from({ length: 40 }, (_, index) => bad(index + 200))];
    const { stdout } = await runTestGate(worse, { isTTY: true });
    expect(stdout.match(/FAILED/g)).toHaveLength(41);
    expect(stdout).not.toContain('PASSED');
  });

  test('is whole where nothing could be said of it, and where it is few more', async () => {
    const quiet = await runTestGate(many, { isTTY: true, flags: { quiet: true } });
    expect(lines(quiet.stdout)).toHaveLength(1 + 41);
    expect(lines((await runTestGate(many.slice(16), { isTTY: true })).stdout)).toHaveLength(1 + 25);
    expect(lines((await runTestGate(many)).stdout)).toHaveLength(41);
  });

  test('counts sessions that --fail-fast left beside those that went well', async () => {
    const sessions = [bad(1), ...Array.from({ length: 60 }, (_, index) => open(index + 100))];
    const { stdout, stderr, ended } = await runTestGate(sessions, { isTTY: true, gate: { failFast: true } });
    expect(ended).toMatchObject({ message: expect.stringContaining('1 failed, 60 not awaited') });
    expect(lines(stdout)).toHaveLength(1 + 20);
    expect(stderr).toContain('Rows not shown: 41 not awaited.');
  });
});

describe('at the deadline', () => {
  test('the table counts what only still ran, where that is much, after what is bad', async () => {
    const sessions = [bad(1), ...Array.from({ length: 60 }, (_, index) => open(index + 100))];
    const { stdout, stderr } = await runTestGate(sessions, { isTTY: true });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 20);
    expect(lines[1]).toContain('FAILED');
    expect(stderr).toContain('Rows not shown: 41 still running at the deadline.');
  });
});

describe('interrupted', () => {
  const stop = () => {
    const controller = new AbortController();
    return { signal: controller.signal, now: () => controller.abort(new CancelledError('SIGINT')) };
  };

  test('while it waits: what was seen, what runs, and how to go on', async () => {
    const { signal, now } = stop();
    const sessions = [good(1), bad(2), open(3)];
    let answers = 0;
    const openPoll: RunGateOptions['openPoll'] = async () => async (_id) => {
      answers += 1;
      if (answers > 3) now();
      return { kind: 'body', body: sessions.find(({ checkSessionId }) => checkSessionId === _id) };
    };
    const { ended, stdout, stderr } = await runTestGate(sessions, { gate: { signal, openPoll } });
    expect(ended).toMatchObject({ exitCode: 130 });
    expect(stdout).toBe('');
    expect(stderr).toContain(
      'Results so far: 1 passed, 1 failed: Check 2\n' +
        `Still running: Check 3 (${idOf(3).slice(0, 8)})\n` +
        `To continue waiting, run:\n  sonde sessions wait ${idOf(3)}\n`,
    );
  });

  test('with a way to stop them: what was cancelled, and of what that is not sure, how to go on', async () => {
    const { signal, now } = stop();
    const openPoll: RunGateOptions['openPoll'] = async () => async () => {
      now();
      return { kind: 'pending' };
    };
    const options = { signal, openPoll, stop: async (id: string) => id === idOf(1) };
    const { ended, stderr } = await runTestGate([open(1), open(2)], { gate: options });
    expect(ended).toMatchObject({ exitCode: 130 });
    expect(stderr).toContain(
      `Cancelled: ${idOf(1)}\nStill running: ${idOf(2)}\n` +
        `To continue waiting, run:\n  sonde sessions wait ${idOf(2)}\n`,
    );
  });

  test('with a thousand that run, it names a few', async () => {
    const { signal, now } = stop();
    const sessions = Array.from({ length: 1000 }, (_, index) => open(index + 1));
    const openPoll: RunGateOptions['openPoll'] = async () => async () => {
      now();
      return { kind: 'pending' };
    };
    const again = (ids: readonly string[]) => `sonde sessions wait - < ${ids.length}.txt`;
    const { stderr } = await runTestGate(sessions, { gate: { signal, openPoll, resumeCommand: again } });
    const first = [1, 2, 3].map(idOf).join(', ');
    expect(stderr).toContain(
      `Still running: 1000 sessions, including ${first} and 997 more\n` +
        'To continue waiting, run:\n  sonde sessions wait - < 1000.txt\n',
    );
  });

  test('while it asks why: at once, with what was seen', async () => {
    const { signal, now } = stop();
    const sources: RunGateOptions['errorSources'] = async () => {
      now();
      return new Promise(() => {});
    };
    const { ended, stdout, stderr, took } = await runTestGate([good(1), bad(2)], {
      gate: { signal, errorSources: sources },
    });
    expect(ended).toMatchObject({ exitCode: 130 });
    expect(took).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('Results so far: 1 passed, 1 failed: Check 2\n');
    expect(stderr).not.toContain('Still running');
  });

  test('while it prints to somebody who does not read', async () => {
    const { signal, now } = stop();
    const change = (terminal: Terminal): Terminal => ({
      ...terminal,
      out: () => {
        now();
        return new Promise(() => {});
      },
    });
    const { ended, stderr } = await runTestGate([good(1)], { gate: { signal }, change });
    expect(ended).toMatchObject({ exitCode: 130 });
    expect(stderr).toContain('Results so far: 1 passed\n');
  });
});

test('a passed session with a failed result fails in the exit code and in every report', async () => {
  const session = sessionWith(1, 'PASSED', [{ at: 'eu-west-1', is: 'failed' }]);
  const told: GateSnapshot[] = [];
  const report = async (snapshot: GateSnapshot) => void told.push(snapshot);
  const { ended, stderr } = await runTestGate([session], { gate: { report } });
  expect(ended).toMatchObject({ exitCode: 1, message: 'Check 1 failed at eu-west-1' });
  const contradiction = 'the status of the session is PASSED, but a result says otherwise';
  expect(stderr).toContain(contradiction);
  const facts = reportData(told.at(-1) as GateSnapshot, '1.2.3', (text) => text);
  expect(toJunit(facts)).toMatch(/ failures="1" /);
  for (const text of [toJunit(facts), toAnnotations(facts), toMarkdown(facts)])
    expect(text).toContain(contradiction);
});
