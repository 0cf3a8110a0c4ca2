/** A Playwright check whose runs report the tests that a test wants, on a real service. */
import * as contract from '../../../../src/contract/index.ts';
import type { Runner } from '../../../../src/runners/core/runner.ts';
import { byHand } from '../../../support/by-hand.ts';
import { call } from '../../../support/call.ts';
import type { TestService } from '../../../support/service.ts';

export interface ReportedTest {
  readonly title: string;
  readonly status: string;
  readonly isFlaky?: true;
  readonly durationMs: number;
}

const countOf = (tests: readonly ReportedTest[], status: string) =>
  tests.filter((test) => test.status === status && test.isFlaky !== true).length;

/** A runner that reports these tests, a list for each run, and repeats the last list. */
export function suiteRunner(reports: ReportedTest[][]): Runner<unknown> {
  return async () => {
    const tests = (reports.length > 1 ? reports.shift() : reports[0]) ?? [];
    const flaky = tests.filter(({ isFlaky }) => isFlaky).length;
    const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((status) => countOf(tests, status));
    return {
      ...{ hasFailures: failed !== 0, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
      ...{ isNetworkError: false, responseTime: 9000, errors: failed === 0 ? [] : ['pays: expected 1'] },
      details: { tests, counts: { passed, failed, flaky, skipped }, engine: 'node-24' },
    };
  };
}

/** Creates a Playwright check, and returns its ID. */
export async function createSuite(service: TestService, name: string): Promise<string> {
  const archive = Buffer.from(`PK\x03\x04 ${name}`, 'latin1').toString('base64');
  const { id: codeBundleId } = await call(service, contract.uploadCodeBundle, { body: { archive } });
  const check = await call(service, contract.createPlaywrightCheck, {
    body: { name, codeBundleId, ...byHand(), locations: ['eu-west-1'] },
  });
  return String(check.id);
}

/** Runs a check the given number of times, one after the other. */
export async function runSuite(service: TestService, checkId: string, times: number): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    const body = { target: { checkId: [checkId] } };
    const { sessions } = await call(service, contract.triggerCheckSessions, { body });
    const params = { checkSessionId: sessions[0]?.checkSessionId ?? '' };
    await call(service, contract.awaitCheckSession, { params, query: { maxWaitSeconds: 20 } });
  }
}
