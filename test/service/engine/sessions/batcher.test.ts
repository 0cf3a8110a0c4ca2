/** Gathering: a crowd is committed together, and what somebody waits for is not kept for it. */
import { expect, it } from 'vitest';
import { createBatcher, createPacer } from '../../../../src/service/engine/sessions/batcher.ts';
import { DatabaseFault } from '../../../../src/service/store/errors.ts';
import { createManualClock } from '../../../support/clock.ts';

function gathering() {
  const clock = createManualClock();
  const commits: string[][] = [];
  const put = createBatcher<string, void>(
    async (items) => {
      commits.push([...items]);
      return [];
    },
    { limit: 10, coalesce: createPacer(clock, 250), isUrgent: (item) => item.startsWith('!') },
  );
  return { clock, commits, put: (item: string) => void put(item) };
}

it('commits who comes alone at once, and gathers those who come after', async () => {
  const { clock, commits, put } = gathering();
  put('a');
  await clock.advance(0);
  expect(commits).toEqual([['a']]);
  put('b');
  await clock.advance(200);
  put('c');
  await clock.advance(49);
  expect(commits).toEqual([['a']]);
  await clock.advance(1);
  expect(commits).toEqual([['a'], ['b', 'c']]);
});

it('commits what is urgent at once, and all that waits with it', async () => {
  const { clock, commits, put } = gathering();
  put('a');
  await clock.advance(0);
  put('b');
  await clock.advance(10);
  put('!c');
  await clock.advance(0);
  put('!d');
  await clock.advance(0);
  expect(commits).toEqual([['a'], ['b', '!c'], ['!d']]);
  expect(clock.sleeping).toBe(0);
});

it('tries nothing alone where the database failed for all', async () => {
  let commits = 0;
  const put = createBatcher<string, void>(
    async () => {
      commits += 1;
      throw new DatabaseFault('the database cannot be reached', true, undefined);
    },
    { limit: 10 },
  );
  const puts = await Promise.allSettled(['a', 'b', 'c'].map(put));
  expect(puts.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(commits).toBe(1);
});
