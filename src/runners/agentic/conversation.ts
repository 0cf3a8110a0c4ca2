/**
 * Runs the conversation with a model: asks it, performs its calls within budgets, and returns a verdict that no mistake
 * of the model turns green.
 */

import type { ConversationOptions } from './conversation-options.ts';
import { type Message, type ModelAnswer, ModelError } from './model-client.ts';
import { createPageActions } from './page-actions.ts';
import { type Call, parseCall } from './tools.ts';

/** Budgets of a run. */
export const BUDGET = {
  /** Tool calls, and answers without a call. */
  steps: 40,
  /** Sum over all requests and answers. */
  tokens: 400_000,
  /** Invalid answers and calls. The model is told the reason and may try again. */
  mistakes: 5,
} as const;

export type Conclusion = Pick<Extract<Call, { tool: 'finish' }>, 'verdict' | 'summary'>;

/** Maximum length of a model text, in characters. Longer texts are cut. */
const MAX_CONTENT_LENGTH = 4000;
const EARLIER_PAGE = '(The earlier state of the page is omitted.)';
const TOO_LONG = 'shorten the prompt, or split the check';

/** Resolves with the model's conclusion. Throws ModelError if there is none, and the signal's reason. */
export async function runConversation(options: ConversationOptions): Promise<Conclusion> {
  const { task, askModel, mask, transcript, signal } = options;
  const messages: Message[] = [
    { role: 'system', content: mask(task.system) },
    { role: 'user', content: mask(task.user) },
  ];
  const pageActions = createPageActions(options);
  let mistakes = 0;
  let steps = 0;
  let tokens = 0;
  /** Index of the message with the latest page. Earlier pages are not sent again. */
  let lastPageIndex: number | undefined;

  function countStep(): void {
    steps += 1;
    if (steps > BUDGET.steps)
      throw new ModelError(`the model did not finish within ${BUDGET.steps} steps: ${TOO_LONG}`);
  }

  function countMistake(reason: string): string {
    mistakes += 1;
    if (mistakes > BUDGET.mistakes)
      throw new ModelError(`the model made more than ${BUDGET.mistakes} mistakes, the last one: ${reason}`);
    return `Not done: ${reason}`;
  }

  for (;;) {
    if (tokens >= BUDGET.tokens)
      throw new ModelError(`the model did not finish within ${BUDGET.tokens} tokens: ${TOO_LONG}`);
    const answer = await askModel(messages, signal);
    tokens += answer.tokens.count;
    const content = mask(answer.content).slice(0, MAX_CONTENT_LENGTH);
    transcript.addAnswer(content, answer.tokens);
    const calls = parseCalls(answer, mask);
    messages.push({
      role: 'assistant',
      content,
      ...(calls.length > 0 ? { tool_calls: calls.map(toMessageCall) } : {}),
    });
    if (calls.length === 0) {
      countStep();
      const advice = countMistake('every response must call a tool. Call finish when you are done');
      transcript.addNote(advice);
      messages.push({ role: 'user', content: advice });
    }
    for (const [index, { id, name, call, maskedArguments }] of calls.entries()) {
      countStep();
      const refusal =
        typeof call === 'string' ? call : pageActions.explainRefusal(call, index === calls.length - 1);
      if (typeof call === 'string' || refusal !== undefined) {
        const advice = mask(countMistake(refusal ?? ''));
        transcript.addCall(name, maskedArguments, advice);
        messages.push({ role: 'tool', tool_call_id: id, content: advice });
      } else if (call.tool === 'finish') {
        transcript.addCall(name, maskedArguments, '');
        return mask({ verdict: call.verdict, summary: call.summary });
      } else {
        const result = mask(await pageActions.perform(call));
        transcript.addCall(name, maskedArguments, result);
        if (call.tool === 'read') {
          const before = lastPageIndex === undefined ? undefined : messages[lastPageIndex];
          if (lastPageIndex !== undefined && before)
            messages[lastPageIndex] = { ...before, content: EARLIER_PAGE };
          lastPageIndex = messages.length;
        }
        messages.push({ role: 'tool', tool_call_id: id, content: result });
      }
    }
  }
}

interface ParsedCall {
  readonly id: string;
  readonly name: string;
  /** The call, or why it is invalid. */
  readonly call: Call | string;
  /** Arguments without secrets; empty for an invalid call. */
  readonly maskedArguments: Readonly<Record<string, unknown>>;
}

function parseCalls({ calls }: ModelAnswer, mask: ConversationOptions['mask']): readonly ParsedCall[] {
  return calls.map(({ id, name, args }) => {
    const call = parseCall(name, args);
    if (typeof call === 'string') return { id, name: mask(name), call, maskedArguments: {} };
    const { tool, ...callArguments } = call;
    return { id, name: tool, call, maskedArguments: mask(callArguments) };
  });
}

const toMessageCall = ({ id, name, maskedArguments }: ParsedCall) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: JSON.stringify(maskedArguments) },
});
