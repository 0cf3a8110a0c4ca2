/** Error bodies of every kind that deployments send, and the sentence a person reads. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseErrorBody } from '../../src/client/error-body.ts';
import { RefusedError } from '../../src/client/index.ts';
import { deleteSnippet } from '../../src/contract/index.ts';
import { serve } from '../support/http.ts';
import { bench, KEY, rejection } from './fixtures.ts';

describe('the sentence of an error body', () => {
  const cases: readonly [string, unknown, string | undefined][] = [
    [
      'all four',
      { statusCode: 404, error: 'Not Found', message: 'No such check', attributes: {} },
      'No such check',
    ],
    ['only error', { error: 'Not Found' }, 'Not Found'],
    ['only message', { message: 'No such check' }, 'No such check'],
    ['a code', { message: 'Plan exhausted', errorCode: 'PLAN_LIMIT' }, 'Plan exhausted (PLAN_LIMIT)'],
    ['only a code', { errorCode: 'PLAN_LIMIT' }, 'PLAN_LIMIT'],
    ['an error in an error', { error: { message: 'Deep', code: 1 } }, 'Deep'],
    ['problem details', { type: 'about:blank', title: 'Forbidden', detail: 'Not yours' }, 'Not yours'],
    ['OAuth', { error: 'invalid_token', error_description: 'The token expired' }, 'The token expired'],
    [
      'a list of messages',
      { statusCode: 400, message: ['name is missing', 'script is missing'] },
      'name is missing',
    ],
    ['a JSON text', '"Too many requests"', 'Too many requests'],
    ['a plain text', 'upstream connect error\r\n  reset', 'upstream connect error'],
    ['a list', [{ message: 'one' }, { message: 'two' }], 'one'],
    ['nothing', '', undefined],
    ['an empty object', {}, undefined],
    ['null', 'null', undefined],
    ['a page within JSON', { message: 'Upstream said <html><body>x</body></html>' }, 'Upstream said'],
    [
      'a sentence with an angle',
      { message: 'must be < 5 and <id> must be set' },
      'must be < 5 and <id> must be set',
    ],
    ['control characters', { message: 'red \u001b[31mtext\u0000' }, 'red text'],
  ];
  it.each(cases)('of %s', (_name, body, message) => {
    expect(parseErrorBody(typeof body === 'string' ? body : JSON.stringify(body)).message).toBe(message);
  });

  it('is whole up to a million characters', () => {
    const ofLength = (length: number) =>
      parseErrorBody(JSON.stringify({ message: 'x'.repeat(length) })).message;
    expect(ofLength(1_000_000)).toBe('x'.repeat(1_000_000));
    expect(ofLength(5_000_000)).toHaveLength(1_000_000);
    expect(ofLength(5_000_000)?.endsWith('…')).toBe(true);
  });
});

describe('a page', () => {
  it.each([
    [
      'with a title',
      '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>x</body></html>',
      { what: 'a web page', title: '502 Bad Gateway' },
    ],
    [
      'with a heading alone',
      '<html><body><h1 class="a">Sorry &amp; bye</h1></body></html>',
      { what: 'a web page', title: 'Sorry & bye' },
    ],
    ['with neither', '<html><body>Sorry</body></html>', { what: 'a web page', title: undefined }],
    [
      'in XML',
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
      { what: 'an XML document', title: 'Access Denied' },
    ],
    [
      'whose title drives terminals and never ends',
      `<title>\x1b]0;owned\x07${'x '.repeat(400)}</title>`,
      { what: 'a web page', title: `${'x '.repeat(100).slice(0, 199)}…` },
    ],
  ])('%s is no message, and named', (_name, body, page) => {
    expect(parseErrorBody(body)).toEqual({ message: undefined, details: [], fromApi: false, page });
  });
});

describe('the details of an error body', () => {
  it('are the violations of this service', () => {
    const violations = [
      {
        in: 'body',
        path: ['request', 'assertions', 0, 'source'],
        message: 'is not known',
        allowed: ['A', 'B'],
        nearest: 'A',
      },
      { in: 'query', path: 'limit', message: 'must be at most 100' },
    ];
    const { details } = parseErrorBody(JSON.stringify({ message: 'Invalid', attributes: { violations } }));
    expect(details).toEqual([
      { place: 'request.assertions[0].source', message: 'is not known', allowed: ['A', 'B'], nearest: 'A' },
      { place: 'limit', message: 'must be at most 100' },
    ]);
  });

  it.each([
    ['a list of texts', { attributes: ['a is bad'] }, [{ place: '', message: 'a is bad' }]],
    ['a list of objects', { attributes: [{ field: 'a', message: 'bad' }] }, [{ place: 'a', message: 'bad' }]],
    ['a map to texts', { attributes: { a: 'bad' } }, [{ place: 'a', message: 'bad' }]],
    [
      'a map to lists',
      { attributes: { a: ['bad', 'worse'] } },
      [
        { place: 'a', message: 'bad' },
        { place: 'a', message: 'worse' },
      ],
    ],
    ['a map to objects', { attributes: { a: { message: 'bad' } } }, [{ place: 'a', message: 'bad' }]],
    ['a list of errors', { errors: [{ path: ['a', 'b'], msg: 'bad' }] }, [{ place: 'a.b', message: 'bad' }]],
    [
      'validation',
      { validation: { source: 'query', keys: ['limit'] } },
      [{ place: 'limit', message: 'is not valid in the query' }],
    ],
    ['nothing that can be read', { attributes: { a: true, b: null, c: [[]] } }, []],
  ])('are read from %s', (_name, body, details) => {
    expect(parseErrorBody(JSON.stringify({ message: 'Invalid', ...body })).details).toEqual(details);
  });

  it('are bounded', () => {
    const attributes = Array.from({ length: 30_000 }, () => 'x');
    expect(parseErrorBody(JSON.stringify({ attributes })).details).toHaveLength(20_000);
  });

  it('are the further lines of a text', () => {
    expect(parseErrorBody('Traceback\r\n  File "app.py"\n\nKeyError')).toEqual({
      message: 'Traceback',
      details: [
        { place: '', message: 'File "app.py"' },
        { place: '', message: 'KeyError' },
      ],
      fromApi: false,
    });
  });

  it.each([
    [
      { problem: { what: 'quota', limits: [5, { a: null, b: false }] } },
      [
        { place: 'problem.what', message: 'quota' },
        { place: 'problem.limits[0]', message: '5' },
        { place: 'problem.limits[1].b', message: 'false' },
      ],
    ],
    [
      [[1], [2]],
      [
        { place: '[0][0]', message: '1' },
        { place: '[1][0]', message: '2' },
      ],
    ],
  ])('are all values of a shape that nobody knows: %j', (body, details) => {
    expect(parseErrorBody(JSON.stringify(body))).toEqual({ message: undefined, details, fromApi: false });
  });

  it.each(['error', 'errors', 'x', 'attributes', 'details', 'violations'])(
    'are looked for in "%s" nested a hundred thousand times, without end',
    (name) => {
      const depth = 100_000;
      for (const [open, close] of [
        [`{"${name}":`, '}'],
        [`{"${name}":[`, ']}'],
      ] as const)
        expect(() => parseErrorBody(`${open.repeat(depth)}"deep"${close.repeat(depth)}`)).not.toThrow();
    },
  );
});

it('any body gives a line without markup, and never throws', () => {
  const html = fc.constantFrom(
    '<html>',
    '<HTML lang="x">',
    '<!DOCTYPE html>',
    '</body>',
    '< html',
    '<title>',
  );
  const text = fc.array(fc.oneof(fc.string(), html)).map((parts) => parts.join(''));
  const names = fc.constantFrom(
    'message',
    'error',
    'attributes',
    'validation',
    'keys',
    'errors',
    'path',
    'field',
    'x',
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof({ depthSize: 'small' }, text, fc.jsonValue(), tie('object'), fc.array(tie('json'))),
    object: fc.dictionary(names, tie('json')),
  }));
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        json.map((value) => JSON.stringify(value) ?? ''),
      ),
      (body) => {
        const { message, details } = parseErrorBody(body);
        const all = [
          message ?? '',
          ...details.flatMap((one) => [one.place, one.message, ...(one.allowed ?? []), one.nearest ?? '']),
        ];
        for (const line of all) {
          expect(line).not.toMatch(/<\s*(html|!doctype)/i);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      },
    ),
    { numRuns: 500 },
  );
});

describe('a refusal', () => {
  const refused = async (step: object, config = {}) => {
    const server = await serve(step);
    const call = bench(server.url, { retryBudgetMs: 0, ...config }).client.call(deleteSnippet, {
      params: { id: 1 },
    });
    return rejection(call, RefusedError);
  };

  it('carries status, endpoint, request id, details and the body as it came', async () => {
    const body = {
      statusCode: 409,
      error: 'Conflict',
      message: 'In use',
      attributes: { checks: ['c1 uses it'] },
    };
    const error = await refused({ status: 409, body, headers: { 'cf-ray': '8f-FRA' } });
    expect(error).toMatchObject({
      message: 'In use',
      status: 409,
      exitCode: 3,
      kind: 'api',
      endpoint: 'DELETE /v1/snippets/{id}',
      requestId: '8f-FRA',
      details: [{ place: 'checks', message: 'c1 uses it' }],
      text: JSON.stringify(body),
      fromApi: true,
    });
  });

  it.each([
    [401, 4, /sonde login.*\n.*key has access/],
    [402, 3, /plan/],
    [403, 4, /no permission/],
    [404, 5, /check the ID/],
    [413, 3, /smaller/],
    [429, 6, /too many requests/],
  ])('%i exits with %i and shows a way out', async (status, exitCode, hint) => {
    const error = await refused({ status, body: { message: 'no' } });
    expect(error).toMatchObject({ exitCode, hint: expect.stringMatching(hint) });
  });

  it('asks for an account where none was named', async () => {
    const error = await refused({ status: 403, body: { message: 'no' } }, { accountId: undefined });
    expect(error.hint).toMatch(/--account/);
  });

  it('of a web page is told by its title and points at the base URL', async () => {
    const body = '<html><head><title>404 Not Found</title></head><body><center>nginx</center></body></html>';
    const error = await refused({ status: 404, body });
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:\d+ responded with 404 Not Found and a web page$/,
      ),
      fromApi: false,
      hint: expect.stringMatching(/base URL/),
    });
  });

  it.each([
    [401, /key was not checked/],
    [403, /key was not checked/],
    [502, /proxy or load balancer/],
    [511, /sign in, open .*browser/],
  ])('of a web page with %i says who may have written it', async (status, hint) => {
    const error = await refused({ status, body: '<html><title>Sign &lt;in</title></html>' });
    expect(error.message).toMatch(/and a web page: "Sign {1,2}in"$/);
    expect(error.hint).toMatch(hint);
  });

  it('of a shape that nobody knows is told by its status and all its values', async () => {
    expect(await refused({ status: 422, body: { quota: 5 } })).toMatchObject({
      message: 'the service responded with 422 Unprocessable Entity',
      details: [{ place: 'quota', message: '5' }],
      fromApi: false,
    });
  });

  it('without a reason is told by its status', async () => {
    expect((await refused({ status: 418 })).message).toBe(
      "the service responded with 418 I'm a Teapot without a reason",
    );
  });

  it('never repeats the key that the service repeated', async () => {
    const body = { message: `Unknown key ${KEY}`, attributes: [`key ${KEY} is bad`] };
    const error = await refused({ status: 401, body });
    expect(JSON.stringify([error.message, error.details, error.hint, error.text])).not.toContain(KEY);
    expect(error.message).toBe('Unknown key ***');
  });
});
