/** API checks with scripts around their request, in real cells. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { createApiRunner } from '../../../src/runners/api/runner.ts';
import {
  applyScriptRequest,
  applyScriptResponse,
  toScriptRequest,
} from '../../../src/runners/api/script-globals.ts';
import type { ApiCheck } from '../../../src/runners/api/types.ts';
import { complete, incomplete } from '../../../src/runners/assertions/observed.ts';
import { createProgramPool, type ProgramPool } from '../../../src/runners/browser/program-pool.ts';
import { createRuntimes } from '../../../src/runners/browser/runtimes.ts';
import type { RunContext } from '../../../src/runners/core/runner.ts';
import { execute } from '../../../src/runners/execute.ts';
import { openSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { freePort } from '../../support/free-port.ts';
import { serve, serveWith } from '../../support/http.ts';
import { surroundings } from '../../support/runners.ts';
import { PROGRAM } from '../browser/support.ts';

const root = join(import.meta.dirname, '../../..');
let folder: string;
let sandbox: Sandbox;
let programs: ProgramPool;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonde-api-'));
  const { execPath, pid } = process;
  sandbox = await openSandbox({
    ...{ level: 'process', folder: join(folder, 'cells'), readable: [root] },
    self: { pid, execPath, kill: (id, signal) => process.kill(id, signal) },
  });
  programs = createProgramPool({
    ...{
      sandbox,
      clock: systemClock,
      program: PROGRAM,
      browser: null,
      maxInUse: 1,
      warm: 0,
      onError: () => {},
    },
    runtimes: createRuntimes({
      from: join(root, 'package.json'),
      folder: join(folder, 'runtimes'),
      env: process.env,
    }),
  });
});
afterAll(async () => {
  await programs.close();
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(check: ApiCheck, changes: Partial<RunContext> = {}, timeoutMs = 240_000) {
  const stop = new AbortController();
  const turn = await createApiRunner({ programs, sandbox }).acquireSlot(check, stop.signal);
  const context = surroundings({ timeoutMs, ...changes });
  try {
    return await execute(turn.run, check, context, {
      deadlineMs: 240_000,
      stop,
      secrets: context.secrets ?? [],
    });
  } finally {
    await turn.release();
  }
}

const script = (text: string, name = "the check's script") => [{ name, script: text }];

// The pool has one place: a check needs no more than one at a time.
it('lets the setup change the request and set variables, and the teardown see the response', async () => {
  const login = await serve({ body: { token: 's3cret-t0ken' } });
  const shop = await serve({ status: 201, body: { id: 7 } });
  const outcome = await run({
    request: {
      ...{ url: `${shop.url}/orders`, method: 'PUT', headers: [{ key: 'X-Shop', value: '{{SHOP}}' }] },
      assertions: [{ source: 'JSON_BODY', property: '$.id', comparison: 'EQUALS', target: '8' }],
    },
    environmentVariables: [{ key: 'SHOP', value: 'berlin' }],
    setup: [
      {
        name: "the group's snippet",
        script: `
import { request as http } from 'node:http';
const answered = await fetch('${login.url}');
const { token }: { token: string } = await answered.json();
process.env.SONDE_SECRET_TOKEN = token;
request.headers.Authorization = 'Bearer {{SONDE_SECRET_TOKEN}}';
console.log('got ' + token, typeof http);`,
      },
      { name: 'own', script: "request.method = 'POST'; request.body = { shop: process.env.SHOP };" },
    ],
    teardown: script(`
console.log('answered', response.statusCode, response.headers['content-type'], request.method);
response.body = JSON.stringify({ id: JSON.parse(response.body).id + 1 });`),
  });
  expect(outcome.errors).toEqual([]);
  expect(shop.requests[0]).toMatchObject({
    ...{ method: 'POST', url: '/orders', body: '{"shop":"berlin"}' },
    headers: { authorization: 'Bearer s3cret-t0ken', 'x-shop': 'berlin', 'content-type': 'application/json' },
  });
  const phases = outcome.details.scripts as { phase: string; console: { text: string }[] }[];
  expect(phases.map(({ phase, console: [line] }) => [phase, line?.text])).toEqual([
    ['setup', 'got *** function'],
    ['teardown', 'answered 201 application/json; charset=utf-8 POST'],
  ]);
  expect(JSON.stringify(outcome)).not.toContain('s3cret-t0ken');
});

it('sends nothing where the setup fails, tears down all the same, and expects no failure of that kind', async () => {
  const { url, requests } = await serveWith((_, response) => response.end());
  const outcome = await run({
    request: { url },
    setup: script("throw new Error('no token today')", 'log in'),
    teardown: script('console.log(response === null)'),
    shouldFail: true,
  });
  expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(outcome.errors[0]).toMatch(/^the setup failed: Error: no token today\n.*setup-1-log-in\.ts:1/s);
  expect(requests).toEqual([]);
  expect(outcome.details.scripts).toMatchObject([{ phase: 'setup' }, { console: [{ text: 'true' }] }]);
});

it('runs the teardown also where the request cannot be sent from here', async () => {
  const { url, requests } = await serve({});
  const outcome = await run(
    {
      request: { url: 'http://target.test/' },
      setup: script('process.env.MADE = "7"'),
      teardown: script(`await fetch('${url}/' + process.env.MADE, { method: 'DELETE' })`),
    },
    { proxyFor: () => 'ftp://proxy.test' },
  );
  expect(outcome).toMatchObject({ hasErrors: true, hasFailures: false });
  expect(outcome.errors[0]).toContain('the setting of the proxy names a proxy of the kind "ftp"');
  expect(requests.map(({ method, url: path }) => `${method} ${path}`)).toEqual(['DELETE /7']);
});

it('fails where the teardown does, which runs also where nothing answered', async () => {
  const outcome = await run({
    request: { url: `http://127.0.0.1:${await freePort()}` },
    teardown: script("if (response === null) throw new TypeError('left over')"),
  });
  expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: true });
  expect(outcome.errors[0]).toMatch(/^the teardown failed: TypeError: left over/);
  expect(outcome.errors[1]).toMatch(/^connection to/);
});

it('ends a script that does not end, as the check’s own failure', async () => {
  const { url } = await serveWith((_, response) => response.end());
  const outcome = await run(
    { request: { url }, setup: script('await new Promise((go) => setTimeout(go, 60_000))') },
    {},
    5000,
  );
  expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(outcome.errors[0]).toMatch(/^the setup failed: the script did not end within/);
});

it('takes no request from a setup that asks for a browser', async () => {
  const { url, requests } = await serveWith((_, response) => response.end());
  const outcome = await run({
    request: { url },
    setup: script("const { chromium } = require('playwright'); await chromium.launch()"),
  });
  expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(outcome.errors[0]).toContain('this script has no browser');
  expect(requests).toEqual([]);
});

it('takes back what may be anything by then', () => {
  const request = {
    url: 'http://a.test',
    headers: [
      { key: 'a', value: '1' },
      { key: 'a', value: '2' },
    ],
  };
  const shown = JSON.parse(JSON.stringify(toScriptRequest(request))) as Record<string, unknown>;
  expect(applyScriptRequest(request, shown).headers).toEqual(request.headers);
  expect(applyScriptRequest(request, { ...shown, headers: { b: 3, c: null } }).headers).toEqual([
    { key: 'b', value: '3' },
    { key: 'c', value: 'null' },
  ]);
  expect(applyScriptRequest(request, { ...shown, body: [1] })).toMatchObject({
    body: '[1]',
    bodyType: 'JSON',
  });
  expect(applyScriptRequest(request, { ...shown, body: 'x' })).toMatchObject({ body: 'x', bodyType: 'RAW' });
  for (const left of [null, 'x', [], { url: 7, method: 'GET' }, { url: 'http://b.test' }])
    expect(() => applyScriptRequest(request, left)).toThrow('the setup script removed the url or method');
  const response = { status: 200, statusText: 'OK', headers: [], body: complete('a') };
  expect(applyScriptResponse(response, 'u', { body: { b: 1 }, statusCode: 503, headers: 7 })).toMatchObject({
    ...{ status: 503, body: complete('{"b":1}'), headers: [] },
  });
  const cut = { ...response, body: incomplete('a', 'it was cut') };
  expect(applyScriptResponse(cut, 'u', { body: 'whole' }).body).toEqual(incomplete('whole', 'it was cut'));
});

it('runs no script where addresses are denied and cells have the machine’s network', async () => {
  const { url } = await serveWith((_, response) => response.end());
  const outcome = await run({ request: { url }, setup: script('') }, { denyAddress: () => undefined });
  expect(outcome).toMatchObject({
    hasErrors: true,
    errors: [expect.stringContaining('scripts are disabled')],
  });
});
