/** Runs the conversation with a model within budgets. No mistake of the model makes its verdict a pass. */

import { randomBytes } from 'node:crypto';
import { type AskModel, type Message, type ModelAnswer, ModelError } from './model-client.ts';
import type { Command, Reply } from './protocol.ts';
import { explainBlockedUrl, type Task, UnknownVariable } from './task.ts';
import { type Call, parseCall } from './tools.ts';
import type { Transcript } from './transcript.ts';

export interface ConversationOptions {
  readonly task: Task;
  readonly askModel: AskModel;
  readonly browse: (command: Command, signal: AbortSignal) => Promise<Reply>;
  readonly listBlocked: () => readonly string[];
  readonly mask: <Value>(value: Value) => Value;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}

export const BUDGET = {
  steps: 40,
  tokens: 400_000,
  /** Invalid answers and calls. The model receives the reason and may try again. */
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
    const toolCalls = calls.map(({ id, name, maskedArguments }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(maskedArguments) },
    }));
    messages.push({
      role: 'assistant',
      content,
      ...(calls.length > 0 ? { tool_calls: toolCalls } : {}),
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

/** Parses calls. `call`: the call, or why it is invalid; `maskedArguments`: without secrets. */
function parseCalls({ calls }: ModelAnswer, mask: ConversationOptions['mask']) {
  return calls.map(({ id, name, args }) => {
    const call = parseCall(name, args);
    if (typeof call === 'string') return { id, name: mask(name), call, maskedArguments: {} };
    const { tool, ...callArguments } = call;
    return { id, name: tool, call, maskedArguments: mask(callArguments) };
  });
}

/** A page of the target cannot be used, so the target has failed. The message says why. */
export class PageUnusable extends Error {}

function createPageActions({ task, browse, listBlocked, mask, transcript, signal }: ConversationOptions) {
  // The marker is unknown to pages, so that page content cannot end the quotation.
  const marker = `PAGE-${randomBytes(8).toString('hex')}`;
  const quote = (...texts: readonly string[]) => `<${marker}>\n${texts.join('\n')}\n</${marker}>`;
  let hasOpened = false;
  let hasLoaded = false;
  let isRead = false;
  let assertionCount = 0;
  const reported = new Set<string>();

  function formatNewlyBlocked(): string {
    const newHosts = listBlocked().filter((host) => !reported.has(host));
    for (const host of newHosts) reported.add(host);
    return newHosts.length === 0
      ? ''
      : `\nBlocked, because this check is not allowed to reach it: ${newHosts.join(', ')}`;
  }

  async function execute(command: Command): Promise<string> {
    const isReading = command.do === 'read';
    hasOpened = true;
    isRead = false;
    const reply = await browse(command, signal);
    assertUsable(reply);
    if (!reply.isDone) return `It failed:\n${quote(reply.error)}${formatNewlyBlocked()}`;
    hasLoaded ||= !isReading;
    isRead = isReading;
    if (isReading) return quote(reply.url, reply.title, reply.text) + formatNewlyBlocked();
    const status = reply.status === null ? '' : ` The status is ${reply.status}.`;
    return `Done.${status} The page is now:\n${quote(reply.url, reply.title)}${formatNewlyBlocked()}`;
  }

  return {
    /** Returns why a call is not possible now, as a sentence for the model; undefined if it is possible. */
    explainRefusal(call: Call, isLast: boolean): string | undefined {
      if (call.tool === 'open') return explainBlockedUrl(call.url, task.hosts);
      if (!hasOpened) return 'open a page first';
      if (call.tool === 'type') return explainUnknownVariable(call.text);
      if (call.tool === 'assert' && !isRead)
        return 'read the page before you assert anything: it may have changed';
      if (call.tool !== 'finish') return undefined;
      if (!isLast) return 'finish must be the last call';
      if (call.verdict === 'pass' && !(hasLoaded && assertionCount > 0))
        return 'assert at least one statement about a page before you finish with the verdict pass';
      return undefined;
    },
    async perform(call: Exclude<Call, { tool: 'finish' }>): Promise<string> {
      switch (call.tool) {
        case 'open':
          return execute({ do: 'open', url: call.url });
        case 'click':
          return execute({ do: 'click', ref: call.target });
        case 'type':
          return execute({ do: 'type', ref: call.target, ...task.fill(call.text) });
        case 'read':
          return execute({ do: 'read' });
        case 'assert':
          assertionCount += 1;
          transcript.addAssertion(mask(call.statement), call.holds);
          assertUsable(await browse({ do: 'picture', name: `assertion-${assertionCount}` }, signal));
          return 'Recorded.';
        default:
          return call satisfies never;
      }
    },
  };

  function explainUnknownVariable(text: string): string | undefined {
    try {
      task.fill(text);
      return undefined;
    } catch (error) {
      if (error instanceof UnknownVariable) return error.message;
      throw error;
    }
  }
}

function assertUsable(reply: Reply): void {
  if (!reply.isDone && reply.isUnusable) throw new PageUnusable(reply.error);
}
