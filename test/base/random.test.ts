/** Ids that begin with their time. */
import { expect, it } from 'vitest';
import { createUuidV7, systemRandom } from '../../src/base/random.ts';

it('makes UUIDs of version 7, in the order of their times', () => {
  const at = Date.UTC(2026, 10, 22);
  const ids = [at, at + 1, at + 255, at + 65_536].map((time) => createUuidV7(systemRandom, time));
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.toSorted()).toEqual(ids);
  expect(Number.parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16)).toBe(at);
});

it('makes no id twice within a millisecond', () => {
  expect(new Set(Array.from({ length: 1000 }, () => createUuidV7(systemRandom, 0))).size).toBe(1000);
});
