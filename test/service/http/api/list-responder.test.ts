/** Lists of large rows: made a piece at a time, in turns, for clients that read them. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createListResponder, LIST_LIMITS, Rows } from '../../../../src/service/http/api/list-responder.ts';
import { send } from '../../../support/send.ts';
import { startTestService } from '../../../support/service.ts';

const LARGE = 'a'.repeat(600_000);
const here = () => false;

/** Portions of one row each, and how many of them were read. */
function rows(count: number, row: (place: number) => unknown) {
  const seen = { read: 0 };
  async function* portions() {
    for (; seen.read < count; ) {
      seen.read += 1;
      yield [row(seen.read)];
    }
  }
  return { seen, portions: portions() };
}

it('sends a short list at once, and a long one in pieces: with the same rows', async () => {
  const answer = createListResponder();
  expect(await answer('one', new Rows(rows(0, String).portions), here)).toBe('[]');
  expect(await answer('one', new Rows(rows(3, Number).portions), here)).toBe('[1,2,3]');
  expect(await answer('one', new Rows(rows(2, Number).portions, 'next'), here)).toBe(
    '{"length":2,"entries":[1,2],"nextId":"next"}',
  );
  const large = (place: number) => ({ place, LARGE });
  const all = Array.from({ length: 5 }, (_, index) => large(index + 1));
  const list = (await answer('one', new Rows(rows(5, large).portions), here)) as Readable;
  expect(JSON.parse(await text(list))).toEqual(all);
  const page = (await answer('one', new Rows(rows(5, large).portions, null), here)) as Readable;
  expect(JSON.parse(await text(page))).toEqual({ length: 5, entries: all, nextId: null });
});

it('reads no further than the client does', async () => {
  const { seen, portions } = rows(50, () => LARGE);
  const list = (await createListResponder()('one', new Rows(portions), here)) as Readable;
  await once(list, 'readable');
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(seen.read).toBeLessThanOrEqual(3);
  list.destroy();
});

it('makes no more of a list whose client is gone', async () => {
  let isGone = false;
  const { seen, portions } = rows(50, () => LARGE);
  const list = (await createListResponder()('one', new Rows(portions), () => isGone)) as Readable;
  isGone = true;
  await text(list);
  expect(seen.read).toBe(1);
});

it('ends an answer with an error where its rows cannot be read', async () => {
  async function* broken() {
    yield [LARGE, LARGE];
    throw new Error('no row');
  }
  const list = (await createListResponder()('one', new Rows(broken()), here)) as Readable;
  await expect(text(list)).rejects.toThrow('no row');
});

it('gives each account its turn, and refuses lists beyond those that may wait', async () => {
  const answer = createListResponder({ ...LIST_LIMITS, perAccount: 1, total: 1 });
  const order: string[] = [];
  const list = (account: string, mark: string) => {
    async function* portions() {
      order.push(mark);
      yield [mark];
    }
    return answer(account, new Rows(portions()), here);
  };
  const greedy = Array.from({ length: 1 + LIST_LIMITS.maxWaiting }, (_, index) =>
    list('greedy', `g${index}`),
  );
  await expect(list('greedy', 'refused')).rejects.toMatchObject({
    ...{ status: 503, headers: { 'retry-after': '5' } },
    message: 'Too many concurrent list requests: 50 requests of this account are waiting',
  });
  await Promise.all([...greedy, list('other', 'other')]);
  expect(order.slice(0, 4)).toEqual(['g0', 'g1', 'other', 'g2']);
  expect(order).toHaveLength(2 + LIST_LIMITS.maxWaiting);
});

it('lets whatever else waits come between two pieces', async () => {
  const { seen, portions } = rows(20, () => LARGE);
  const list = (await createListResponder({ ...LIST_LIMITS, perAccount: 1 })(
    'one',
    new Rows(portions),
    here,
  )) as Readable;
  const reading = text(list);
  const read: number[] = [];
  while (!list.readableEnded) {
    read.push(seen.read);
    await new Promise(setImmediate);
  }
  await reading;
  expect(new Set(read).size).toBeGreaterThan(15);
});

it('answers all the checks of a page, by number, however large they are', async () => {
  const app = await startTestService();
  onTestFinished(() => app.close());
  for (let made = 0; made < 7; made += 1) {
    const body = { name: `check ${made}`, script: `//${made}${LARGE}`, activated: false };
    expect((await send(app, 'POST /v1/checks/browser', body)).status).toBe(201);
  }
  const list = async (page: number) => {
    const { status, body, headers } = await send(app, `GET /v1/checks?limit=5&page=${page}`);
    const shown = (body as { name: string; script: string }[]).map(({ name, script }) => [
      name,
      script.length,
    ]);
    return [status, headers.get('content-range'), shown];
  };
  const row = (made: number) => [`check ${made}`, LARGE.length + 3];
  expect(await list(1)).toEqual([200, '0-4/7', [6, 5, 4, 3, 2].map(row)]);
  expect(await list(2)).toEqual([200, '5-6/7', [1, 0].map(row)]);
});
