/** Text of a service in every place that a service can put it: it drives no terminal, deceives nobody, and floods nothing. */
import { describe, expect, it } from 'vitest';
import { failedSession, passedSession, runningSession } from '../screens/sessions.ts';
import { DRIVING, FLOODING, poisoned } from '../support/hostile.ts';
import { answer, type ScriptedAnswer, serveSockets, serveWith } from '../support/http.ts';
import { sampleOf } from '../support/sampled.ts';
import { type Screen, type ScreenOptions, screenOf } from '../support/screen/screen.ts';

const ALL = Object.entries(DRIVING)
  .map(([what, text]) => `${what} ${text}`)
  .join(' ');
const ID = passedSession.checkSessionId;
const GET = ['sessions', 'get', ID];
/** What the lines that move are drawn with; all else that drives a terminal is somebody else's. */
const OURS = new RegExp(`${'\x1b'}\\[(?:\\d+(?:;\\d+)*m|\\?25[lh]|\\?7[lh]|K|J|\\d+A|\\d+G)`, 'g');
const DECEIVING = /(?![\r\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

function expectHarmless({ written, title, isAlternate, done, rows }: Screen, mostRows = 60): void {
  expect({ title, isAlternate, done }).toEqual({ title: undefined, isAlternate: false, done: [] });
  expect(DECEIVING.exec(written.replaceAll(OURS, ''))).toBeNull();
  expect(/\p{M}{9}|[\u200b-\u200d\u2060\ufeff]{5}/u.exec(written)).toBeNull();
  expect(rows.length).toBeLessThanOrEqual(mostRows);
}

const at = (url: string) => ({ SONDE_BASE_URL: url, SONDE_API_KEY: 'key-of-the-test' });
async function answering(
  step: ScriptedAnswer,
  args: readonly string[],
  options: ScreenOptions = {},
): Promise<Screen> {
  const { url } = await serveWith((_request, response) => answer(response, step));
  return screenOf([...args, '--retry-budget', '0s'], {
    columns: 100,
    ...options,
    env: { ...at(url), ...options.env },
  });
}

const page = {
  entries: poisoned([passedSession, failedSession, runningSession], ALL),
  nextId: null,
  length: 3,
};
const refusal = {
  status: 422,
  headers: { 'x-request-id': 'id \x9b31m\x9d0;owned\x9c' },
  body: {
    message: ALL,
    attributes: {
      violations: [{ path: ['a', ALL], message: ALL, allowed: [ALL, 'b'], nearest: ALL }],
      [ALL]: ALL,
    },
  },
};

describe('in a terminal, hostile text', () => {
  const places: readonly (readonly [where: string, step: ScriptedAnswer, args: readonly string[]])[] = [
    ['in a table', { body: page }, ['sessions', 'list']],
    ['in a table of chosen columns', { body: page }, ['sessions', 'list', '--fields', 'name,status,results']],
    ['in a card', { body: poisoned(failedSession, ALL) }, GET],
    ['in a card without colour', { body: poisoned(failedSession, ALL) }, [...GET, '--no-color', '--plain']],
    ['in JSON', { body: poisoned(failedSession, ALL) }, [...GET, '--json']],
    ['in JSON through jq', { body: poisoned(failedSession, ALL) }, [...GET, '--jq', '.name']],
    ['in lines of JSON', { body: page }, ['sessions', 'list', '-o', 'jsonl']],
    ['in YAML', { body: poisoned(failedSession, ALL) }, [...GET, '-o', 'yaml']],
    ['in CSV', { body: page }, ['sessions', 'list', '-o', 'csv']],
    ['in TSV', { body: page }, ['sessions', 'list', '-o', 'tsv']],
    ['in names of fields', { body: { [ALL]: ALL, ok: { [ALL]: 1 } } }, ['api', 'get', '/v1/x']],
    [
      'in a text that is no JSON',
      { body: ALL, headers: { 'content-type': 'text/plain' } },
      ['api', 'get', '/v1/x'],
    ],
    ['in a refusal', refusal, GET],
    ['in a refusal as JSON', refusal, [...GET, '--json']],
    ['in a refusal of an unknown shape', { status: 400, body: { [ALL]: [ALL] } }, GET],
    ['in a refusal that is a text', { status: 500, body: ALL }, GET],
    ['in the title of a page', { status: 502, body: `<html><title>${ALL}</title></html>` }, GET],
    ['in the trace of a refusal', refusal, [...GET, '--trace']],
    ['in a redirect', { status: 302, headers: { location: 'https://\x9b31m.example/\x9d0;owned\x9c' } }, GET],
    [
      'in the type of an answer',
      { body: 'x', headers: { 'content-type': 'text/\x9b31m', 'retry-after': '\x9b2J' } },
      GET,
    ],
    [
      'in what a gate waits for and tells',
      { body: poisoned(failedSession, ALL, ['checkSessionId', 'status']) },
      ['sessions', 'wait', failedSession.checkSessionId],
    ],
  ];
  it.each(sampleOf(places, 4))('%s does nothing', async (_where, step, args) => {
    const screen = await answering(step, args);
    expectHarmless(screen, 2_000);
    expect(screen.code).not.toBe(70);
    expect(screen.rows.length).toBeGreaterThan(0);
    expect(screen.cursor).toEqual({ x: 0, y: screen.rows.length });
  });

  it('on the lines that move does nothing', async () => {
    const body = poisoned(runningSession, ALL, ['checkSessionId', 'status']);
    const { url } = await serveWith(({ url: asked }, response) =>
      asked.includes('completion')
        ? void setTimeout(() => answer(response, { status: 408, body: { message: ALL } }), 50)
        : answer(response, { body }),
    );
    const args = ['sessions', 'wait', runningSession.checkSessionId];
    const until = runningSession.checkSessionId.slice(0, 8);
    const screen = await screenOf(args, { columns: 100, env: at(url), until });
    expectHarmless(screen);
    expect(screen.written).toContain('\x1b[?25l');
  });

  it('in a picker does nothing', async () => {
    const { url } = await serveWith((_request, response) => answer(response, { body: page }));
    const screen = await screenOf(['sessions', 'get'], { columns: 100, env: at(url), until: 'to search' });
    expect({ title: screen.title, isAlternate: screen.isAlternate, done: screen.done }).toEqual({
      title: undefined,
      isAlternate: false,
      done: [],
    });
    expect(screen.rows.join('\n')).not.toMatch(DECEIVING);
  });

  it.each(sampleOf(Object.entries(DRIVING), 3))(
    'that would be %s is told as text, and nothing after it is lost',
    async (_what, text) => {
      const { rows, ...screen } = await answering(
        { status: 400, body: { message: `before ${text} after` } },
        GET,
      );
      expectHarmless({ rows, ...screen }, 10);
      expect(rows.join(' ')).toMatch(/^Error: before .*after GET /);
    },
  );

  it.each([
    ['in the words beside the status', 'HTTP/1.1 500 \x1b]0;owned\x07\x9b2J\r\n\r\n'],
    ['in a header', 'HTTP/1.1 400 Bad\r\nx-request-id: \x1b]0;owned\x07\r\ncontent-length: 0\r\n\r\n'],
    ['instead of HTTP', '\x1b]0;owned\x07\x1b[2J\r\n\r\n'],
  ])('%s does nothing', async (_where, bytes) => {
    const { url } = await serveSockets((socket) => socket.once('data', () => socket.end(bytes, 'latin1')));
    for (const more of [[], ['--trace'], ['--json']]) {
      const screen = await screenOf([...GET, '--retry-budget', '0s', ...more], {
        columns: 100,
        env: at(url),
      });
      expectHarmless(screen);
      expect([3, 6]).toContain(screen.code);
    }
  });
});

describe('in a terminal, a flood', () => {
  it.each(sampleOf(Object.entries(FLOODING), 1))(
    'of %s in an error is a screen at most, and says where the rest is',
    async (what, text) => {
      const body = { message: text, attributes: { violations: [{ path: [text], message: text }] } };
      const screen = await answering({ status: 400, body }, GET, { rows: 50 });
      expectHarmless(screen, 60);
      if (/lines|words|word/.test(what))
        expect(screen.rows.join('\n')).toMatch(/more characters; --json shows all/);
      // Nothing hides on one letter: what was written is about what is seen.
      expect(screen.written.length).toBeLessThan(20_000);
    },
  );

  it('of details is counted after some', async () => {
    const violations = Array.from({ length: 10_000 }, (_, index) => ({
      path: [`field${index}`],
      message: 'is wrong',
    }));
    const screen = await answering({ status: 400, body: { message: 'no', attributes: { violations } } }, GET);
    expectHarmless(screen, 30);
    expect(screen.rows).toContain('  and 9980 more; --json lists all');
  });

  it.each([
    ['objects', '{"a":', '}'],
    ['lists', '[', ']'],
    ['errors', '{"error":', '}'],
    ['violations', '{"errors":[', ']}'],
  ])('of %s within each other is no bug', async (_what, open, close) => {
    const body = `${open.repeat(50_000)}"deep"${close.repeat(50_000)}`;
    for (const more of [[], ['--trace']]) {
      const screen = await answering({ status: 400, body }, [...GET, ...more]);
      expectHarmless(screen, 120);
      expect(screen.code).toBe(3);
    }
  });

  it.each(sampleOf(Object.entries(FLOODING), 1))(
    'of %s in a card says how much more there is',
    async (what, text) => {
      const screen = await answering({ body: { ...passedSession, name: text } }, GET);
      expectHarmless(screen, 400);
      if (/lines|words|word/.test(what))
        expect(screen.rows.join(' ')).toMatch(/more +characters; --json shows all/);
    },
  );

  it.each(sampleOf(Object.entries(FLOODING), 1))(
    'of %s in a row of a table leaves the row',
    async (_what, text) => {
      const entries = [{ ...passedSession, name: text }];
      const screen = await answering({ body: { entries, nextId: null, length: 1 } }, ['sessions', 'list']);
      expectHarmless(screen, 8);
    },
  );
});
