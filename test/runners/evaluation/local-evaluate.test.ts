/** The evaluation of answers in this process: it has a limit, too. */
import { expect, it } from 'vitest';
import { CannotRun, type Evaluation } from '../../../src/runners/core/runner.ts';
import { createLocalEvaluate } from '../../../src/runners/evaluation/local-evaluate.ts';

const { signal } = new AbortController();
const evaluationOf = (run: (input: string) => unknown): Evaluation<string, unknown> => ({
  name: 'test',
  run,
});

it('returns what the evaluation returns, and throws what it throws', async () => {
  const evaluate = createLocalEvaluate();
  expect(
    await evaluate(
      evaluationOf((text) => text.length),
      'four',
      signal,
    ),
  ).toBe(4);
  const broken = evaluationOf(() => {
    throw new RangeError('too deep');
  });
  await expect(evaluate(broken, '', signal)).rejects.toThrow(RangeError);
});

it('stops an expression that backtracks for ever, and an endless loop', async () => {
  const evaluate = createLocalEvaluate(50);
  const backtracking = evaluationOf((text) => /^(?:(?=(a+))a+)+$/.test(text));
  await expect(evaluate(backtracking, `${'a'.repeat(40)}b`, signal)).rejects.toThrow(CannotRun);
  const endless = evaluationOf(() => {
    for (;;);
  });
  await expect(evaluate(endless, '', signal)).rejects.toThrow('took longer than 50 ms');
});
