/** Gathering: a crowd is committed together, and what somebody waits for is not kept for it. */
import { expect, it } from 'vitest';
import { batched, paced } from '../../../src/service/sessions/batcher.ts';
import { createManualClock } from '../../support/clock.ts';

function gathering() {
  const clock = createManualClock();
  const commits: string[][] = [];
  const put = batched<string, void>(
    async (items) => {
      commits.push([...items]);
      return [];
    },
    { most: 10, gather: paced(clock, 250), isUrgent: (item) => item.startsWith('!') },
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
