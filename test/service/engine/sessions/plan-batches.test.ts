/** The order of checks that are started together. */
import { expect, it } from 'vitest';
import { planBatches } from '../../../../src/service/engine/sessions/start-sessions.ts';

const member = (name: string, groupOrder?: number | null, group?: { id: number; concurrency?: number }) => ({
  ...{ name, check: { body: groupOrder === undefined ? {} : { groupOrder } } },
  group: group && { id: group.id, body: { concurrency: group.concurrency } },
});
const turnsOf = (...subjects: ReturnType<typeof member>[]) => {
  let made = 0;
  return planBatches(subjects, () => {
    made += 1;
    return `batch ${made}`;
  }).map(({ subject, batch: { batch } }) =>
    [subject.name, batch?.id, batch?.position, batch?.held].filter((part) => part !== undefined).join(' '),
  );
};
const shop = { id: 1, concurrency: 1 };
const mail = { id: 2 };

it('leaves checks of no group as they came, and holds none of them back', () => {
  expect(turnsOf(member('b', 2), member('a', 1))).toEqual(['b', 'a']);
});

it('orders each group by groupOrder, those without one last, and holds back what is beyond its concurrency', () => {
  expect(
    turnsOf(
      ...[member('last', null, shop), member('alone'), member('second', 2, shop), member('m1', 1, mail)],
      ...[member('first', 0, shop), member('m0', 0, mail), member('m4', 4, mail), member('m3', 3, mail)],
    ),
  ).toEqual([
    ...['first batch 1 0 false', 'second batch 1 1 true', 'last batch 1 2 true', 'alone'],
    ...['m0 batch 2 0 false', 'm1 batch 2 1 false', 'm3 batch 2 2 false', 'm4 batch 2 3 true'],
  ]);
});

it('makes no batch where all of a group may go at once', () => {
  expect(turnsOf(member('b', 2, mail), member('a', 1, mail))).toEqual(['a', 'b']);
});
