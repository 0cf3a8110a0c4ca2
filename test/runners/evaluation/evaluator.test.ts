/** The evaluator process: its outcomes, and evaluations that exceed their budget. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { AbortSignalLike } from '../../../src/base/abort.ts';
import { complete } from '../../../src/runners/assertions/observed.ts';
import type { Assertion } from '../../../src/runners/core/assertion.ts';
import { CannotRun, type Evaluation, type EvaluationOrigin } from '../../../src/runners/core/runner.ts';
import {
  createEvaluator,
  type Evaluator,
  type EvaluatorOptions,
} from '../../../src/runners/evaluation/evaluator.ts';
import { tcpEvaluation } from '../../../src/runners/tcp/evaluation.ts';
import { clientCertificateParsing } from '../../../src/runners/tls/parse-client-certificate.ts';
import { DSA, encrypt, hugeKey, pem } from '../../attacks/huge-keys.ts';
import { cert } from '../../client/certificate.ts';
import { eventually } from '../../support/eventually.ts';

const path = join(import.meta.dirname, '../../../dist/evaluator.cjs');
const NEVER = new AbortController().signal;

let evaluator: Evaluator | undefined;
afterEach(() => evaluator?.close());

function open(options: Partial<EvaluatorOptions> = {}) {
  evaluator = createEvaluator({ path, execPath: process.execPath, ...options });
  return (
    assertions: readonly Assertion[],
    response: string,
    signal: AbortSignalLike = NEVER,
    origin?: EvaluationOrigin,
  ) =>
    evaluator?.evaluate(
      tcpEvaluation,
      {
        ...{
          check: {},
          assertions,
          response: complete(Buffer.from(response).toString('base64')),
          silence: undefined,
          fault: undefined,
        },
        ...{ total: 12, details: { request: 'kept' } },
      },
      signal,
      origin,
    );
}

/** The processes of evaluators that run now. */
function evaluatorPids(): readonly string[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('evaluator.cjs'));
}

const contains = (target: string): Assertion => ({ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target });
/** Backtracks for half a second, and then gives up. */
const slow: Assertion = { ...contains('x'), regex: '(?=(a+)+$)a' };
const SLOW_TEXT = `${'a'.repeat(60)}b`;

it('evaluates in another process and returns the whole outcome', async () => {
  const evaluate = open();
  await expect(evaluate([contains('lo')], 'hello')).resolves.toMatchObject({
    ...{ hasFailures: false, responseTime: 12, details: { request: 'kept' } },
  });
  await expect(evaluate([contains('la')], 'hello')).resolves.toMatchObject({
    ...{ hasFailures: true, errors: ['RESPONSE_DATA CONTAINS "la": was "hello"'] },
  });
});

it('ends a run that exceeds its budget twice, and evaluates the waiting ones', async () => {
  const evaluate = open({ budgetMs: 1000, secondBudgetMs: 1000 });
  const attack = evaluate(Array<Assertion>(8).fill(slow), SLOW_TEXT);
  const honest = [evaluate([contains('lo')], 'hello'), evaluate([contains('el')], 'hello')];
  await expect(attack).rejects.toThrow(CannotRun);
  await expect(attack).rejects.toThrow(
    /^the response could not be evaluated: the judge process took longer than 1000 ms\. Use fewer or simpler assertions, or a smaller response$/,
  );
  for (const outcome of await Promise.all(honest)) expect(outcome).toMatchObject({ hasFailures: false });
  await expect(evaluate([contains('lo')], 'hello')).resolves.toMatchObject({ hasFailures: false });
});

it('answers each of many requests that are made at once', async () => {
  const evaluate = open();
  const texts = Array.from({ length: 40 }, (_, at) => `answer ${at}`);
  const outcomes = await Promise.all(texts.map((text) => evaluate([contains('answer 7')], text)));
  const passed = texts.filter((_, at) => outcomes[at]?.hasFailures === false);
  expect(passed).toEqual(['answer 7']);
});

it('retries a slow evaluation in an isolated process with a larger budget', async () => {
  const evaluate = open({ budgetMs: 300, secondBudgetMs: 60_000 });
  await expect(evaluate([slow], SLOW_TEXT)).resolves.toMatchObject({
    errors: [expect.stringContaining('took longer than 500 ms')],
  });
});

it('evaluates what may be costly where no other evaluation waits for it', async () => {
  const evaluate = open({ budgetMs: 60_000, costlyBudgetMs: 3000 });
  const order: string[] = [];
  const key = pem('ENCRYPTED PRIVATE KEY', encrypt(hugeKey(DSA, 3900)));
  const requested = { host: 'a.example', cert, key, passphrase: 'word' };
  const costly = evaluator
    ?.evaluate(clientCertificateParsing, { requested, now: Date.now() }, NEVER)
    .finally(() => order.push('costly'));
  const honest = evaluate([contains('lo')], 'hello')?.then(() => order.push('honest'));
  await expect(costly).rejects.toThrow(/took longer than 3000 ms/);
  await honest;
  expect(order).toEqual(['honest', 'costly']);
});

const ofCheck = (accountId: string, subjectId: string): EvaluationOrigin => ({ accountId, subjectId });

it('repeats the evaluations of an account without waiting for the slow ones of another', async () => {
  const evaluate = open({ budgetMs: 300, secondBudgetMs: 60_000 });
  const order: string[] = [];
  await evaluate([contains('lo')], 'hello');
  const slowOnes = Array.from({ length: 3 }, (_, at) =>
    evaluate([slow], SLOW_TEXT, NEVER, ofCheck('greedy', `check ${at}`))?.then(() => order.push('slow')),
  );
  const honest = evaluate([contains('lo')], 'hello', NEVER, ofCheck('honest', 'check'));
  await Promise.all([...slowOnes, honest?.then(() => order.push('honest'))]);
  expect(order).toHaveLength(4);
  expect(order.at(-1)).toBe('slow');
});

it('repeats the evaluations of a check that was quick without waiting for slow ones of its account', async () => {
  const evaluate = open({ budgetMs: 300, secondBudgetMs: 60_000 });
  const order: string[] = [];
  const evaluateQuick = () => evaluate([contains('lo')], 'hello', NEVER, ofCheck('account', 'quick check'));
  await evaluateQuick();
  const slowOnes = Array.from({ length: 3 }, (_, at) =>
    evaluate([slow], SLOW_TEXT, NEVER, ofCheck('account', `check ${at}`))?.then(() => order.push('slow')),
  );
  await Promise.all([...slowOnes, evaluateQuick()?.then(() => order.push('quick'))]);
  expect(order).toHaveLength(4);
  expect(order.at(-1)).toBe('slow');
});

it('evaluates a check that was slow in an isolated process from then on', async () => {
  const evaluate = open({ budgetMs: 300, secondBudgetMs: 60_000 });
  const evaluateSlow = () => evaluate([slow], SLOW_TEXT, NEVER, ofCheck('account', 'slow check'));
  await evaluateSlow();
  const evaluateQuick = () => evaluate([contains('lo')], 'hello', NEVER, ofCheck('account', 'quick check'));
  await evaluateQuick();
  await eventually(() => expect(evaluatorPids()).toHaveLength(1));
  const [shared] = evaluatorPids();
  await evaluateSlow();
  await evaluateQuick();
  expect(evaluatorPids()).toContain(shared);
});

it('is given up by a run that is over', async () => {
  const evaluate = open({ budgetMs: 60_000 });
  const stop = new AbortController();
  const evaluated = evaluate([slow, slow], SLOW_TEXT, stop.signal);
  stop.abort(new Error('cancelled'));
  await expect(evaluated).rejects.toThrow('cancelled');
  await expect(evaluate([contains('lo')], 'hello', stop.signal)).rejects.toThrow('cancelled');
});

it('says why there is no verdict where the process cannot be run', async () => {
  const evaluate = open({ path: '/nowhere/evaluator.cjs' });
  await expect(evaluate([], '')).rejects.toThrow(
    /^the response could not be evaluated: the judge process ended with exit code 1/,
  );
});

it('rejects with the message that an evaluation threw', async () => {
  open();
  const unknown: Evaluation<object, unknown> = { name: 'nothing', run: () => undefined };
  await expect(evaluator?.evaluate(unknown, {}, NEVER)).rejects.toThrow('unknown evaluation nothing');
});

it('evaluates nothing after close', async () => {
  const evaluate = open({ budgetMs: 60_000 });
  const evaluated = evaluate([slow, slow], SLOW_TEXT);
  evaluator?.close();
  await expect(evaluated).rejects.toThrow(CannotRun);
  await expect(evaluate([], '')).rejects.toThrow('sonde is stopping');
});

it('hands nothing of the environment down, where keys may be', async () => {
  vi.stubEnv('SONDE_API_KEY', 'sk_canary');
  onTestFinished(() => void vi.unstubAllEnvs());
  await open()([contains('lo')], 'hello');
  const [evaluator] = evaluatorPids();
  expect(readFileSync(`/proc/${evaluator}/environ`, 'utf8')).not.toMatch(/canary|PATH=/);
});
