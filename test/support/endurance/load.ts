/** Mixed load on a service: people and programs who make, change, delete, start and read, until they are told to rest. */
import type { Item, Ledger } from './ledger.ts';

/** Checks that are never touched: every tick of theirs is accounted for in the end. */
const STEADY = 12;
const MOST_ITEMS = 60;
const REST_MS = 15;

const bodyOf = (name: string, query: string, more: object = {}) => ({
  ...{ name, request: { query, assertions: [] }, heartbeat: {}, script: '' },
  ...{ maxResponseTime: 5000, degradedResponseTime: 5000, tags: ['churn'] },
  ...more,
});

/** Makes what is there from the beginning: steady checks every ten seconds, good and bad, and a channel for alerts. */
export async function prepare(book: Ledger, receiver: string): Promise<string[]> {
  const channel = { type: 'WEBHOOK', config: { name: 'ledger', url: receiver } };
  await must(book, '/v1/alert-channels', {
    ...channel,
    sendRecovery: true,
    sendFailure: true,
    sendDegraded: true,
  });
  const ids: string[] = [];
  for (let n = 0; n < STEADY; n += 1) {
    const query = n % 4 === 3 ? 'missing.example' : 'good.example';
    const schedule = { tags: ['steady'], frequency: 0, frequencyOffset: 10 };
    const retryStrategy = n % 2 === 0 ? null : { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 2 };
    const name = `steady ${n}`;
    const made = await must(book, '/v1/checks/dns', bodyOf(name, query, { ...schedule, retryStrategy }));
    ids.push(String(made.id));
    book.items.push({ path: `/v1/checks/${made.id}`, names: new Set([name]), gone: 'no' });
  }
  return ids;
}

async function must(book: Ledger, path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const answer = await book.write('POST', path, body);
  if (answer?.status !== 201 || answer.body === undefined) {
    throw new Error(`POST ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
  }
  return answer.body;
}

interface Kind {
  readonly path: string;
  readonly body: (name: string) => object;
}
const KINDS: readonly Kind[] = [
  {
    path: '/v1/checks',
    body: (name) => ({ type: 'DNS', checkType: 'DNS', ...bodyOf(name, 'good.example') }),
  },
  { path: '/v1/check-groups', body: (name) => ({ name, concurrency: 2 }) },
  { path: '/v1/snippets', body: (name) => ({ name, script: 'console.log(1)' }) },
  {
    path: '/v1/maintenance-windows',
    body: (name) => ({
      ...{ name, tags: ['churn'], repeatUnit: null },
      ...{ startsAt: '2026-11-21T00:00:00Z', endsAt: '2046-11-21T00:00:00Z' },
    }),
  },
];

/** One who works: its items are its own, so that what they must be is known. */
export async function worker(
  book: Ledger,
  steady: readonly string[],
  name: string,
  rest: AbortSignal,
): Promise<void> {
  const own: (Item & { readonly kind: Kind })[] = [];
  for (let number = 0; !rest.aborted; number += 1) {
    const chance = Math.random();
    const word = `${name}.${number}`;
    const item = own[Math.floor(Math.random() * own.length)];
    if (item === undefined || (chance < 0.25 && own.length < MOST_ITEMS)) await make(book, own, word);
    else if (chance < 0.5) await change(book, item, word);
    else if (chance < 0.6) await remove(book, own, item);
    else if (chance < 0.75) await trigger(book, steady[Math.floor(Math.random() * steady.length)] ?? '');
    else await read(book, steady[Math.floor(Math.random() * steady.length)] ?? '');
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
}

async function make(book: Ledger, own: (Item & { readonly kind: Kind })[], word: string): Promise<void> {
  const kind = KINDS[Math.floor(Math.random() * KINDS.length)];
  if (kind === undefined) return;
  const path = kind.path === '/v1/checks' ? '/v1/checks/dns' : kind.path;
  const { type: _, checkType: __, ...body } = kind.body(word) as { type?: string; checkType?: string };
  const answer = await book.write('POST', path, body);
  if (answer?.status !== 201) return;
  const item = { kind, path: `${kind.path}/${answer.body?.id}`, names: new Set([word]), gone: 'no' as const };
  own.push(item);
  book.items.push(item);
}

async function change(book: Ledger, item: Item & { readonly kind: Kind }, word: string): Promise<void> {
  const isCheck = item.kind.path === '/v1/checks';
  const path = isCheck ? item.path.replace('/v1/checks/', '/v1/checks/dns/') : item.path;
  const { type: _, checkType: __, ...body } = item.kind.body(word) as { type?: string; checkType?: string };
  const answer = await book.write('PUT', path, body);
  if (answer === undefined || answer.status >= 500) item.names.add(word);
  else if (answer.status === 200) {
    item.names.clear();
    item.names.add(word);
  }
}

async function remove(book: Ledger, own: (Item & { readonly kind: Kind })[], item: Item): Promise<void> {
  const answer = await book.write('DELETE', item.path);
  item.gone = answer?.status === 204 ? 'yes' : item.gone === 'no' && answer?.status === 409 ? 'no' : 'maybe';
  if (item.gone !== 'no') own.splice(own.indexOf(item as Item & { readonly kind: Kind }), 1);
}

async function trigger(book: Ledger, checkId: string): Promise<void> {
  const answer = await book.write('POST', '/v2/check-sessions/trigger', { target: { checkId: [checkId] } });
  for (const session of (answer?.body?.sessions ?? []) as { checkSessionId: string }[]) {
    book.sessions.add(session.checkSessionId);
  }
}

async function read(book: Ledger, checkId: string): Promise<void> {
  const paths = [
    '/v1/checks?limit=100',
    `/v2/check-results/${checkId}?limit=100&resultType=ALL`,
    `/v1/check-results/${checkId}/rollups`,
    `/v1/error-groups/checks/${checkId}`,
    '/v2/check-sessions?limit=50',
  ];
  await book.send('GET', paths[Math.floor(Math.random() * paths.length)] ?? '');
}
