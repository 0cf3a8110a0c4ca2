/** Values that are made once for all who ask at the same time, or soon after. */
import { expect, it } from 'vitest';
import { createShortCache } from '../../src/base/short-cache.ts';

function world() {
  let now = 1000;
  let made = 0;
  const cache = createShortCache<number>({ ttlMs: 100, maxEntries: 2, clock: { now: () => now } });
  return {
    step: (ms: number) => {
      now += ms;
    },
    get: (key = 'a', version = '1') =>
      cache(key, version, async () => {
        made += 1;
        return made;
      }),
    cache,
  };
}

it('makes one value for all who ask at once, and until it is too old', async () => {
  const { get, step } = world();
  expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
  step(99);
  expect(await get()).toBe(1);
  step(1);
  expect(await get()).toBe(2);
  step(-5000);
  expect(await get()).toBe(3);
});

it('makes another for another key and another version', async () => {
  const { get } = world();
  expect(await get('a', '1')).toBe(1);
  expect(await get('b', '1')).toBe(2);
  expect(await get('a', '2')).toBe(3);
  expect(await get('b', '1')).toBe(2);
});

it('remembers no more than it may', async () => {
  const { get } = world();
  for (const key of ['a', 'b', 'c']) await get(key);
  expect(await get('c')).toBe(3);
  expect(await get('a')).toBe(4);
});

it('tells all who ask of a failure, and tries again for the next', async () => {
  const { cache, get } = world();
  const fail = () => cache('a', '1', () => Promise.reject(new Error('down')));
  const [one, other] = [fail(), get()];
  await expect(one).rejects.toThrow('down');
  await expect(other).rejects.toThrow('down');
  expect(await get()).toBe(1);
});

it('evicts the oldest values beyond a size', async () => {
  const cache = createShortCache<string>({
    ...{ ttlMs: 100, maxEntries: 10, maxBytes: 10, clock: { now: () => 0 } },
    sizeOf: (value) => value.length,
  });
  let made = 0;
  const get = (key: string, length: number) =>
    cache(key, '', async () => {
      made += 1;
      return key.repeat(length);
    });
  for (const key of ['a', 'b', 'a', 'b']) await get(key, 5);
  expect(made).toBe(2);
  await get('c', 1);
  await get('b', 5);
  expect(made).toBe(3);
  await get('a', 5);
  expect(made).toBe(4);
  await get('d', 11);
  await get('d', 11);
  expect(made).toBe(6);
});
