/** A stopper that may stand where an AbortController does. */
import { describe, expect, it } from 'vitest';
import { type AbortControllerLike, FastAbortController, toAbortSignal } from '../../src/base/abort.ts';

const KINDS: readonly (readonly [string, () => AbortControllerLike])[] = [
  ['an AbortController', () => new AbortController()],
  ['a Stop', () => new FastAbortController()],
];

describe.each(KINDS)('%s', (_, create) => {
  it('tells those who still watch, in their order and once, and keeps its first reason', () => {
    const { signal, abort } = watched(create());
    const told: string[] = [];
    const gone = () => told.push('gone');
    signal.addEventListener('abort', () => {
      told.push(`first: ${String(signal.reason)}`);
      signal.removeEventListener('abort', second);
    });
    const second = () => told.push('second');
    signal.addEventListener('abort', gone);
    signal.addEventListener('abort', second);
    signal.addEventListener('abort', () => told.push('third'));
    signal.removeEventListener('abort', gone);
    expect(signal.aborted).toBe(false);
    signal.throwIfAborted();
    abort('enough');
    abort('again');
    expect(told).toEqual(['first: enough', 'third']);
    expect([signal.aborted, signal.reason]).toEqual([true, 'enough']);
    expect(() => signal.throwIfAborted()).toThrow('enough');
  });

  it('has a reason also where none is given', () => {
    const { signal, abort } = watched(create());
    abort();
    expect(signal.reason).toMatchObject({ name: 'AbortError' });
  });

  it('is an AbortSignal for those who take nothing else, before and after', () => {
    const stopper = create();
    const [before, told] = [toAbortSignal(stopper.signal), [] as unknown[]];
    before.addEventListener('abort', () => told.push(before.reason));
    stopper.abort('enough');
    expect(told).toEqual(['enough']);
    expect(toAbortSignal(stopper.signal)).toBeInstanceOf(AbortSignal);
    expect(toAbortSignal(stopper.signal)).toMatchObject({ aborted: true, reason: 'enough' });
  });
});

function watched(stopper: AbortControllerLike) {
  return { signal: stopper.signal, abort: (reason?: unknown) => stopper.abort(reason) };
}
