/** The worker over a port: claims, runs, renews, reports, and stops in order. */

import { afterEach, describe, expect, it } from 'vitest';
import type { AbortSignalLike } from '../../src/base/abort.ts';
import type { Job, Report, WorkerPort } from '../../src/worker/port.ts';
import { type Runners, startWorker, type Worker, type WorkerOptions } from '../../src/worker/worker.ts';
import { createManualClock } from '../support/clock.ts';
import { evaluateInProcess } from '../support/runners.ts';

/** A queue in memory behind the worker's port. */
function createPort() {
  const waiting: Job[] = [];
  let wake = () => {};
  const seen = { reports: new Map<number, Report>(), released: [] as number[], renewed: [] as number[][] };
  const faults: Error[] = [];
  const port: WorkerPort = {
    async claim(capacity, signal) {
      const fault = faults.shift();
      if (fault) throw fault;
      while (waiting.length === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve());
        });
      }
      return signal.aborted ? [] : waiting.splice(0, capacity());
    },
    renew: async (ids) => void seen.renewed.push([...ids]),
    report: async (id, report) => void seen.reports.set(id, report),
    release: async (ids) => void seen.released.push(...ids),
  };
  return {
    ...{ port, seen, faults },
    give(...jobs: Job[]) {
      waiting.push(...jobs);
      wake();
    },
  };
}

const job = (id: number, stop = new AbortController(), checkType = 'DNS'): Job => ({
  ...{ id, checkType, check: { id }, location: 'eu-west-1', timeoutMs: 30_000, secrets: ['hunter2'] },
  ...{ clientCertificates: undefined, stop },
});

const GOOD = {
  ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, responseTime: 1, errors: [], details: {} },
};

let worker: Worker | undefined;
const clock = createManualClock();
afterEach(async () => {
  await (worker && clock.run(worker.stop(0)));
  worker = undefined;
});

function start(
  port: WorkerPort,
  runners: Runners,
  onError: (message: string) => void = () => {},
  places?: WorkerOptions['places'],
) {
  worker = startWorker({
    places,
    port,
    clock,
    evaluate: evaluateInProcess,
    runners,
    resolvers: () => [],
    concurrency: 2,
    renewMs: 10_000,
    onError,
  });
  return worker;
}

/** A runner that hangs until its attempt is let go. */
function hanging() {
  const waiting = new Map<number, () => void>();
  const runner = (check: { id: number }, _: unknown, signal: AbortSignalLike) =>
    new Promise<typeof GOOD>((resolve, reject) => {
      waiting.set(check.id, () => resolve(GOOD));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return { waiting, runners: { DNS: runner } as Runners };
}

describe('the worker', () => {
  it('makes other attempts while those that are over wait to be handed in, but lets them not pile up without end', async () => {
    const { port, give } = createPort();
    const handingIn: (() => void)[] = [];
    const slow: WorkerPort = { ...port, report: () => new Promise((resolve) => handingIn.push(resolve)) };
    start(slow, { DNS: async () => GOOD });
    give(...Array.from({ length: 600 }, (_, id) => job(id)));
    await clock.advance(1);
    expect(handingIn).toHaveLength(500);
    for (const done of handingIn.splice(0)) done();
    await clock.advance(1);
    expect(handingIn).toHaveLength(100);
    for (const done of handingIn) done();
  });

  it('runs as many attempts at once as it may, and claims more as soon as one is over', async () => {
    const { port, give, seen } = createPort();
    const { waiting, runners } = hanging();
    const { active } = start(port, runners);
    give(job(1), job(2), job(3));
    await clock.advance(0);
    expect([active(), [...waiting.keys()]]).toEqual([2, [1, 2]]);
    waiting.get(1)?.();
    await clock.advance(0);
    expect([...waiting.keys()]).toEqual([1, 2, 3]);
    expect(seen.reports.get(1)).toMatchObject({ hasFailures: false, isCancelled: false });
  });

  it('starts what is handed out early together with its neighbours, none of them before its instant', async () => {
    const { port, give } = createPort();
    const { waiting, runners } = hanging();
    await clock.advance((20 - (clock.now() % 20)) % 20);
    const at = clock.now();
    start(port, runners);
    await clock.advance(20);
    give({ ...job(1), notBefore: at + 22 }, { ...job(2), notBefore: at + 40 });
    await clock.advance(19);
    expect([...waiting.keys()]).toEqual([]);
    await clock.advance(1);
    expect([...waiting.keys()]).toEqual([1, 2]);
  });

  it('lets what may take long run beside all others, in a place of its own', async () => {
    const { port, give } = createPort();
    const { waiting, runners } = hanging();
    const { DNS: runner } = runners;
    if (typeof runner !== 'function') throw new Error('a runner of tests is a function');
    const long = { isLong: true, acquireSlot: async () => ({ run: runner, release: async () => {} }) };
    start(port, { ...runners, PLAYWRIGHT: long });
    const stop = () => new AbortController();
    give(job(1, stop(), 'PLAYWRIGHT'), job(2, stop(), 'PLAYWRIGHT'));
    await clock.advance(0);
    give(job(3), job(4), job(5));
    await clock.advance(0);
    // Two places, both for short checks.
    expect([...waiting.keys()].sort()).toEqual([1, 2, 3, 4]);
  });

  it('ends what a run left running at once, and keeps its files until they are handed in', async () => {
    const { port, give } = createPort();
    const told: string[] = [];
    let handIn = () => {};
    const report = () =>
      new Promise<void>((resolve) => {
        handIn = resolve;
      });
    const release = async () => void told.push('left');
    const place = {
      create: () => Promise.reject(new Error('none')),
      close: async () => void told.push('closed'),
    };
    const DNS = { acquireSlot: async () => ({ run: async () => GOOD, release }) };
    start({ ...port, report }, { DNS }, undefined, { open: () => place, sweep: async () => {} });
    give(job(1));
    await clock.advance(0);
    expect(told).toEqual(['left']);
    handIn();
    await clock.advance(0);
    expect(told).toEqual(['left', 'closed']);
  });

  it('renews what is under way, and nothing where nothing is', async () => {
    const { port, give, seen } = createPort();
    const { runners } = hanging();
    start(port, runners);
    await clock.advance(10_000);
    expect(seen.renewed).toEqual([]);
    give(job(7));
    await clock.advance(20_000);
    expect(seen.renewed).toEqual([[7], [7]]);
  });

  it('stops an attempt that is cancelled, and reports it so', async () => {
    const { port, give, seen } = createPort();
    const { runners } = hanging();
    start(port, runners);
    const cancel = new AbortController();
    give(job(1, cancel));
    await clock.advance(0);
    cancel.abort();
    await clock.advance(0);
    expect(seen.reports.get(1)).toMatchObject({ isCancelled: true, hasFailures: false, hasErrors: false });
  });

  it('claims no more once it is told to stop, lets what runs finish, and gives back what does not', async () => {
    const { port, give, seen } = createPort();
    const { waiting, runners } = hanging();
    const own = start(port, runners);
    give(job(1), job(2));
    await clock.advance(0);
    const stopped = own.stop(5_000);
    give(job(3));
    await clock.advance(1_000);
    waiting.get(1)?.();
    await clock.advance(4_000);
    await stopped;
    expect([...seen.reports.keys()]).toEqual([1]);
    expect(seen.released).toEqual([2]);
    expect([...waiting.keys()]).toEqual([1, 2]);
  });

  it('reports a check type that it has no runner for as an error of the monitor, not to be retried', async () => {
    const { port, give, seen } = createPort();
    start(port, {});
    give(job(1, undefined, 'BROWSER'), job(2, undefined, 'toString'));
    await clock.advance(0);
    expect(seen.reports.get(1)).toMatchObject({
      ...{ hasErrors: true, hasFailures: false, mayRetry: false },
      errors: [expect.stringContaining('BROWSER')],
    });
    expect(seen.reports.get(2)).toMatchObject({ hasErrors: true });
  });

  it('keeps secrets out of what it reports', async () => {
    const { port, give, seen } = createPort();
    const leak = async () => ({ ...GOOD, hasFailures: true, errors: ['the password hunter2 was refused'] });
    start(port, { DNS: leak });
    give(job(1));
    await clock.advance(0);
    expect(JSON.stringify(seen.reports.get(1))).not.toContain('hunter2');
  });

  it('rests and goes on where work could not be claimed', async () => {
    const { port, give, seen, faults } = createPort();
    faults.push(new Error('the store is away'));
    const told: string[] = [];
    start(port, { DNS: async () => GOOD }, (message) => told.push(message));
    give(job(1));
    await clock.advance(0);
    expect(told).toEqual(['cannot claim runs']);
    expect(seen.reports.size).toBe(0);
    await clock.advance(1_000);
    expect(seen.reports.size).toBe(1);
  });
});
