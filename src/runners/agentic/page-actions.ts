/** Performs a model's calls in the browser, and rejects calls that make no sense in the current state. */
import { randomBytes } from 'node:crypto';
import { explainBlockedUrl } from './allowed-hosts.ts';
import type { ConversationOptions } from './conversation-options.ts';
import type { Command, Reply } from './protocol.ts';
import { UnknownVariable } from './task.ts';
import type { Call } from './tools.ts';

/** A page of the target cannot be used, so the target has failed. The message says why. */
export class PageUnusable extends Error {}

export interface PageActions {
  /** Returns why a call is not possible now, as a sentence for the model; undefined if it is possible. */
  explainRefusal(call: Call, isLast: boolean): string | undefined;
  /** Performs a call. Resolves with the result for the model. */
  perform(call: Exclude<Call, { tool: 'finish' }>): Promise<string>;
}

export function createPageActions({
  task,
  browse,
  listBlocked,
  mask,
  transcript,
  signal,
}: ConversationOptions): PageActions {
  // The marker is unknown to pages, so that page content cannot end the quotation.
  const marker = `PAGE-${randomBytes(8).toString('hex')}`;
  const quote = (...texts: readonly string[]) => `<${marker}>\n${texts.join('\n')}\n</${marker}>`;
  let hasOpened = false;
  let hasLoaded = false;
  /** Whether the page was read since the last action. */
  let isRead = false;
  let assertionCount = 0;
  const reported = new Set<string>();

  /** Formats the hosts that were blocked since the last call. */
  function formatNewlyBlocked(): string {
    const newHosts = listBlocked().filter((host) => !reported.has(host));
    for (const host of newHosts) reported.add(host);
    return newHosts.length === 0
      ? ''
      : `\nBlocked, because this check is not allowed to reach it: ${newHosts.join(', ')}`;
  }

  async function act(command: Command): Promise<string> {
    hasOpened = true;
    isRead = false;
    const reply = assertUsable(await browse(command, signal));
    if (!reply.isDone) return `It failed:\n${quote(reply.error)}${formatNewlyBlocked()}`;
    hasLoaded = true;
    const status = reply.status === null ? '' : ` The status is ${reply.status}.`;
    return `Done.${status} The page is now:\n${quote(reply.url, reply.title)}${formatNewlyBlocked()}`;
  }

  async function read(): Promise<string> {
    const reply = assertUsable(await browse({ do: 'read' }, signal));
    isRead = reply.isDone;
    const page = reply.isDone
      ? quote(reply.url, reply.title, reply.text)
      : `It failed:\n${quote(reply.error)}`;
    return page + formatNewlyBlocked();
  }

  return {
    explainRefusal(call, isLast) {
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
    async perform(call) {
      switch (call.tool) {
        case 'open':
          return act({ do: 'open', url: call.url });
        case 'click':
          return act({ do: 'click', ref: call.target });
        case 'type':
          return act({ do: 'type', ref: call.target, ...task.fill(call.text) });
        case 'read':
          return read();
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

function assertUsable(reply: Reply): Reply {
  if (!reply.isDone && reply.isUnusable) throw new PageUnusable(reply.error);
  return reply;
}
