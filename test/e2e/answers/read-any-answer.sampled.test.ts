/** Every reading command over answers that deployments may give: it prints them, whatever is missing, null, unknown or hostile. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../../src/base/object.ts';
import type { EndpointDefinition } from '../../../src/contract/endpoint.ts';
import { table } from '../../../src/contract/endpoints/index.ts';
import { type AnswerSchema, answersOf } from '../../support/answers.ts';
import { answer, serveWith } from '../../support/http.ts';
import { sondeInProcess } from '../../support/in-process.ts';
import { runs } from '../../support/sampled.ts';
import { readPublishedDocument } from '../published/document.ts';

const ID = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
/** The lines that only read. */
const LINES = [
  ...['alert-channels list', 'alert-channels get 12', 'alert-notifications list', 'checks list'],
  ...[`checks get ${ID}`, `checks results ${ID}`, `checks results ${ID} --all`, 'dashboards list'],
  ...[`dashboards get ${ID}`, `error-groups list ${ID}`, 'groups list', 'groups get 12', 'incidents list'],
  ...[`incidents get ${ID}`, 'maintenance list', 'maintenance get 12', 'maintenance list -o ical'],
  ...['private-locations list', `private-locations get ${ID}`, 'services list', `services get ${ID}`],
  ...['sessions list', `sessions get ${ID}`, 'snippets list', 'snippets get 12', 'static-ips'],
  ...['status-pages list', `status-pages get ${ID}`, `test-sessions get ${ID}`, `triggers get ${ID}`],
  ...['triggers get 12', 'variables list', 'variables get KEY', 'api GET /v1/checks', 'whoami'],
  ...['client-certificates list', `client-certificates get ${ID}`],
];

/** Fields without which nothing can be addressed or counted. */
const KEEPS = ['id', 'key', 'checkSessionId', 'testSessionId', 'dashboardId', 'entries', 'length'];

/** How they are read. */
const WAYS = [
  { flags: [], isTTY: true },
  { flags: [], isTTY: false },
  { flags: ['-o', 'table', '--no-color'], isTTY: false },
  { flags: ['--json'], isTTY: false },
  { flags: ['-o', 'yaml'], isTTY: false },
  { flags: ['-o', 'csv'], isTTY: false },
] as const;

interface ReadEndpoint {
  readonly matches: RegExp;
  readonly parameters: number;
  readonly answers: fc.Arbitrary<unknown>;
}
const readEndpoint = (path: string, answers: fc.Arbitrary<unknown>): ReadEndpoint => ({
  matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  parameters: path.split('{').length,
  answers,
});

/** Of our contract, without regard for what it requires: deployments require less. */
const contractual = (Object.values(table) as readonly EndpointDefinition[])
  .filter(({ method, response, file }) => method === 'GET' && response.schema && !file)
  .map(({ path, response }) =>
    readEndpoint(path, answersOf(response.schema as AnswerSchema, { keeps: KEEPS })),
  );
/** A copy of the published document, for a run by hand: it is not part of this repository. */
const file = process.env.SONDE_PUBLISHED_OPENAPI;
const endpoints = (file === undefined ? contractual : publishedAnswers(file)).sort(
  (a, b) => a.parameters - b.parameters,
);

/** Answers by the required fields of the published document. */
function publishedAnswers(name: string): ReadEndpoint[] {
  return Object.entries(readPublishedDocument(name).paths).flatMap(([path, { get }]) => {
    const schema = get?.responses['200']?.content?.['application/json']?.schema;
    return schema === undefined ? [] : [readEndpoint(path, answersOf(schema, { keeps: [] }))];
  });
}

/** The answer to a path in a round. */
function answerTo(path: string, seed: number): unknown {
  const endpoint = endpoints.find(({ matches }) => matches.test(path));
  if (!endpoint) return undefined;
  const [body] = fc.sample(endpoint.answers, { seed, numRuns: 1 });
  if (!isObject(body)) return body;
  return {
    ...body,
    ...(typeof body.nextId === 'string' ? { nextId: whole(body.nextId) } : {}),
    // A page that announces more than it contains is refused.
    ...(typeof body.length === 'number' && Array.isArray(body.entries)
      ? { length: body.entries.length }
      : {}),
  };
}
/** Replaces halves of characters, which an address cannot carry. */
const whole = (text: string): string => Buffer.from(text).toString();

/** What no reader may see. */
const BROKEN = /\bundefined\b|\[object Object\]|\bNaN\b|Invalid Date|^\s+at \S+ \(|bug in sonde/m;

describe.each(LINES)('%s', (line) => {
  it('prints any answer', async () => {
    let seed = 0;
    const server = await serveWith(({ url }, response) => {
      const [path = '', query = ''] = url.split('?');
      const body = answerTo(path, seed);
      const page =
        query.includes('nextId=') && body !== undefined ? { ...(body as object), nextId: null } : body;
      answer(response, page === undefined ? { status: 404, body: { message: 'Not Found' } } : { body: page });
    });
    const env = {
      HOME: '/nonexistent',
      SONDE_BASE_URL: server.url,
      SONDE_API_KEY: 'key-of-the-test',
      TZ: 'UTC',
    };
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.constantFrom(...WAYS), async (drawn, { flags, isTTY }) => {
        seed = drawn;
        const args = line.includes(' -o ') ? line.split(' ') : [...line.split(' '), ...flags];
        const { code, stdout, stderr } = await sondeInProcess(args, { env, isTTY });
        expect(stdout + stderr).not.toMatch(BROKEN);
        expect(code, stderr).toBe(0);
      }),
      { numRuns: runs(6, 40) },
    );
  });
});
