/** `sonde sessions logs`: console lines and errors of each result, and results that arrive later. */
import { describe, expect, it } from 'vitest';
import { command as logs } from '../../../commands/sessions/logs.ts';
import { createManualClock } from '../../support/clock.ts';
import { type LineOptions, runLine, serviceAt } from '../../support/command.ts';
import { type ScriptedAnswer, serve } from '../../support/http.ts';

const SESSION = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10';
const CHECK = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
const resultId = (number: number) => `01a21932-eea4-712c-9a2f-90858032b70${number}`;

const session = (status: string, ...results: readonly object[]): ScriptedAnswer => ({
  body: { checkSessionId: SESSION, checkId: CHECK, checkType: 'BROWSER', status, results },
});
const item = (number: number, more: object = {}) => ({
  ...{ checkResultId: resultId(number), checkId: CHECK, name: 'Login', ...more },
});
const result = (number: number, more: object = {}): ScriptedAnswer => ({
  body: { id: resultId(number), name: 'Login', checkId: CHECK, runLocation: 'eu-west-1', ...more },
});

const BROWSER = {
  responseTime: 582,
  browserCheckResult: {
    console: [
      { from: 'script', level: 'stdout', text: 'open the shop', atMs: 180 },
      { from: 'page', level: 'warning', text: 'old \u001b[31mAPI', atMs: 360.4 },
      { from: 'page-error', level: 'error', text: 'Error: boom\n    at app.js:1', atMs: 12_340 },
    ],
    dropped: { lines: 2 },
  },
};

async function print(answers: readonly ScriptedAnswer[], argv: readonly string[], options: LineOptions = {}) {
  const server = await serve(...answers);
  const clock = createManualClock();
  const env = { ...serviceAt(server.url), TERM: 'xterm', NO_COLOR: '1' };
  const outcome = await clock.run(runLine(logs, [SESSION, ...argv], { env, clock, ...options }));
  return { ...outcome, urls: server.requests.map(({ url }) => url) };
}

describe('sessions logs', () => {
  it('prints the lines of each result below its heading in a terminal, without escape sequences', async () => {
    const failed = item(2, { hasFailures: true });
    const answers = [
      session('FAILED', item(1, { hasFailures: true }), failed),
      result(1, { ...BROWSER, resultType: 'ATTEMPT' }),
      result(2, { runLocation: 'eu-central-1', errors: ['login: no button', { message: 'cart: empty' }] }),
    ];
    const { code, stdout, urls } = await print(answers, [], { isTTY: true });
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'Login · eu-west-1 · attempt · FAILED · 582ms',
        '     0.18s  stdout        open the shop',
        '     0.36s  page warning  old API',
        '    12.34s  page error    Error: boom',
        '                              at app.js:1',
        '  2 more lines exceeded the limit and were not stored.',
        'Login · eu-central-1 · FAILED',
        '            error  login: no button',
        '            error  cart: empty',
        '',
      ].join('\n'),
    );
    expect(urls.slice(1)).toEqual([1, 2].map((each) => `/v1/check-results/${CHECK}/${resultId(each)}`));
  });

  it('has the lines of the setup and teardown scripts of an API check, as JSON', async () => {
    const line = { from: 'script', level: 'stderr', text: 'no token', atMs: 3 };
    const scripts = [{ phase: 'setup', console: [line] }, { phase: 'teardown' }];
    const { stdout } = await print(
      [session('PASSED', item(1)), result(1, { apiCheckResult: { scripts } })],
      ['--json'],
    );
    expect(JSON.parse(stdout)).toMatchObject([
      { ...{ source: 'setup', level: 'stderr', text: 'no token', atMs: 3, status: 'PASSED' } },
    ]);
  });

  it('follows the session until it ends, and prints each result once', async () => {
    const answers = [
      session('STARTED'),
      session('PROGRESS', item(1)),
      result(1, BROWSER),
      session('PASSED', item(1), item(2, { isDegraded: true })),
      result(2, { errors: ['slow'] }),
    ];
    const { code, stdout } = await print(answers, ['--follow', '--json']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ text, status }) => [text.split('\n')[0], status])).toEqual([
      ['open the shop', 'PASSED'],
      [BROWSER.browserCheckResult.console[1]?.text, 'PASSED'],
      ['Error: boom', 'PASSED'],
      ['slow', 'DEGRADED'],
    ]);
    expect(code).toBe(0);
  });

  it('says that a session still runs, that it has no results, and that details are gone', async () => {
    const running = await print([session('PROGRESS')], []);
    expect(running.stderr).toContain('To print further results, pass --follow.');
    expect((await print([session('CANCELLED')], [])).stderr).toBe('The session has no results.\n');
    const answers = [session('PASSED', item(1)), { status: 404, body: { message: 'no such result' } }];
    const gone = await print(answers, []);
    expect([gone.code, gone.stderr]).toEqual([
      0,
      expect.stringContaining('Warning: The service has no details'),
    ]);
  });

  it('rejects a format that needs all rows, with --follow', async () => {
    const { code, stderr } = await print([], ['--follow', '-o', 'yaml']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--follow cannot be combined with -o yaml')]);
  });
});
