/** What the engine answers is what the contract says. */
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { table } from '../../../src/contract/endpoints/index.ts';
import { capabilityLinks } from '../../../src/service/engine/sessions/capability.ts';
import { BAD, createHarness, type Harness } from './harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness({ links: capabilityLinks('secret', () => 'https://sonde.example') });
  await at.engine.start();
});
afterEach(() => at.close());

/** What is wrong with an answer, as the contract has it; a `date` is answered as a full timestamp (docs/gaps.md). */
function problems(
  endpoint: { readonly response: { readonly schema: TSchema | undefined } },
  answer: unknown,
) {
  const { schema } = endpoint.response;
  if (schema === undefined) throw new Error('the endpoint answers nothing');
  return Value.Errors(schema, JSON.parse(JSON.stringify(answer))).filter(
    ({ keyword, params }) => keyword !== 'format' || (params as { format?: unknown }).format !== 'date',
  );
}

it('answers in the shapes of the contract', async () => {
  const { accountId, engine } = at;
  const check = await at.check({ retryStrategy: { maxRetries: 1, baseBackoffSeconds: 0 } });
  at.target.finds(BAD, BAD);
  const session = await at.run(check);
  const test = await engine.testSessions.start({ accountId, name: 'release', runLocation: 'eu-west-1' });
  const testId = test?.testSessionId ?? '';
  const ended = await at.clock.run(engine.testSessions.await(accountId, testId, 60_000));
  const query = { accountId, checkId: check };
  const [group] = await engine.errorGroups.list(query);
  expect(problems(table.getCheckSession, session)).toEqual([]);
  expect(problems(table.awaitCheckSession, session)).toEqual([]);
  expect(problems(table.listCheckSessions, await engine.listSessions({ accountId }))).toEqual([]);
  const sessions = await engine.startSessions({ accountId, runSource: 'TRIGGER_API' });
  expect(problems(table.triggerCheckSessions, { sessions })).toEqual([]);
  expect(problems(table.getTestSession, test)).toEqual([]);
  expect(problems(table.awaitTestSession, ended?.session)).toEqual([]);
  expect(problems(table.listTestSessions, await engine.testSessions.list({ accountId }))).toEqual([]);
  const all = { ...query, resultType: 'ALL' } as const;
  expect(problems(table.listCheckResultsDeprecated, await engine.results.list(all))).toEqual([]);
  expect(problems(table.listCheckResults, await engine.results.page(all))).toEqual([]);
  expect(problems(table.updateErrorGroup, group)).toEqual([]);
  // What is not as the contract has it is seen.
  expect(problems(table.getCheckSession, { ...session, stoppedAt: 'yesterday' })).not.toEqual([]);
});
