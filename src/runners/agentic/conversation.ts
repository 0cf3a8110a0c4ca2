/** The conversation with a model: asks it, carries out what it calls, keeps within the budgets, and comes to a verdict that no mistake of the model turns green. */

import type { Surroundings } from './conversation-options.ts';
import { type Message, type ModelAnswer, ModelError } from './model-client.ts';
import { openHand } from './page-actions.ts';
import { type Call, readCall } from './tools.ts';

/** What a run may take at most. */
export const BUDGET = {
  /** Tool calls, and answers without one. */
  steps: 40,
  /** Of all questions and answers together. */
  tokens: 400_000,
  /** Answers and calls that are not as they must be: the model hears why, and may do better. */
  mistakes: 5,
} as const;

export type Conclusion = Pick<Extract<Call, { tool: 'finish' }>, 'verdict' | 'summary'>;

/** A text of the model is cut there, in characters. */
const LONGEST_CONTENT = 4000;
const EARLIER = '(The earlier state of the page is omitted.)';
const TOO_LONG = 'shorten the prompt, or split the check';

/** Resolves with what the model concluded. Throws ModelError if it came to nothing, and the signal's reason. */
export async function converse(around: Surroundings): Promise<Conclusion> {
  const { task, ask, mask, transcript, signal } = around;
  const messages: Message[] = [
    { role: 'system', content: mask(task.system) },
    { role: 'user', content: mask(task.user) },
  ];
  const hand = openHand(around);
  let mistakes = 0;
  let steps = 0;
  let tokens = 0;
  /** The place of the page that was read last: earlier ones are not sent again. */
  let lastPage: number | undefined;

  function step(): void {
    steps += 1;
    if (steps > BUDGET.steps)
      throw new ModelError(`the model did not finish within ${BUDGET.steps} steps: ${TOO_LONG}`);
  }

  function mistaken(why: string): string {
    mistakes += 1;
    if (mistakes > BUDGET.mistakes)
      throw new ModelError(`the model made more than ${BUDGET.mistakes} mistakes, the last one: ${why}`);
    return `Not done: ${why}`;
  }

  for (;;) {
    if (tokens >= BUDGET.tokens)
      throw new ModelError(`the model did not finish within ${BUDGET.tokens} tokens: ${TOO_LONG}`);
    const answer = await ask(messages, signal);
    tokens += answer.tokens.count;
    const content = mask(answer.content).slice(0, LONGEST_CONTENT);
    transcript.answered(content, answer.tokens);
    const calls = callsOf(answer, mask);
    messages.push({
      role: 'assistant',
      content,
      ...(calls.length > 0 ? { tool_calls: calls.map(asSent) } : {}),
    });
    if (calls.length === 0) {
      step();
      const advice = mistaken('every response must call a tool. Call finish when you are done');
      transcript.noted(advice);
      messages.push({ role: 'user', content: advice });
    }
    for (const [index, { id, name, call, shown }] of calls.entries()) {
      step();
      const refusal = typeof call === 'string' ? call : hand.refusalOf(call, index === calls.length - 1);
      if (typeof call === 'string' || refusal !== undefined) {
        const advice = mask(mistaken(refusal ?? ''));
        transcript.called(name, shown, advice);
        messages.push({ role: 'tool', tool_call_id: id, content: advice });
      } else if (call.tool === 'finish') {
        transcript.called(name, shown, '');
        return mask({ verdict: call.verdict, summary: call.summary });
      } else {
        const result = mask(await hand.carryOut(call));
        transcript.called(name, shown, result);
        if (call.tool === 'read') {
          const before = lastPage === undefined ? undefined : messages[lastPage];
          if (lastPage !== undefined && before) messages[lastPage] = { ...before, content: EARLIER };
          lastPage = messages.length;
        }
        messages.push({ role: 'tool', tool_call_id: id, content: result });
      }
    }
  }
}

interface ReadCall {
  readonly id: string;
  readonly name: string;
  /** Or why it is none. */
  readonly call: Call | string;
  /** Its arguments without secrets; none of a call that cannot be read. */
  readonly shown: Readonly<Record<string, unknown>>;
}

function callsOf({ calls }: ModelAnswer, mask: Surroundings['mask']): readonly ReadCall[] {
  return calls.map(({ id, name, args }) => {
    const call = readCall(name, args);
    if (typeof call === 'string') return { id, name: mask(name), call, shown: {} };
    const { tool, ...given } = call;
    return { id, name: tool, call, shown: mask(given) };
  });
}

const asSent = ({ id, name, shown }: ReadCall) => ({
  ...{ id, type: 'function' as const },
  function: { name, arguments: JSON.stringify(shown) },
});
