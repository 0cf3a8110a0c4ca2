/** Published fields of browser and multi-step results, and the files of results. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import type { Runner } from '../../../../src/runners/core/runner.ts';
import {
  publishBrowserResult,
  publishMultiStepResult,
} from '../../../../src/service/engine/results/published-script-result.ts';
import { ask, call } from '../../../support/call.ts';
import { leave } from '../../../support/left-files.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

const CONSOLE = [
  { from: 'page', level: 'error', text: 'Failed to load resource: net::ERR_FAILED', atMs: 5 },
  { from: 'page', level: 'error', text: 'no cart', atMs: 6 },
  { from: 'page', level: 'warning', text: 'old cart', atMs: 7 },
  { from: 'page-error', level: 'error', text: 'Error: broken', atMs: 8 },
  { from: 'script', level: 'stdout', text: 'hello', atMs: 9 },
];
const runner: Runner<unknown> = async (_, context) => ({
  ...{ hasFailures: true, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, responseTime: 1, errors: ['Error: no button'] },
  details: { runtime: '2026.04', console: CONSOLE },
  artifacts: await leave(context, [
    { kind: 'screenshot', name: 'Cart [1].jpg', contentType: 'image/jpeg', contents: Buffer.from('picture') },
    { kind: 'screenshot', name: 'cart.webm', contentType: 'video/webm', contents: Buffer.from('film') },
    { kind: 'trace', name: 'trace.zip', contentType: 'application/zip', contents: Buffer.from('trace') },
  ]),
});
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ engine: { runners: { BROWSER: runner, MULTI_STEP: runner } } });
});
afterAll(() => service.close());

const SCRIPT = "require('@playwright/test').test('a', () => {});";
const BODY = { name: 'Cart', script: SCRIPT, retryStrategy: null, locations: ['eu-west-1' as const] };

async function resultOf(id: string | undefined) {
  const checkId = id ?? '';
  const { sessions } = await call(service, contract.triggerCheckSessions, {
    body: { target: { checkId: [checkId] } },
  });
  const params = { checkSessionId: sessions[0]?.checkSessionId ?? '' };
  const { results } = await call(service, contract.awaitCheckSession, { params });
  return { checkId, checkResultId: results[0]?.checkResultId ?? '' };
}

it('a result has what the run recorded under the published names', async () => {
  const browser = await resultOf((await call(service, contract.createBrowserCheck, { body: BODY })).id);
  const result = await call(service, contract.getCheckResult, { params: browser });
  const startTime = Date.parse(result.startedAt ?? '');
  const common = {
    errors: ['Error: no button'],
    startTime,
    endTime: Date.parse(result.stoppedAt ?? ''),
    runtimeVersion: '2026.04',
    jobLog: [
      { time: startTime + 5, msg: 'Failed to load resource: net::ERR_FAILED', level: 'ERROR' },
      { time: startTime + 6, msg: 'no cart', level: 'ERROR' },
      { time: startTime + 7, msg: 'old cart', level: 'WARN' },
      { time: startTime + 8, msg: 'Error: broken', level: 'ERROR' },
      { time: startTime + 9, msg: 'hello', level: 'INFO' },
    ],
    ...{ jobAssets: [expect.any(String)], playwrightTestTraces: [expect.any(String)] },
  };
  expect(result.browserCheckResult).toMatchObject({
    ...common,
    ...{ type: 'PLAYWRIGHT', pages: [], playwrightTestVideos: [expect.any(String)] },
    traceSummary: { consoleErrors: 1, networkErrors: 1, documentErrors: 1, userScriptErrors: 1 },
  });
  const steps = await resultOf((await call(service, contract.createMultiStepCheck, { body: BODY })).id);
  const { multiStepCheckResult } = await call(service, contract.getCheckResult, { params: steps });
  expect(multiStepCheckResult).toMatchObject({
    ...{ runtimeVersion: '2026.04', errors: ['Error: no button'], jobLog: { length: 5 } },
  });
});

it('files are listed by kind and name, and sent', async () => {
  const params = await resultOf((await call(service, contract.createBrowserCheck, { body: BODY })).id);
  const list = async (query: object) =>
    (await call(service, contract.listResultAssets, { params, query })).assets.map(({ name }) => name);
  expect(await list({})).toEqual(['Cart [1].jpg', 'cart.webm', 'trace.zip']);
  expect(await list({ type: 'video' })).toEqual(['cart.webm']);
  expect(await list({ name: 'CART*' })).toEqual(['Cart [1].jpg', 'cart.webm']);
  expect(await list({ name: 'Cart [1].jpg' })).toEqual(['Cart [1].jpg']);
  expect(await list({ type: 'log' })).toEqual([]);
  const { assets } = await call(service, contract.listResultAssets, { params, query: { type: 'trace' } });
  const headers = { authorization: `Bearer ${service.apiKey}` };
  expect(await (await fetch(`${service.url}${assets[0]?.url}`, { headers })).text()).toBe('trace');
  const other = (await call(service, contract.createBrowserCheck, { body: BODY })).id ?? '';
  const elsewhere = { ...params, checkId: other };
  expect(await ask(service, contract.listResultAssets, { params: elsewhere })).toMatchObject({ status: 404 });
  const path = `/v1/check-results/${params.checkId}/${params.checkResultId}/assets`;
  expect((await send(service, `GET ${path}?type=film`)).status).toBe(400);
});

it('files of results of test sessions are listed', async () => {
  const { id = '' } = await call(service, contract.createBrowserCheck, { body: BODY });
  const body = { name: 'Release', runLocation: 'eu-west-1', target: { checkId: [id] } };
  const { testSessionId } = await call(service, contract.triggerTestSessions, { body });
  const { results = [] } = await call(service, contract.awaitTestSession, { params: { testSessionId } });
  const params = { testSessionId, testSessionResultId: results[0]?.testSessionResultId ?? '' };
  const { assets } = await call(service, contract.listTestResultAssets, { params });
  expect(assets.map(({ type }) => type)).toEqual(['screenshot', 'video', 'trace']);
  const elsewhere = { ...params, testSessionId: params.testSessionResultId };
  expect(await ask(service, contract.listTestResultAssets, { params: elsewhere })).toMatchObject({
    status: 404,
  });
});

it('any details of an agent give a result that clients can read', () => {
  // No text can be made of an object without these functions.
  const word = fc.oneof(
    fc.constantFrom('error', 'constructor', '__proto__', { toString: null, valueOf: null }),
    fc.anything(),
  );
  const line = fc.record(
    {
      from: fc.anything(),
      level: word,
      text: word,
      atMs: fc.oneof(fc.double(), fc.anything()),
    },
    { requiredKeys: [] },
  );
  const details = fc
    .record({
      runtime: fc.anything(),
      console: fc.oneof(fc.array(line), fc.anything()),
      artifacts: fc.anything(),
    })
    .map((any) => JSON.parse(JSON.stringify(any)) as Record<string, unknown>);
  fc.assert(
    fc.property(details, fc.array(fc.string()), (recorded, errors) => {
      const run = { startedAt: 1, stoppedAt: 2, errors, details: recorded };
      for (const published of [publishBrowserResult(run), publishMultiStepResult(run)]) {
        expect(published.errors).toEqual(errors);
        for (const list of [published.jobAssets, published.playwrightTestTraces, published.jobLog])
          expect(Array.isArray(list)).toBe(true);
        for (const { time, msg, level } of published.jobLog)
          expect([typeof time, typeof msg, typeof level]).toEqual(['number', 'string', 'string']);
      }
    }),
  );
});
