/** How a question is put: over UDP with EDNS, again without EDNS or over TCP where the server's reply asks for it. */
import { type Reply, refusesEdns, writeQuery } from './message.ts';
import { type Bounds, queryTcp, queryUdp } from './transport.ts';
import type { Protocol, RecordType, Server } from './types.ts';

/** A name as wireName gives it, and the type of record wanted. */
export interface Question {
  readonly name: string;
  readonly type: RecordType;
}

/** A reply and how it came. */
export interface Exchange {
  readonly reply: Reply;
  /** What carried the reply. */
  readonly protocol: Protocol;
  /** True where a first reply, over UDP, was cut short. */
  readonly truncated: boolean;
  /** Milliseconds from the first query (TCP: from the start of its connection) to the whole reply, all rounds together. */
  readonly elapsedMs: number;
}

/**
 * Asks one server. All rounds share one wait. Rejects with NoAnswer where the network fails, with the signal's
 * reason where aborted.
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

/** One round, and its second half over TCP where UDP was too small for the answer. */
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
  return { reply: await queryTcp(query, server, remaining()), protocol: 'TCP', truncated: true, sentAt };
}
