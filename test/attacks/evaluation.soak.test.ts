/** Attacks by the answers of targets and the assertions of checks: the service answers all the while, and the run ends. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type E2eService, startE2eService } from '../support/e2e.ts';

/** The longest time in ms for an answer of `/health`. Without limits of evaluations it was 49,000. */
const LONGEST_SILENCE_MS = 15_000;

interface Attack {
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly assertions?: readonly object[];
  /** A secret that the answer is searched for. */
  readonly secret?: string;
  /** What the result says. */
  readonly says: RegExp;
  readonly hasErrors?: boolean;
}

const stacked = (count: number): Buffer =>
  Array.from({ length: count }).reduce<Buffer>((body) => brotliCompressSync(body), Buffer.from('{}'));
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const regex = (pattern: string) => ({ source: 'TEXT_BODY', comparison: 'IS_EMPTY', regex: pattern });
const path = (property: string, comparison = 'NOT_EMPTY') => ({ source: 'JSON_BODY', property, comparison });

const ATTACKS: Readonly<Record<string, Attack>> = {
  'three thousand stacked encodings': {
    body: stacked(50),
    headers: { 'content-encoding': Array.from({ length: 3000 }, () => 'br').join(',') },
    assertions: [path('$')],
    says: /3000 content encodings: at most 3 are decoded/,
  },
  'an archive that unpacks to a gigabyte': {
    body: gzipSync(gzipSync(Buffer.alloc(1024 * 1024 * 1024))),
    headers: { 'content-encoding': 'gzip, gzip' },
    assertions: [path('$')],
    says: /cannot be decompressed/,
  },
  'a path that doubles with each segment': {
    body: nested(60),
    assertions: [path(`$${'[*,*]'.repeat(26)}`)],
    says: /selects more than 100000 values|took longer than 500 ms/,
  },
  'a hundred expressions that backtrack': {
    body: `${'a'.repeat(50_000)}b`,
    assertions: Array.from({ length: 100 }, () => regex('(a+)+$')),
    says: /^$/,
  },
  'a hundred expressions that look ahead and backtrack': {
    body: `${'a'.repeat(60)}b`,
    assertions: Array.from({ length: 100 }, () => regex('(?=(a+)+$)a')),
    says: /could not be evaluated: the judge process took longer than/,
    hasErrors: true,
  },
  'a filter that compares all with all': {
    body: JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id }))),
    assertions: Array.from({ length: 40 }, () => path('$[?count($..id) > 5]')),
    says: /could not be evaluated/,
    hasErrors: true,
  },
  'a secret of backslashes and quotes': {
    body: '\\"'.repeat(60) + '"'.repeat(33),
    secret: '\\"'.repeat(9),
    says: /^$/,
  },
  'a secret of percent signs in an answer of escapes': {
    body: '%25'.repeat(30_000) + '&amp;'.repeat(10_000) + '\\'.repeat(10_000),
    secret: '%25%25&amp;\\\\n',
    says: /^$/,
  },
  'a value of two thousand levels, and a secret to mask': {
    body: nested(2000),
    assertions: [path('$', 'IS_EMPTY')],
    secret: 'pä"ss',
    says: /JSON_BODY \$ IS_EMPTY/,
  },
  'a document of nine thousand levels': {
    body: nested(9000),
    assertions: [path('$..*'), path('$', 'IS_EMPTY'), { ...path('$', 'EQUALS'), target: '[]' }],
    says: /descends more than 500 levels/,
  },
  'a document of two million levels': {
    body: nested(2_000_000),
    assertions: [path('$..*')],
    says: /the body is nested deeper than 10000 levels/,
  },
  'a document of a million lists, looked at a hundred times': {
    body: `[${'[],'.repeat(1_300_000)}1]`,
    assertions: Array.from({ length: 100 }, () => path('$[0]', 'NOT_EMPTY')),
    says: /JSON_BODY \$\[0\] NOT_EMPTY/,
  },
};

let service: E2eService;
let target: Server;
beforeAll(async () => {
  target = createServer((request, response) => {
    const { body, headers } = ATTACKS[decodeURIComponent((request.url ?? '').slice(1))] ?? { body: '' };
    response.writeHead(200, headers).end(body);
  }).listen(0, '127.0.0.1');
  service = await startE2eService('--rate-limit', '100000');
}, 120_000);
afterAll(async () => {
  target.close();
  await service.close();
});

/** Asks `/health` again and again until `work` is over; gives the longest time that an answer took, in ms. */
async function silenceDuring(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const watched = work.finally(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) {
    const asked = performance.now();
    expect((await service.api('GET /health')).status).toBe(200);
    longest = Math.max(longest, performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await watched;
  return longest;
}

async function resultOf(name: string, { assertions = [], secret }: Attack) {
  const { port } = target.address() as AddressInfo;
  if (secret !== undefined)
    await service.make('POST /v1/variables', {
      key: `S${Math.random().toString(36).slice(2)}`,
      value: secret,
      secret: true,
    });
  const { id } = await service.make<{ id: string }>('POST /v1/checks/api', {
    ...{ name, locations: ['eu-west-1'], frequency: 1440, retryStrategy: null },
    request: { url: `http://127.0.0.1:${port}/${encodeURIComponent(name)}`, method: 'GET', assertions },
  });
  const { sessions } = await service.make<{ sessions: readonly { checkSessionId: string }[] }>(
    'POST /v2/check-sessions/trigger',
    { target: { checkId: [id] } },
  );
  await service.make(`GET /v2/check-sessions/${sessions[0]?.checkSessionId}/completion?maxWaitSeconds=30`);
  const { entries } = await service.make<{ entries: readonly Record<string, unknown>[] }>(
    `GET /v2/check-results/${id}`,
  );
  return entries[0] as {
    hasErrors: boolean;
    apiCheckResult: { assertions?: readonly { message: string }[] };
  };
}

it.each(Object.entries(ATTACKS))('%s', async (name, attack) => {
  const pid = service.pid();
  const found = resultOf(name, attack);
  expect(await silenceDuring(found)).toBeLessThan(LONGEST_SILENCE_MS);
  const result = await found;
  expect(JSON.stringify(result)).toMatch(attack.says.source === '^$' ? /"hasErrors":false/ : attack.says);
  expect(result.hasErrors).toBe(attack.hasErrors === true);
  expect(service.pid()).toBe(pid);
});
