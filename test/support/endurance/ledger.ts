/** What the service acknowledged: every answer of a write is kept, and what must be there because of it is asked for again. */
import type { EnduringService } from './process.ts';

/** A thing that was made: what its name may be by now. Who got no answer to a write knows of two. */
export interface Item {
  readonly path: string;
  readonly names: Set<string>;
  gone: 'no' | 'maybe' | 'yes';
  isSeenGone?: boolean;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface Ledger {
  readonly items: Item[];
  /** Sessions whose start was acknowledged, and that had not ended when they were last looked at. */
  readonly sessions: Set<string>;
  /** What gates answered by exit code or status: whether they let the session pass. */
  readonly gates: { readonly sessionId: string; readonly isPassed: boolean }[];
  /** How many writes were acknowledged and left without an answer, and how often each status refused one. */
  readonly writes: { acknowledged: number; unanswered: number; readonly refused: Record<number, number> };
  /** A request; undefined: no answer came. */
  send(method: string, path: string, body?: unknown): Promise<Answer | undefined>;
  /** A write whose fate is counted. */
  write(method: string, path: string, body?: unknown): Promise<Answer | undefined>;
  /** What is not as it was acknowledged; empty: all is. The service runs, and nobody writes meanwhile. */
  wrong(): Promise<string[]>;
}

const ANSWER_MS = 20_000;
const AT_ONCE = 4;
const LOOKS = 5;

export function ledger(service: EnduringService): Ledger {
  const items: Item[] = [];
  const sessions = new Set<string>();
  const gates: { sessionId: string; isPassed: boolean }[] = [];
  const writes = { acknowledged: 0, unanswered: 0, refused: {} as Record<number, number> };

  async function send(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    try {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(ANSWER_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
    } catch {
      return undefined;
    }
  }

  /** Asks for it again where no answer comes in time: nothing is killed meanwhile, but the machine may be busy. */
  async function look(path: string): Promise<Answer | undefined> {
    for (let left = LOOKS; left > 0; left -= 1) {
      const answer = await send('GET', path);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  async function itemWrong({ path, names, gone }: Item): Promise<string | undefined> {
    const answer = await look(path);
    if (answer === undefined) return `${path}: no answer`;
    if (answer.status === 404) return gone === 'no' ? `${path}: was acknowledged, and is gone` : undefined;
    if (answer.status !== 200) return `${path}: answered ${answer.status}`;
    if (gone === 'yes') return `${path}: was deleted, and is there`;
    const name = String(answer.body?.name);
    return names.has(name) ? undefined : `${path}: is ${name}, acknowledged was ${[...names].join(' or ')}`;
  }

  return {
    ...{ items, sessions, gates, writes, send },
    async write(method, path, body) {
      const answer = await send(method, path, body);
      if (answer === undefined) writes.unanswered += 1;
      else if (answer.status < 300) writes.acknowledged += 1;
      else writes.refused[answer.status] = (writes.refused[answer.status] ?? 0) + 1;
      return answer;
    },
    async wrong() {
      const found: string[] = [];
      await each([...items], async (item) => {
        const problem = await itemWrong(item);
        if (problem !== undefined) found.push(problem);
        // What is gone as it should be is looked for once more after the next restart, then no longer.
        else if (item.gone === 'yes' && item.isSeenGone) items.splice(items.indexOf(item), 1);
        else if (item.gone === 'yes') item.isSeenGone = true;
      });
      await each([...sessions], async (id) => {
        const answer = await look(`/v2/check-sessions/${id}`);
        if (answer?.status !== 200) found.push(`session ${id}: answered ${answer?.status ?? 'nothing'}`);
        else if (answer.body?.stoppedAt !== null) sessions.delete(id);
      });
      return found;
    },
  };
}

/** Does it with each, a few at once. */
async function each<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const turns = Array.from({ length: AT_ONCE }, async () => {
    for (const one of left) await act(one);
  });
  await Promise.all(turns);
}
