/** `sonde sessions get` and `test-sessions get` name what the gate would not believe. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { command as getSession } from '../../../commands/sessions/get.ts';
import { command as getTestSession } from '../../../commands/test-sessions/get.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serveWith } from '../../support/http.ts';

const ID = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10';
const CHECK = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
const flags = { hasErrors: false, hasFailures: false, isDegraded: false, aborted: false };
const result = (more: object) => ({
  ...{ checkResultId: CHECK, checkId: CHECK, runLocation: 'eu-west-1', resultType: 'FINAL', ...flags },
  ...more,
});
const session = (status: string, results: readonly object[]) => ({
  ...{ checkSessionId: ID, testSessionId: ID, checkId: CHECK, name: 'a', checkType: 'DNS', status, results },
  ...{ startedAt: '2026-11-21T07:59:00Z', stoppedAt: '2026-11-21T07:59:02Z', timeElapsed: 2000 },
  ...{ runLocations: ['eu-west-1'], runSource: 'SCHEDULER', links: {} },
});

it.each([
  ['sessions get', getSession, ['PASSED', 'DEGRADED']],
  ['test-sessions get', getTestSession, ['PASSED']],
] as const)('%s warns of a status that the results do not prove', async (_, command, good) => {
  let body = session('PASSED', []);
  const server = await serveWith((_request, response) => answer(response, { body }));
  const read = async (changed: typeof body) => {
    body = changed;
    const { code, stdout, stderr } = await runLine(command as typeof getSession, [ID, '-o', 'json'], {
      env: serviceAt(server.url),
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).status).toBe(changed.status);
    return stderr;
  };
  expect(await read(session('PASSED', []))).toContain('the response says PASSED, but it has no final result');
  const flag = fc.constantFrom('hasErrors', 'hasFailures', 'aborted', 'isCancelled');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...good), flag, async (status, name) => {
      const contradiction = `the status of the session is ${status}, but a result says otherwise`;
      expect(await read(session(status, [result({ [name]: true })]))).toContain(contradiction);
    }),
    { numRuns: 8 },
  );
  expect(await read(session('PASSED', [result({})]))).toBe('');
  expect(await read(session('FAILED', []))).toBe('');
});
