/** Browser checks whose runs leave what a test says, on a real service. */
import * as contract from '../../../../src/contract/index.ts';
import type { Runner } from '../../../../src/runners/core/runner.ts';
import { runners } from '../../../../src/runners/index.ts';
import { call } from '../../../support/call.ts';
import { type Leaves, leave } from '../../../support/left-files.ts';
import type { World } from './world.ts';

export interface Left {
  readonly details?: Readonly<Record<string, unknown>>;
  readonly artifacts?: readonly Leaves[];
  readonly errors?: readonly string[];
}

/** What the next runs of browser checks leave. */
export interface Leaving {
  left: Left;
  readonly runners: typeof runners & { readonly BROWSER: Runner<unknown> };
}

export function leaving(left: Left = {}): Leaving {
  const leaves: Leaving = {
    left,
    runners: {
      ...runners,
      async BROWSER(_, context) {
        const { details = {}, artifacts = [], errors = [] } = leaves.left;
        return {
          ...{ hasFailures: errors.length > 0, hasErrors: false, isDegraded: false },
          ...{ overMaxResponseTime: false, isNetworkError: false, responseTime: 812.4 },
          ...{ errors, details, artifacts: await leave(context, artifacts) },
        };
      },
    },
  };
  return leaves;
}

/** Runs a new browser check once; gives the paths of its session and of its result. */
export async function runBrowserCheck(world: World, name = 'Sign in') {
  const check = await call(world, contract.createBrowserCheck, {
    body: { name, script: 'await page.goto("/")', activated: false, retryStrategy: null, doubleCheck: false },
  });
  const checkId = String((check as { id: string }).id);
  await call(world, contract.updateBrowserCheck, { params: { id: checkId }, body: { activated: true } });
  const target = { checkId: [checkId] };
  const [started] = (await call(world, contract.triggerCheckSessions, { body: { target } })).sessions;
  const params = { checkSessionId: started?.checkSessionId ?? '' };
  const ended = await call(world, contract.awaitCheckSession, { params, query: { maxWaitSeconds: 20 } });
  const pathOf = (link = '') => new URL(link).pathname;
  return { session: pathOf(ended.checkSessionLink), result: pathOf(ended.results[0]?.checkResultLink) };
}

/** The smallest picture there is. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
