/** Work on many things: a few at a time, and nothing more begins once it is to stop. */
import { describe, expect, it } from 'vitest';
import { CancelledError, UsageError } from '../../../src/base/errors.ts';
import { type BulkTask, runForAll } from '../../../src/cli/bulk/run-for-all.ts';

const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that ends only when it is let go; `started` tells who has begun. */
function heldWork(signal = new AbortController().signal) {
  const started: number[] = [];
  const held = new Map<
    number,
    { readonly resolve: (id: number) => void; readonly reject: (e: Error) => void }
  >();
  const task: BulkTask<number, number> = {
    inputs: numbers,
    idOf: (id) => id,
    work: (id) =>
      new Promise((resolve, reject) => {
        started.push(id);
        held.set(id, { resolve, reject });
      }),
    onSuccess: async () => {},
    signal,
  };
  return { task, started, held };
}

describe('bulk work', () => {
  it('has four under way, and begins the next when one has ended', async () => {
    const { task, started, held } = heldWork();
    const running = runForAll(task);
    await turn();
    expect(started).toEqual([1, 2, 3, 4]);
    held.get(3)?.resolve(3);
    await turn();
    expect(started).toEqual([1, 2, 3, 4, 5]);
    for (let index = 0; index < started.length; index++) {
      held.get(started[index] ?? 0)?.resolve(started[index] ?? 0);
      await turn();
    }
    expect((await running).map(({ id }) => id)).toEqual(numbers);
  });

  it('begins nothing more once the program is told to stop', async () => {
    const stop = new AbortController();
    const { task, started, held } = heldWork(stop.signal);
    const running = runForAll(task);
    await turn();
    stop.abort(new CancelledError('SIGINT'));
    for (const { resolve } of held.values()) resolve(0);
    await expect(running).rejects.toThrow('interrupted');
    await turn();
    expect(started).toEqual([1, 2, 3, 4]);
  });

  it('takes a failure that it knows for an outcome, and a bug for a bug', async () => {
    const failing = (error: Error) =>
      runForAll({
        ...heldWork().task,
        inputs: [1, 2],
        work: async (id) => (id === 1 ? Promise.reject(error) : id),
      });
    expect(await failing(new UsageError('no'))).toMatchObject([
      { id: 1, error: { message: 'no' } },
      { id: 2, value: 2 },
    ]);
    await expect(failing(new TypeError('a bug'))).rejects.toThrow('a bug');
  });
});
