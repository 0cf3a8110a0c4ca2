/** What the gate takes for an answer, over real sockets: a whole 200 about the session, which says one thing. */
import { describe, expect, it } from 'vitest';
import { NetworkError } from '../../../src/base/errors.ts';
import { pollCheckSessions, pollTestSessions } from '../../../src/gate/index.ts';
import { bench, SESSION } from '../../client/fixtures.ts';
import { type ScriptedAnswer, serve } from '../../support/http.ts';

const PASSED = { checkSessionId: SESSION, testSessionId: SESSION, status: 'PASSED', results: [] };
const kinds = [
  ['check sessions', pollCheckSessions],
  ['test sessions', pollTestSessions],
] as const;

async function answerTo(ask: (typeof kinds)[number][1], maxWaitSeconds: number, answer: ScriptedAnswer) {
  const server = await serve(answer);
  const { client } = bench(server.url);
  return ask(client)(SESSION, maxWaitSeconds, new AbortController().signal);
}

describe.each(kinds)('an answer about %s', (_, ask) => {
  it.each([0, 5])('is its body where it is a whole 200 (waiting %i s)', async (seconds) => {
    expect(await answerTo(ask, seconds, { body: PASSED })).toEqual({ kind: 'body', body: PASSED });
  });

  it.each([0, 5])('is a fault with any other success, whatever it says (waiting %i s)', async (seconds) => {
    for (const status of [201, 202, 203, 206, 299])
      expect(await answerTo(ask, seconds, { status, body: PASSED })).toMatchObject({
        kind: 'fault',
        error: expect.any(NetworkError),
      });
  });

  it.each([
    `{"checkSessionId":"${SESSION}","testSessionId":"${SESSION}","status":"FAILED","status":"PASSED"}`,
    `{"checkSessionId":"${SESSION}","testSessionId":"${SESSION}","status":"FAILED","st\\u0061tus":"PASSED"}`,
    `{"checkSessionId":"${SESSION}","testSessionId":"${SESSION}","status":"PASSED","results":[{"hasFailures":true,"hasFailures":false}]}`,
    `{"checkSessionId":"x","testSessionId":"x","status":"PASSED","checkSessionId":"${SESSION}","testSessionId":"${SESSION}"}`,
  ])('is a fault where it says two things: %s', async (body) => {
    expect(await answerTo(ask, 5, { body })).toMatchObject({
      kind: 'fault',
      error: { message: expect.stringContaining('twice') },
    });
  });

  it('may say the same name in different places, and names in texts', async () => {
    const told = {
      ...PASSED,
      name: '"status": "FAILED", {"status',
      results: [{ status: 'a' }, { status: 'b' }],
    };
    expect(await answerTo(ask, 5, { body: told })).toEqual({ kind: 'body', body: told });
  });

  it('may be long', async () => {
    const told = { ...PASSED, name: 'x"'.repeat(500_000), link: 'y'.repeat(2_000_000) };
    expect(await answerTo(ask, 5, { body: told })).toMatchObject({ kind: 'body' });
  });

  it('is a fault where it is longer than any session is', async () => {
    const told = { ...PASSED, name: 'x'.repeat(5 * 1024 * 1024) };
    expect(await answerTo(ask, 5, { body: told })).toMatchObject({
      kind: 'fault',
      error: { message: expect.stringContaining('more than 4 MiB') },
    });
  });

  it('may hold a long text of escape sequences, and what looks like a name in one', async () => {
    const told = { ...PASSED, name: 'a\n"status":\\"'.repeat(180_000) };
    expect(await answerTo(ask, 5, { body: told })).toMatchObject({ kind: 'body' });
  });

  it('is a fault where it is nested so deep that it could not be printed', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `${open.repeat(50_000)}0${close.repeat(50_000)}`;
      const body = `${JSON.stringify(PASSED).slice(0, -1)},"more":${deep}}`;
      expect(await answerTo(ask, 5, { body })).toMatchObject({
        kind: 'fault',
        error: { message: expect.stringContaining('levels') },
      });
    }
  });
});
