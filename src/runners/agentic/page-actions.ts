/** Carries out a model's calls in the browser, and knows which calls make sense by what was done before. */
import { randomBytes } from 'node:crypto';
import type { Surroundings } from './conversation-options.ts';
import { whyNotOpened } from './allowed-hosts.ts';
import type { Command, Reply } from './protocol.ts';
import { UnknownVariable } from './task.ts';
import type { Call } from './tools.ts';

/** A page of the target cannot be used, and why: the target has failed. */
export class PageUnusable extends Error {}

export interface Hand {
  /** Why a call cannot be made now, as a sentence for the model; undefined if it can. */
  refusalOf(call: Call, isLast: boolean): string | undefined;
  /** Resolves with what the model hears of it. */
  carryOut(call: Exclude<Call, { tool: 'finish' }>): Promise<string>;
}

export function openHand({ task, browse, blocked, mask, transcript, signal }: Surroundings): Hand {
  // A page cannot know it: nothing that it shows ends its own text.
  const marker = `PAGE-${randomBytes(8).toString('hex')}`;
  const quoted = (...texts: readonly string[]) => `<${marker}>\n${texts.join('\n')}\n</${marker}>`;
  let hasTried = false;
  let hasLoaded = false;
  /** Whether the page was read since the last action. */
  let isRead = false;
  let asserted = 0;
  const reported = new Set<string>();

  /** Names hosts that were blocked meanwhile. */
  function blockedWords(): string {
    const fresh = blocked().filter((host) => !reported.has(host));
    for (const host of fresh) reported.add(host);
    return fresh.length === 0
      ? ''
      : `\nBlocked, because this check is not allowed to reach it: ${fresh.join(', ')}`;
  }

  async function acted(command: Command): Promise<string> {
    hasTried = true;
    isRead = false;
    const reply = usable(await browse(command, signal));
    if (!reply.isDone) return `It failed:\n${quoted(reply.error)}${blockedWords()}`;
    hasLoaded = true;
    const status = reply.status === null ? '' : ` The status is ${reply.status}.`;
    return `Done.${status} The page is now:\n${quoted(reply.url, reply.title)}${blockedWords()}`;
  }

  async function read(): Promise<string> {
    const reply = usable(await browse({ do: 'read' }, signal));
    isRead = reply.isDone;
    const page = reply.isDone
      ? quoted(reply.url, reply.title, reply.text)
      : `It failed:\n${quoted(reply.error)}`;
    return page + blockedWords();
  }

  return {
    refusalOf(call, isLast) {
      if (call.tool === 'open') return whyNotOpened(call.url, task.hosts);
      if (!hasTried) return 'open a page first';
      if (call.tool === 'type') return unknownIn(call.text);
      if (call.tool === 'assert' && !isRead)
        return 'read the page before you assert anything: it may have changed';
      if (call.tool !== 'finish') return undefined;
      if (!isLast) return 'finish must be the last call';
      if (call.verdict === 'pass' && !(hasLoaded && asserted > 0))
        return 'assert at least one statement about a page before you finish with the verdict pass';
      return undefined;
    },
    async carryOut(call) {
      switch (call.tool) {
        case 'open':
          return acted({ do: 'open', url: call.url });
        case 'click':
          return acted({ do: 'click', ref: call.target });
        case 'type':
          return acted({ do: 'type', ref: call.target, ...task.fill(call.text) });
        case 'read':
          return read();
        case 'assert':
          asserted += 1;
          transcript.asserted(mask(call.statement), call.holds);
          usable(await browse({ do: 'picture', name: `assertion-${asserted}` }, signal));
          return 'Recorded.';
        default:
          return call satisfies never;
      }
    },
  };

  function unknownIn(text: string): string | undefined {
    try {
      task.fill(text);
      return undefined;
    } catch (error) {
      if (error instanceof UnknownVariable) return error.message;
      throw error;
    }
  }
}

function usable(reply: Reply): Reply {
  if (!reply.isDone && reply.isUnusable) throw new PageUnusable(reply.error);
  return reply;
}
