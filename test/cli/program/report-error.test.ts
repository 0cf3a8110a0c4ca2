/** What a user sees of a command besides its result: errors and exit codes. */
import { describe, expect, it } from 'vitest';
import {
  ApiError,
  CancelledError,
  CredentialsError,
  DeclinedError,
  NetworkError,
  OutputError,
  PartialFailureError,
  UsageError,
  VerdictError,
} from '../../../src/base/errors.ts';
import { defineCommand } from '../../../src/cli/framework/index.ts';
import type { Command } from '../../../src/cli/framework/types.ts';
import { runCommand } from '../../../src/cli/program/run-command.ts';
import { toSecret } from '../../../src/profiles/secret.ts';
import { saveProfile } from '../../../src/profiles/store.ts';
import { createManualClock } from '../../support/clock.ts';
import { makeHost, runLine } from '../../support/command.ts';
import { serve } from '../../support/http.ts';

const SAVED = 'sk_saved-key-of-nobody';

/** A command that ends as it is told to. */
const ending = (work: () => unknown): Command =>
  defineCommand({
    name: 'test end',
    summary: 'End',
    examples: [],
    run: async () => {
      await work();
    },
  });
const throwing = (error: unknown): Command =>
  ending(() => {
    throw error;
  });
const refusal = (status: number) => new ApiError('no', { status, endpoint: 'GET /v1/x', requestId: 'r-1' });

describe('exit codes', () => {
  it.each([
    [1, new VerdictError('bad', 1)],
    [2, new UsageError('wrong')],
    [3, refusal(400)],
    [4, refusal(403)],
    [4, new CredentialsError('none')],
    [5, refusal(404)],
    [6, refusal(503)],
    [6, new NetworkError('gone')],
    [8, new PartialFailureError('some', 8)],
    [9, new DeclinedError('no')],
    [70, new TypeError('undefined is not a function')],
    [70, 'a text'],
    [74, new OutputError('full')],
    [130, new CancelledError('SIGINT')],
  ])('%i', async (code, error) => {
    expect((await runLine(throwing(error), [])).code).toBe(code);
  });

  it('know an error of a late bundle by what it carries', async () => {
    const foreign = Object.assign(new Error('busy'), {
      kind: 'usage',
      exitCode: 2,
      details: [],
      hint: 'wait',
    });
    const { code, stderr } = await runLine(throwing(foreign), []);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'Error: busy\nwait\n' });
  });
});

describe('errors', () => {
  it('are not listed again where the sentence holds them all', async () => {
    const details = [
      { place: 'limit', message: 'must be at most 100' },
      { place: 'page', message: 'must be at least 1' },
    ];
    const message = details.map((each) => `query parameter ${each.place} ${each.message}`).join('; ');
    const error = new ApiError(message, { status: 400, endpoint: 'GET /x' }, { details });
    const { stderr } = await runLine(throwing(error), []);
    expect(stderr).toBe(`Error: ${message}\nGET /x: 400\n`);
  });

  it('are a sentence, their details and a hint, on stderr', async () => {
    const error = new ApiError(
      'The request is not valid',
      { status: 400, endpoint: 'POST /v1/x' },
      {
        hint: 'mend it',
        details: [
          { place: 'name', message: 'is too long' },
          { place: 'tags[0]', message: 'must be a text', nearest: 'web' },
        ],
      },
    );
    expect(await runLine(throwing(error), [])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'Error: The request is not valid\n  name is too long\n  tags[0] must be a text (did you mean web?)\nPOST /v1/x: 400\nmend it\n',
    });
  });

  it('name the values that would be accepted where the rule does not, and none where one is meant', async () => {
    const allowed = ['GET', 'PUT'];
    const details = [
      { place: 'method', message: 'must be a method', allowed },
      { place: 'verb', message: 'must be GET or PUT', allowed },
      { place: 'word', message: 'is unknown', allowed, nearest: 'PUT' },
      {
        place: 'number',
        message: 'is unknown',
        allowed: Array.from({ length: 13 }, (_, index) => `n${index}`),
      },
    ];
    expect((await runLine(throwing(new UsageError('wrong', { details })), [])).stderr.split('\n')).toEqual([
      'Error: wrong',
      '  method must be a method; allowed: GET, PUT',
      '  verb must be GET or PUT',
      '  word is unknown (did you mean PUT?)',
      '  number is unknown',
      '',
    ]);
  });

  const TRACE = 'To see the requests and responses, run the command again with --trace.\n';
  const answered = (status: number, more: Partial<ConstructorParameters<typeof ApiError>[1]> = {}) =>
    new ApiError('no', { status, endpoint: 'GET /x', ...more });
  it.each<[string, Error, readonly string[], string]>([
    [
      'a refusal with reasons',
      answered(400, { statusText: 'Bad\nRequest' }),
      [],
      'GET /x: 400 Bad Request\n',
    ],
    [
      'a fault of the service',
      answered(500, { requestId: 'r-1' }),
      [],
      `GET /x: 500, request id r-1\n${TRACE}`,
    ],
    ['a fault that is traced', answered(500), ['--trace'], 'GET /x: 500\n'],
    ['what is not of the API', answered(404, { fromApi: false }), [], `GET /x: 404\n${TRACE}`],
    [
      'an unusable answer',
      new NetworkError('answered 200 with a page', { status: 200, endpoint: 'GET /x', requestId: 'r-2' }),
      [],
      `GET /x: request id r-2\n${TRACE}`,
    ],
    ['no answer', new NetworkError('gone', { endpoint: 'GET /x' }), [], ''],
  ])('of %s say what answered, and how to see more where that helps', async (_what, error, argv, told) => {
    const { stderr } = await runLine(throwing(error), argv);
    expect(stderr).toBe(`Error: ${error.message}\n${told}`);
  });

  const flood = new ApiError(
    'word '.repeat(200_000),
    { status: 400, endpoint: 'GET /x' },
    {
      hint: 'hint '.repeat(200_000),
      details: Array.from({ length: 10_000 }, (_, index) => ({
        place: `p${index}`,
        message: 'bad '.repeat(500),
      })),
    },
  );
  it('do not flood a terminal, and say what was left out and how to see it', async () => {
    const { stderr } = await runLine(throwing(flood), ['--no-color'], { isTTY: true });
    const rows = stderr.split('\n');
    expect(rows.length).toBeLessThan(250);
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
    expect(rows[20]).toMatch(/^ {7}… \(\d+ more characters; --json shows all\)$/);
    expect(rows).toContain('  and 9980 more; --json lists all');
    expect(rows).toContain('  p19 bad bad bad bad bad bad bad bad bad bad bad bad bad bad bad bad bad bad');
    expect(rows.some((row) => row.includes('p20'))).toBe(false);
  });

  it('are whole for a program', async () => {
    const { stderr } = await runLine(throwing(flood), []);
    expect(stderr.match(/word /g)).toHaveLength(200_000);
    expect(stderr.match(/^ {2}p\d+ /gm)).toHaveLength(10_000);
    const json = await runLine(throwing(flood), ['--json'], { isTTY: true });
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { message: flood.message, details: flood.details },
    });
  });

  it.each([['--json'], ['-o', 'json'], ['--jq', '.']].map((argv) => [argv]))(
    'are one JSON object with %j',
    async (argv) => {
      const { stdout, stderr } = await runLine(throwing(refusal(404)), argv);
      expect(stdout).toBe('');
      expect(JSON.parse(stderr)).toEqual({
        error: {
          kind: 'api',
          message: 'no',
          status: 404,
          endpoint: 'GET /v1/x',
          requestId: 'r-1',
          details: [],
          hint: null,
        },
      });
    },
  );

  it('add nothing to a verdict that a program reads', async () => {
    expect(await runLine(throwing(new VerdictError('failed', 1)), ['--json'])).toEqual({
      code: 1,
      stdout: '',
      stderr: '',
    });
  });

  it('never show the key, not even in a bug', async () => {
    const error = new Error('cannot send Bearer abc.def with hunter2');
    for (const argv of [[], ['--json']]) {
      const { code, stderr } = await runLine(throwing(error), argv, { env: { SONDE_API_KEY: 'hunter2' } });
      expect(code).toBe(70);
      expect(stderr).toContain('bug in sonde');
      expect(stderr).not.toMatch(/hunter2|abc\.def/);
    }
  });

  it('never show a key that was saved, in whatever form, once it was put to use', async () => {
    const server = await serve({ body: [] });
    const command = defineCommand({
      name: 'some thing',
      summary: 'Something',
      examples: [],
      async run({ client }) {
        await (await client()).raw('GET', '/v1/x');
        throw new Error(`lost ${SAVED} and ${Buffer.from(SAVED).toString('base64')}`);
      },
    });
    const { host, screen } = await makeHost([], {});
    await saveProfile({ env: {}, home: host.home, warn: () => {} }, 'mine', {
      baseUrl: server.url,
      apiKey: toSecret(SAVED, 'the test'),
    });
    expect(await runCommand(command, host)).toBe(70);
    expect(screen.stderr()).toContain('lost *** and ***');
    expect(screen.stderr()).not.toContain(SAVED);
  });

  it('are stripped of what could drive a terminal', async () => {
    const { stderr } = await runLine(throwing(new NetworkError('a\u001b[31mb\u202ec')), []);
    expect(stderr).toBe('Error: abc\n');
  });

  it('are in colour only where that is wanted', async () => {
    const coloured = await runLine(throwing(new NetworkError('gone')), [], { isTTY: true });
    const plain = await runLine(throwing(new NetworkError('gone')), ['--no-color'], { isTTY: true });
    expect(coloured.stderr).toContain('\u001b[');
    expect(plain.stderr).toBe('Error: gone\n');
  });
});

describe('a signal', () => {
  it('decides the exit code, whatever the command makes of it', async () => {
    const stopping = new AbortController();
    const command = ending(() => {
      stopping.abort(new CancelledError('SIGTERM'));
      throw new Error('aborted');
    });
    expect((await runLine(command, [], { signal: stopping.signal })).code).toBe(143);
  });

  it('ends a command that does not listen after five seconds', async () => {
    const stopping = new AbortController();
    const clock = createManualClock();
    let running: Promise<{ code: number }> = Promise.resolve({ code: 0 });
    await new Promise<void>((started) => {
      const deaf = ending(() => {
        started();
        return new Promise(() => {});
      });
      running = runLine(deaf, [], { signal: stopping.signal, clock });
    });
    stopping.abort(new CancelledError('SIGINT'));
    await clock.advance(4999);
    expect(await Promise.race([running, 'still running'])).toBe('still running');
    await clock.advance(1);
    expect((await running).code).toBe(130);
  });
});

describe('what was thrown behind the back of a command', () => {
  it('is a bug, whatever its class', async () => {
    const { host, screen } = await makeHost([]);
    const crashed = Promise.reject(new Error('lost'));
    const code = await runCommand(
      ending(() => new Promise(() => {})),
      Object.assign(host, { crashed }),
    );
    expect(code).toBe(70);
    expect(screen.stderr()).toContain('lost');
  });
});
