/** Any endpoint, called by hand. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { command } from '../../commands/api.ts';
import { makeHome } from '../profiles/support/home.ts';
import { BINARY, bareEnv } from '../support/binary.ts';
import { type LineOptions, runLine, serviceAt } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { serve, serveWith } from '../support/http.ts';

const run = (url: string, line: readonly string[], options: LineOptions = {}) =>
  runLine(command, line, { ...options, env: { ...serviceAt(url), ...options.env } });
/** A line that is refused before it could reach anybody. */
const refused = (...line: string[]) => run('http://127.0.0.1:9', line);

describe('the request', () => {
  it('goes to the path with the query, the headers and the account', async () => {
    const server = await serve({ body: [] });
    const line = [
      'gEt',
      '/v1/x?a=1',
      '--query',
      'startsAt[gte]=2026-11-21',
      '--query',
      'q=a b&c',
      '--query',
      'q=',
    ];
    await run(server.url, [...line, '--header', 'X-Trace: yes', '--account', 'a-1']);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      url: '/v1/x?a=1&startsAt[gte]=2026-11-21&q=a%20b%26c&q=',
    });
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer key-of-the-test',
      'x-trace': 'yes',
      'x-service-account': 'a-1',
    });
  });

  it('sends a JSON file as it was written, and YAML as JSON', async () => {
    const server = await serve({ body: {} }, { body: {} });
    const files = { 'body.json': '{ "big": 12345678901234567890 }\n', 'body.yaml': 'a:\n  b: [1, x]\n' };
    for (const name of Object.keys(files)) await run(server.url, ['post', '/v1/x', '-f', name], { files });
    expect(server.requests.map(({ body }) => body)).toEqual([files['body.json'], '{"a":{"b":[1,"x"]}}']);
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
  });

  it('sends what is no JSON as it stands where the header says so', async () => {
    const server = await serve({ body: {} });
    const line = ['put', '/v1/x', '-f', '-', '--header', 'Content-Type: text/plain'];
    await run(server.url, line, { input: 'a: b\n' });
    expect(server.requests[0]).toMatchObject({ body: 'a: b\n' });
    expect(server.requests[0]?.headers['content-type']).toBe('text/plain');
  });

  it('puts fields over the file: typed ones, and texts whatever they look like', async () => {
    const server = await serve({ body: {} });
    const fields = [
      'a.c=true',
      'n=5',
      'zero=007',
      'list=[1,{"x":null}]',
      'nothing=null',
      'text=a=b',
      'five="5"',
    ];
    const line = ['patch', '/v1/x', '-f', '-', ...fields.flatMap((field) => ['--field', field])];
    await run(server.url, [...line, '--raw-field', 'raw=5', '--raw-field', 'a.d={'], {
      input: '{"a":{"b":1}}',
    });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      a: { b: 1, c: true, d: '{' },
      n: 5,
      zero: '007',
      list: [1, { x: null }],
      nothing: null,
      text: 'a=b',
      five: '5',
      raw: '5',
    });
  });

  it('is previewed by --dry-run without a profile, the key and secrets left out, and not sent', async () => {
    const line = ['post', '/v1/x', '--field', 'password=hush', '--header', 'X-Api-Key: hush', '--dry-run'];
    const { code, stdout } = await runLine(command, [...line, '--json'], { env: { SONDE_API_KEY: 'hush' } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', body: { password: '***' } });
    expect(stdout).not.toContain('hush');
    const server = await serve();
    expect((await run(server.url, line)).code).toBe(0);
  });

  it.each(['post', 'PATCH'])('by %s is never sent twice', async (method) => {
    const server = await serve({ status: 503, headers: { 'retry-after': '0' }, body: { message: 'later' } });
    const { code } = await run(server.url, [method, '/v1/x', '--field', 'a=1']);
    expect(code).toBe(6);
    expect(server.requests).toHaveLength(1);
  });

  it.each(['get', 'put', 'delete'])('by %s is tried again after a fault', async (method) => {
    const server = await serve({ status: 503, headers: { 'retry-after': '0' } }, { body: { done: true } });
    expect(await run(server.url, [method, '/v1/x'])).toMatchObject({ code: 0, stdout: '{"done":true}\n' });
  });

  it('goes nowhere without credentials', async () => {
    expect((await runLine(command, ['get', '/v1/x'])).code).toBe(4);
  });
});

describe('what is refused before anything is sent', () => {
  it.each([
    'v1/x',
    '//evil.example.com/x',
    'https://evil.example.com/x',
    '/v1/../x',
    '/v1/%2E%2e/x',
    '/v1/..%2fx',
    '/./x',
    '/v1\\x',
    '/v1/x y',
    '/v1/x\n',
    '/x#y',
    '/v1/checks/{id}',
    '',
  ])('the path %j', async (path) => {
    const { code, stderr } = await refused('get', path);
    expect(code).toBe(2);
    expect(stderr).toContain('<path>');
  });

  it.each([
    'Authorization: Bearer x',
    'HOST: x',
    'x-service-account: x',
    'Content-Length: 1',
    'Connection: close',
  ])('the header %s', async (header) => {
    const { code, stderr } = await refused('get', '/x', '--header', header);
    expect(code).toBe(2);
    expect(stderr).toContain(header.split(':')[0]);
  });

  it('the header in which the profile carries the account', async () => {
    const { home, writeUserFile } = makeHome();
    writeUserFile(
      'current: p\nprofiles: {p: {baseUrl: "http://127.0.0.1:9", apiKey: k, accountHeader: X-Acme}}\n',
    );
    const { code } = await runLine(command, ['get', '/x', '--header', 'x-acme: other'], { home });
    expect(code).toBe(2);
  });

  it.each([
    [['gte', '/x'], 'did you mean GET?'],
    [['get', '/x', '--field', 'a=1'], '--query'],
    [['get', '/x', '-f', '-'], '--query'],
    [['post', '/x', '--field', 'a'], 'path=value'],
    [['post', '/x', '--field', '__proto__.a=1'], 'path=value'],
    [['post', '/x', '--field', 'a={'], '--raw-field'],
    [['post', '/x', '--field', 'a[3]=1'], 'gap'],
    [['post', '/x', '--query', 'a'], 'name=value'],
    [['post', '/x', '--header', 'hush'], "'Name: value'"],
    [['post', '/x', '-f', 'list.json', '--field', 'a=1'], 'object'],
    [['post', '/x', '-f', 'broken.yaml'], 'broken.yaml:2'],
    [['post', '/x', '-f', 'missing.json'], 'no such file'],
    [['post', '/x', '-f', '-'], 'stdin is empty'],
    [['post', '/x', '--all'], '--all'],
    [['get', '/x', '--all', '-i'], '--all'],
  ])('%j', async (line, way) => {
    const files = { 'list.json': '[]', 'broken.yaml': 'a: 1\na: 2\n' };
    const { code, stderr } = await run('http://127.0.0.1:9', line, { files });
    expect(code).toBe(2);
    expect(stderr).toContain(way);
    expect(stderr).not.toContain('hush');
  });

  it('all of it at once', async () => {
    const { stderr } = await refused('nope', 'x', '--query', 'y', '--header', 'Host: z', '--field', 'f');
    expect(stderr).toContain('5 problems');
  });
});

describe('the answer', () => {
  const body = { id: 1, name: 'red \u001b[31m', nested: { a: [1] } };

  it('is compact JSON in a pipe and pretty JSON in a terminal, control characters escaped', async () => {
    const server = await serve({ body }, { body });
    const piped = await run(server.url, ['get', '/v1/x']);
    expect(piped.stdout).toBe('{"id":1,"name":"red \\u001b[31m","nested":{"a":[1]}}\n');
    const seen = await run(server.url, ['get', '/v1/x'], { isTTY: true });
    expect(seen.stdout).toContain('{\n  "id": 1,\n  "name": "red \\u001b[31m"');
  });

  it('goes through --jq, --fields and other formats', async () => {
    const server = await serve(
      { body: [body] },
      { body: [body] },
      { body: { entries: [body], nextId: null } },
    );
    expect((await run(server.url, ['get', '/x', '--jq', '.[].nested.a[0]'])).stdout).toBe('1\n');
    expect((await run(server.url, ['get', '/x', '--fields', 'id'])).stdout).toBe('[{"id":1}]\n');
    expect((await run(server.url, ['get', '/x', '-o', 'tsv', '--fields', 'id'])).stdout).toBe('1\n');
  });

  it('may be a text: as it came in a pipe, sanitised in a terminal, a JSON text for a program', async () => {
    const text = { headers: { 'content-type': 'text/plain' }, body: 'plain \u001b[31mred' };
    const server = await serve(text, text, text);
    expect((await run(server.url, ['get', '/x'])).stdout).toBe('plain \u001b[31mred');
    expect((await run(server.url, ['get', '/x'], { isTTY: true })).stdout).toBe('plain red\n');
    expect((await run(server.url, ['get', '/x', '--json'])).stdout).toBe('"plain \\u001b[31mred"\n');
  });

  it('may be a file: byte by byte in a pipe and in a file, neither in a terminal nor as a format', async () => {
    const image = Buffer.from([0xef, 0xbb, 0xbf, 0x89, 0x50, 0, 0xff, 0x0a, 0x0d, 0xc3, 0x28]);
    const { url } = await serveWith((_, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(image),
    );
    const line = ['get', '/v1/artifacts/x'];
    const [stdout, folder] = [{ encoding: 'buffer' } as const, await temporaryFolder()];
    const env = bareEnv(folder, serviceAt(url));
    const sh = promisify(execFile);
    const piped = await sh(process.execPath, [BINARY, 'api', ...line], { env, ...stdout });
    expect(piped.stdout).toEqual(image);
    const target = join(folder, 'image.png');
    await sh('sh', ['-c', '"$@" > "$0"', target, process.execPath, BINARY, 'api', ...line], { env });
    expect(readFileSync(target)).toEqual(image);
    for (const shown of [run(url, line, { isTTY: true }), run(url, [...line, '--json'])]) {
      const { code, stdout, stderr } = await shown;
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('the response is a binary file (image/png, 1 kB)');
    }
  });

  it('may be nothing, which is said beside stdout', async () => {
    const server = await serve({ status: 204 });
    const { code, stdout, stderr } = await run(server.url, ['delete', '/x']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('204');
  });

  it('shows its status and headers with --include', async () => {
    const server = await serve({ status: 201, headers: { 'x-a': 'b' }, body: { id: 1 } });
    const { stdout } = await run(server.url, ['post', '/x', '-i', '--field', 'a=1']);
    expect(stdout).toMatch(
      /^HTTP\/1\.1 201 Created\n(?:[\w-]+: .*\n)*x-a: b\n(?:[\w-]+: .*\n)*\n\{"id":1\}\n$/,
    );
  });

  it.each([
    [400, 3],
    [401, 4],
    [403, 4],
    [404, 5],
    [409, 3],
  ])('of %i ends with %i, its reason on stderr alone', async (status, code) => {
    const server = await serve({ status, body: { statusCode: status, message: 'so it is' } });
    const outcome = await run(server.url, ['post', '/x', '--field', 'a=1', '--json']);
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(JSON.parse(outcome.stderr)).toMatchObject({ error: { status, message: 'so it is' } });
  });

  it('of 404 points at the path, which was written out', async () => {
    const server = await serve({ status: 404, body: { statusCode: 404, message: 'There is no such route' } });
    const { stderr } = await run(server.url, ['get', '/v1/nothing']);
    expect(stderr).toContain('\ncheck the path, and that the resource belongs to this account\n');
  });

  it('that is a web page is none', async () => {
    const server = await serve({ body: '<!doctype html><title>Proxy</title>' });
    expect((await run(server.url, ['get', '/x', '--retry-budget', '0ms'])).code).toBe(6);
  });
});

describe('--all', () => {
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: from + index }));
  const ids = async (url: string, ...line: string[]) =>
    (await run(url, ['get', ...line, '--all', '-o', 'tsv'])).stdout.trim().split('\n').map(Number);

  it('gathers a list by number until a page is not full', async () => {
    const server = await serve({ body: rows(1, 2) }, { body: rows(3, 2) }, { body: rows(5, 1) });
    expect(await ids(server.url, '/x?limit=2&a=b')).toEqual([1, 2, 3, 4, 5]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/x?limit=2&a=b',
      '/x?limit=2&a=b&page=2',
      '/x?limit=2&a=b&page=3',
    ]);
  });

  it('gathers a list of unknown length until a page is empty or comes again', async () => {
    const empty = await serve({ body: rows(1, 2) }, { body: [] });
    expect(await ids(empty.url, '/x')).toEqual([1, 2]);
    const same = await serve({ body: rows(1, 2) }, { body: rows(1, 2) });
    expect(await ids(same.url, '/x')).toEqual([1, 2]);
  });

  it('gathers a list by cursor, and prints one array', async () => {
    const server = await serve(
      { body: { length: 1, entries: rows(1, 1), nextId: 'c/2' } },
      { body: { length: 1, entries: rows(2, 1), nextId: null } },
    );
    const { stdout } = await run(server.url, ['get', '/x', '--all']);
    expect(stdout).toBe('[{"id":1},{"id":2}]\n');
    expect(server.requests[1]?.url).toBe('/x?nextId=c%2F2');
  });

  it('prints what is no list as it is', async () => {
    const server = await serve({ body: { id: 1 } });
    expect((await run(server.url, ['get', '/x', '--all'])).stdout).toBe('{"id":1}\n');
  });
});
