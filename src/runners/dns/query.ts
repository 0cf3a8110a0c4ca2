/** How a question is put: over UDP with EDNS, again without EDNS or over TCP where the server's reply asks for it. */
import { type Query, type Reply, refusesEdns, writeQuery } from './message.ts';
import { askTcp, askUdp, type Bounds } from './transport.ts';
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
  /** Milliseconds from the first query to the whole reply, all rounds together. */
  readonly elapsedMs: number;
}

/**
 * Asks one server. All rounds share one wait. Rejects with NoAnswer where the network fails, with the signal's
 * reason where aborted.
 */
export async function ask(
  question: Question,
  protocol: Protocol,
  server: Server,
  bounds: Bounds,
): Promise<Exchange> {
  const start = bounds.clock.monotonic();
  const elapsed = () => bounds.clock.monotonic() - start;
  const remaining = (): Bounds => ({ ...bounds, waitMs: Math.max(1, Math.round(bounds.waitMs - elapsed())) });
  const put = async (query: Query, within: Bounds): Promise<Omit<Exchange, 'elapsedMs'>> => {
    if (protocol === 'TCP') {
      return { reply: await askTcp(query, server, within), protocol, truncated: false };
    }
    const udp = await askUdp(query, server, within);
    if (!udp.truncated) return { reply: udp.reply, protocol, truncated: false };
    return { reply: await askTcp(query, server, remaining()), protocol: 'TCP', truncated: true };
  };
  const first = await put(writeQuery(question.name, question.type), bounds);
  const last = refusesEdns(first.reply)
    ? await put(writeQuery(question.name, question.type, false), remaining())
    : first;
  return { ...last, elapsedMs: elapsed() };
}
