/** What errors look like to a person: what the service said, what stands before it, and what could not be reached. */
import { describe, expect, test } from 'vitest';
import { bareEnv, plain, sondeInTerminal } from '../support/binary.ts';
import { freePort } from '../support/free-port.ts';
import { answer, type ScriptedAnswer, serveWith } from '../support/http.ts';
import { expectScreen } from '../support/screen/capture.ts';

const ID = '0b5b2c1e-1111-4222-8333-444444444444';
const LINE = ['sessions', 'get', ID, '--retry-budget', '0s'];
const at = (url: string) => ({ SONDE_BASE_URL: url, SONDE_API_KEY: 'key-of-the-test' });
const page = (title: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body>…</body></html>`;

const answers: readonly (readonly [name: string, step: ScriptedAnswer])[] = [
  [
    'violations',
    {
      status: 400,
      headers: { 'x-request-id': 'req-7f3a' },
      body: {
        statusCode: 400,
        error: 'Bad Request',
        message: 'The request is not valid',
        attributes: {
          violations: [
            { path: ['name'], message: 'must not be empty' },
            {
              path: ['request', 'assertions', 0, 'comparison'],
              message:
                'must be a comparison that goes with the source of the assertion and the type of its target',
              allowed: ['EQUALS', 'CONTAINS'],
            },
          ],
        },
      },
    },
  ],
  ['unknown-shape', { status: 422, body: { problem: { kind: 'quota', limit: 5 }, see: ['a', 'b'] } }],
  [
    'text',
    { status: 500, headers: { 'x-request-id': 'r-5' }, body: 'Traceback:\n  app.py, line 3\nKeyError: id' },
  ],
  ['not-found', { status: 404, body: { message: 'session not found' } }],
  ['gateway-page', { status: 502, body: page('502 Bad Gateway'), headers: { 'x-request-id': 'edge-1' } }],
  ['captive-portal', { status: 200, body: page('Welcome to the Grand Hotel: please sign in') }],
  ['sign-in-redirect', { status: 302, headers: { location: 'https://login.corp.example/saml?secret=1' } }],
];

describe('an error', () => {
  test.each(answers)('that the service answers: %s', async (name, step) => {
    const { url } = await serveWith((_request, response) => answer(response, step));
    await expectScreen(`error-${name}`, LINE, { env: at(url) });
  });

  test('of a service that does not run', async () => {
    await expectScreen('error-refused', LINE, { env: at(`http://127.0.0.1:${await freePort()}`) });
  });

  test.each([60, 80, 140])('fits %d columns', async (columns) => {
    for (const [name, step] of answers) {
      const { url } = await serveWith((_request, response) => answer(response, step));
      const env = bareEnv('/nowhere', { ...at(url), NO_COLOR: '1' });
      const { screen } = await sondeInTerminal(LINE, { env, cwd: '/', columns });
      const rows = plain(screen).trimEnd().split('\n');
      expect(rows[0]).toMatch(/^Error: /);
      // A word is never broken: an address may be copied.
      const broken = rows.filter((row) => row.length > columns && row.trim().includes(' '));
      expect([name, broken]).toEqual([name, []]);
    }
  });
});
