/** The judge process: makes the judgements that it is sent, one after the other, and answers with their outcomes. */
import { decodedResponse } from '../api/response.ts';
import { apiVerdict } from '../api/evaluation.ts';
import { dnsVerdict } from '../dns/evaluation.ts';
import { urlVerdict } from '../http/url-evaluation.ts';
import { icmpVerdict } from '../icmp/evaluation.ts';
import { scrubbedOutcome } from '../scrub.ts';
import { tcpVerdict } from '../tcp/evaluation.ts';
import type { Judgement } from '../types.ts';
import type { JudgeReply, JudgeRequest } from './protocol.ts';

const JUDGEMENTS: readonly Judgement<never, unknown>[] = [
  apiVerdict,
  decodedResponse,
  dnsVerdict,
  icmpVerdict,
  scrubbedOutcome,
  tcpVerdict,
  urlVerdict,
];
const BY_NAME = new Map(JUDGEMENTS.map((judgement) => [judgement.name, judgement]));

function replyTo({ id, name, input }: JudgeRequest): JudgeReply {
  try {
    const judgement = BY_NAME.get(name);
    if (judgement === undefined) throw new Error(`unknown judgement ${name}`);
    return { id, output: judgement.run(input as never) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Replies wait for the next ones of their message for this long, in ms: sending costs more than most judgements. */
const LONGEST_HELD_MS = 5;

/** Answers requests on the channel of `host`, and ends when that closes. */
export function main(host: NodeJS.Process): void {
  host.on('message', (requests: readonly JudgeRequest[]) => {
    let replies: JudgeReply[] = [];
    let since = performance.now();
    for (const request of requests) {
      replies.push(replyTo(request));
      if (request !== requests.at(-1) && performance.now() - since < LONGEST_HELD_MS) continue;
      host.send?.(replies);
      replies = [];
      since = performance.now();
    }
  });
  host.send?.([{ id: 0, output: undefined }] satisfies JudgeReply[]);
  host.on('disconnect', () => host.exit());
  // Signals of a terminal reach the whole group of processes. The parent ends this process when it has no more work for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) host.on(signal, () => {});
}
