/** Hands results in: files first, then the report, again and again until the service has it or says that it is of no use. */

import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { formatLostFiles } from '../runners/files/format-lost-files.ts';
import { backOff, hasNoRoom, isFinal, isRefusedKey, type Link } from './link.ts';
import type { Result, Spooled } from './spool.ts';

export interface Delivery {
  /** Resolves once the service has the result or will never take it. Rejects where it was given up: it stays where it is. */
  deliver(spooled: Spooled): Promise<void>;
  /** Resolves when each of these was tried once. */
  triedAll(): Promise<void>;
  /** How many wait. */
  waiting(): number;
  /** Gives up: what waits stays in the spool. */
  stop(): void;
}

export interface DeliveryOptions {
  readonly link: Link;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** So many are handed in at once. */
const AT_ONCE = 4;
/** So much of a file is sent at once, in bytes. */
const PART_BYTES = 1024 * 1024;

/** So often a file may be found shorter in the service than it was. */
const MOST_SET_BACKS = 5;

export class Undelivered extends Error {}
/** A file of a result that will never be whole again, here or there. */
class FileLost extends Error {}

const LOST = ['ENOENT', 'EIO'];

function unreadable(error: NodeJS.ErrnoException): never {
  throw LOST.includes(error.code ?? '')
    ? new FileLost(`the file is no longer readable (${error.code})`)
    : error;
}

const NOT_HELD = 409;

/** Undefined where the run is not held any more. Throws FileLost where the service takes the file never, or has no room for it. */
function refused(error: unknown): undefined {
  if (!isFinal(error) && !hasNoRoom(error)) throw error;
  if (error.status !== NOT_HELD) throw new FileLost(error.message);
}

export function createDelivery({ link, clock, random, log }: DeliveryOptions): Delivery {
  const over = new AbortController();
  const open = new Set<Promise<void>>();
  const untried = new Set<Promise<void>>();
  let busy = 0;
  const queue: (() => void)[] = [];

  /** One of a few that may hand in now. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (busy >= AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve));
    else busy += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else busy -= 1;
    }
  }

  async function upload({ result, read }: Spooled): Promise<void> {
    const { agentId, claimId, runId } = result;
    for (const { id, bytes } of result.artifacts) {
      for (let [offset, setBacks] = [0, 0]; offset < bytes; ) {
        const part = await read(id, offset, Math.min(PART_BYTES, bytes - offset)).catch(unreadable);
        if (part.length === 0) throw new FileLost('the file became shorter');
        const there = await link
          .upload({ agentId, claimId, runId, id }, offset, part, over.signal)
          .catch(refused);
        // The report is answered with what has become of the run.
        if (there === undefined) return;
        if (there > bytes) throw new FileLost('the file is longer in the service than on disk');
        // A service that was killed may have lost what it had not written yet; where that goes on, nothing ever comes together.
        if (there <= offset) setBacks += 1;
        if (setBacks > MOST_SET_BACKS)
          throw new FileLost(
            'the service loses uploaded data: do several instances run without a shared folder?',
          );
        // A part that came before, without its answer: the next begins where the file ends.
        offset = there;
      }
    }
  }

  /** One attempt; true once there is nothing left to do. */
  async function attempt(spooled: Spooled, result: Result): Promise<boolean> {
    await upload({ ...spooled, result });
    const { outcome } = await link.report({ ...result, sentAt: clock.now() }, over.signal);
    if (outcome === 'ARTIFACTS_MISSING') return false;
    if (outcome === 'NOT_HELD') {
      log.warn(
        { run: result.runId, result: result.resultId },
        'discarded a result: another agent has the run, or the run is over',
      );
    }
    await spooled.done();
    return true;
  }

  /** The verdict alone, where the service does not take what was found. */
  function reduced({ report, ...result }: Result, why: string): Result {
    const lost = `the service rejected the result details, which are lost: ${why}`;
    const errors = [...report.errors.slice(0, 20).map((text) => text.slice(0, 2000)), lost];
    return { ...result, artifacts: [], report: { ...report, errors, details: {} } };
  }

  /** All but the files, where a disk has lost one. */
  function fileless({ report, ...result }: Result, why: string): Result {
    const { artifactsLost: before } = report.details;
    const lost = `invalid result in the spool of the agent: ${why}`;
    const artifactsLost = formatLostFiles(typeof before === 'string' ? before : undefined, lost);
    return { ...result, artifacts: [], report: { ...report, details: { ...report.details, artifactsLost } } };
  }

  async function deliver(spooled: Spooled, tried: () => void): Promise<void> {
    const waits = backOff(clock, random);
    let { result } = spooled;
    let isReduced = false;
    for (let told = false; ; ) {
      try {
        if (await inTurn(() => attempt(spooled, result))) return;
      } catch (error) {
        if (over.signal.aborted) break;
        const about = { run: result.runId, result: result.resultId, err: error };
        if (isFinal(error)) {
          if (isReduced) {
            log.error(about, 'the service rejected the result; moved it aside in the spool');
            return await spooled.setAside();
          }
          log.error(about, 'the service rejected the result details; sending only the verdict');
          isReduced = true;
          result = reduced(result, error.message);
          continue;
        }
        if (await spooled.isGone()) return;
        if (error instanceof FileLost) {
          log.error(about, 'a file of a result is lost; sending the result without files');
          result = fileless(result, error.message);
          continue;
        }
        if (!told && !isRefusedKey(error)) log.warn(about, 'could not send a result yet');
        told = true;
      }
      tried();
      await waits.rest(over.signal).catch(() => {});
      if (over.signal.aborted) break;
    }
    throw new Undelivered('it remains in the spool');
  }

  return {
    deliver(spooled) {
      let tried = () => {};
      const first = new Promise<void>((resolve) => {
        tried = resolve;
      });
      untried.add(first);
      void first.then(() => untried.delete(first));
      const delivering = deliver(spooled, tried).finally(() => {
        open.delete(delivering);
        tried();
      });
      open.add(delivering);
      return delivering;
    },
    async triedAll() {
      await Promise.all(untried);
    },
    waiting: () => open.size,
    stop: () => over.abort(new Undelivered('the agent is shutting down')),
  };
}
