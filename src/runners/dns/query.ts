/** Sends a question over UDP with EDNS, and again without EDNS or over TCP if the reply requires it. */
import { type Reply, refusesEdns, writeQuery } from './message.ts';
import { type Bounds, queryTcp, queryUdp } from './transport.ts';
import { NoAnswer, type Protocol, type RecordType, type Server } from './types.ts';

/** A name from toWireName and a record type. */
export interface Question {
  readonly name: string;
  readonly type: RecordType;
}

/** A reply and its transport. */
export interface Exchange {
  readonly reply: Reply;
  /** The protocol of the reply. */
  readonly protocol: Protocol;
  /** True if the first reply, over UDP, was truncated. */
  readonly truncated: boolean;
  /** Milliseconds from the first query (TCP: from connecting) to the complete reply, over all rounds. */
  readonly elapsedMs: number;
}

/**
 * Queries one server. All rounds share one timeout. Rejects with NoAnswer if the network fails, and with the reason
 * of an aborted signal.
 */
export async function queryServer(
  question: Question,
  protocol: Protocol,
  server: Server,
  bounds: Bounds,
): Promise<Exchange> {
  const { clock } = bounds;
  const start = clock.monotonic();
  const remainingBounds = (): Bounds => ({
    ...bounds,
    timeoutMs: Math.max(1, Math.round(bounds.timeoutMs - (clock.monotonic() - start))),
  });
  const first = await queryOnce(question, protocol, server, bounds, remainingBounds, true);
  const last = refusesEdns(first.reply)
    ? await queryOnce(question, protocol, server, remainingBounds(), remainingBounds, false)
    : first;
  const { reply, truncated } = last;
  return { reply, protocol: last.protocol, truncated, elapsedMs: clock.monotonic() - first.sentAt };
}

/** Makes one round, with TCP after a truncated UDP reply. */
async function queryOnce(
  question: Question,
  protocol: Protocol,
  server: Server,
  bounds: Bounds,
  remaining: () => Bounds,
  edns: boolean,
): Promise<Omit<Exchange, 'elapsedMs'> & { readonly sentAt: number }> {
  const query = writeQuery(question.name, question.type, edns);
  if (protocol === 'TCP') {
    const sentAt = bounds.clock.monotonic();
    return { reply: await queryTcp(query, server, bounds), protocol, truncated: false, sentAt };
  }
  const { reply, sentAt } = await queryUdp(query, server, bounds);
  if (reply !== undefined) return { reply, protocol, truncated: false, sentAt };
  try {
    return { reply: await queryTcp(query, server, remaining()), protocol: 'TCP', truncated: true, sentAt };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new NoAnswer(error.reason, `the answer over UDP was truncated, and TCP failed: ${error.message}`);
  }
}
