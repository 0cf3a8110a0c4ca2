/** Mixed load on a service: people and programs who make, change, delete, start, wait and read, until they are told to rest. */
import { startSonde } from '../binary.ts';
import type { Item, Ledger } from './ledger.ts';
import { dnsBody, type World } from './world.ts';

/** So many things of each who works are there at once. */
const MOST_ITEMS = 40;
const GATE_SECONDS = 60;

interface Kind {
  readonly path: string;
  readonly body: (name: string) => object;
}
const KINDS: readonly Kind[] = [
  {
    path: '/v1/checks',
    body: (name) => dnsBody(name, 'good.example', { tags: ['churn'], frequency: 1, frequencyOffset: 5 }),
  },
  { path: '/v1/check-groups', body: (name) => ({ name, concurrency: 2 }) },
  { path: '/v1/snippets', body: (name) => ({ name, script: 'console.log(1)' }) },
  {
    path: '/v1/maintenance-windows',
    body: (name) => ({
      ...{ name, tags: ['nobody'], repeatUnit: null },
      ...{ startsAt: '2026-11-21T00:00:00Z', endsAt: '2046-11-21T00:00:00Z' },
    }),
  },
];

type Own = Item & { readonly kind: Kind };

/** One who works. What it made is its own, so that what that must be is known. */
export interface Worker {
  /** Works until it is told to rest, with pauses of about so many ms. */
  work(rest: AbortSignal, pauseMs: number): Promise<void>;
}

export function worker(book: Ledger, world: World, name: string): Worker {
  const own: Own[] = [];
  let number = 0;
  return {
    async work(rest, pauseMs) {
      while (!rest.aborted) {
        number += 1;
        const chance = Math.random();
        const word = `${name}.${number}`;
        const item = anyOf(own);
        if (item === undefined || (chance < 0.25 && own.length < MOST_ITEMS)) await make(book, own, word);
        else if (chance < 0.45) await change(book, item, word);
        else if (chance < 0.57) await remove(book, own, item);
        else if (chance < 0.67) await trigger(book, world.byHand);
        else if (chance < 0.7) await follow(book, anyOf(world.triggers) ?? '');
        else if (chance < 0.75) await awaitOne(book);
        else await read(book, anyOf(world.steady)?.id ?? '');
        await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
      }
    },
  };
}

const anyOf = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];

async function make(book: Ledger, own: Own[], word: string): Promise<void> {
  const kind = anyOf(KINDS);
  if (kind === undefined) return;
  const path = kind.path === '/v1/checks' ? '/v1/checks/dns' : kind.path;
  const answer = await book.write('POST', path, kind.body(word));
  if (answer?.status !== 201) return;
  const item = { kind, path: `${kind.path}/${answer.body?.id}`, names: new Set([word]), gone: 'no' as const };
  own.push(item);
  book.items.push(item);
}

async function change(book: Ledger, item: Own, word: string): Promise<void> {
  const isCheck = item.kind.path === '/v1/checks';
  const path = isCheck ? item.path.replace('/v1/checks/', '/v1/checks/dns/') : item.path;
  const answer = await book.write('PUT', path, item.kind.body(word));
  if (answer === undefined || answer.status >= 500) item.names.add(word);
  else if (answer.status === 200) {
    item.names.clear();
    item.names.add(word);
  }
}

async function remove(book: Ledger, own: Own[], item: Own): Promise<void> {
  const answer = await book.write('DELETE', item.path);
  item.gone = answer?.status === 204 ? 'yes' : 'maybe';
  own.splice(own.indexOf(item), 1);
}

type Started = readonly { readonly checkSessionId: string }[] | undefined;

async function trigger(book: Ledger, checkId: readonly string[]): Promise<void> {
  const answer = await book.write('POST', '/v2/check-sessions/trigger', { target: { checkId } });
  for (const { checkSessionId } of (answer?.body?.sessions ?? []) as NonNullable<Started>) {
    book.sessions.add(checkSessionId);
  }
}

/** Calls a public address that starts something. */
async function follow(book: Ledger, path: string): Promise<void> {
  const answer = await book.write('GET', path);
  for (const { checkSessionId } of (answer?.body?.sessions ?? []) as NonNullable<Started>) {
    book.sessions.add(checkSessionId);
  }
}

/** Waits for one of the sessions that were started, as a gate does. */
async function awaitOne(book: Ledger): Promise<void> {
  const sessionId = anyOf([...book.sessions]);
  if (sessionId === undefined) return;
  const answer = await book.send('GET', `/v2/check-sessions/${sessionId}/completion?maxWaitSeconds=5`);
  if (answer?.status === 200) book.gates.push({ sessionId, isPassed: answer.body?.status === 'PASSED' });
}

async function read(book: Ledger, checkId: string): Promise<void> {
  const paths = [
    '/v1/checks?limit=100',
    `/v2/check-results/${checkId}?limit=100&resultType=ALL`,
    `/v1/check-results/${checkId}/rollups`,
    `/v1/error-groups/checks/${checkId}`,
    '/v2/check-sessions?limit=50',
    '/v1/alert-notifications?limit=50',
    '/v1/status-pages/incidents?limit=50',
  ];
  await book.send('GET', anyOf(paths) ?? '');
}

/** Holds gates on the command line, one after the other, whatever becomes of the service meanwhile. */
export async function holdGates(
  book: Ledger,
  world: World,
  home: string,
  rest: AbortSignal,
  pauseMs: number,
) {
  while (!rest.aborted) {
    const answer = await book.write('POST', '/v2/check-sessions/trigger', {
      target: { checkId: [anyOf(world.byHand)] },
    });
    const [started] = (answer?.body?.sessions ?? []) as NonNullable<Started>;
    if (started !== undefined) {
      const sessionId = started.checkSessionId;
      book.sessions.add(sessionId);
      const words = ['sessions', 'wait', sessionId, '--timeout', `${GATE_SECONDS}s`, '--quiet'];
      const env = { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home };
      const { code } = await startSonde(words, { env }).ended;
      if (code === 0 || code === 1) book.gates.push({ sessionId, isPassed: code === 0 });
    }
    await new Promise((resolve) => setTimeout(resolve, rest.aborted ? 0 : pauseMs));
  }
}

/** Starts sessions of all checks that people start, again and again. */
export async function starts(book: Ledger, world: World, rest: AbortSignal, everyMs: number) {
  while (!rest.aborted) {
    await trigger(book, world.byHand);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
