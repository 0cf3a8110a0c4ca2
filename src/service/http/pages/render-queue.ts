/**
 * Runs the work of public pages that are not cached, one piece at a time, in turns by page. Between two pieces the rest of
 * the service has as much time as the last one took, so that requests for many different pages take at most half of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../api/problem.ts';

/** Maximum number of pieces that wait: of one page, and of all. */
const MAX_WAITING_PER_PAGE = 50;
const MAX_WAITING = 200;
/** Longest pause between two pieces, in ms. */
const MAX_REST_MS = 250;

export type RenderQueue = <Result>(pageId: string, work: () => Promise<Result>) => Promise<Result>;

/** Creates a queue. It rejects with `Problem` 503 if too much waits. */
export function createRenderQueue(): RenderQueue {
  /** By page. The page whose turn is next comes first. */
  const waiting = new Map<string, (() => Promise<unknown>)[]>();
  let count = 0;
  let isRunning = false;

  function takeNext(): (() => Promise<unknown>) | undefined {
    const [first] = waiting;
    if (first === undefined) return undefined;
    const [pageId, pieces] = first;
    const next = pieces.shift();
    waiting.delete(pageId);
    if (pieces.length > 0) waiting.set(pageId, pieces);
    count -= 1;
    return next;
  }

  async function run(): Promise<void> {
    isRunning = true;
    for (let next = takeNext(); next !== undefined; next = takeNext()) {
      // Real time, because the pause shares the processor.
      const began = performance.now();
      await next();
      if (count > 0) await sleep(Math.min(performance.now() - began, MAX_REST_MS));
    }
    isRunning = false;
  }

  return (pageId, work) =>
    new Promise((resolve, reject) => {
      const pieces = waiting.get(pageId) ?? [];
      if (count >= MAX_WAITING || pieces.length >= MAX_WAITING_PER_PAGE) {
        reject(
          new Problem(503, 'Too many different pages are waiting to be rendered. Try again', {
            headers: { 'retry-after': '5' },
          }),
        );
        return;
      }
      pieces.push(() => work().then(resolve, reject));
      waiting.set(pageId, pieces);
      count += 1;
      if (!isRunning) void run();
    });
}
