/** Delivers results: files first, then the report. Retries until the service accepts or rejects the result. */

import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { formatLostFiles } from '../runners/files/run-file-store.ts';
import { createBackoff, isFinal, isRefusedKey, isStorageFull, type Link } from './link.ts';
import type { Result, SpooledResult } from './spool.ts';

export interface Delivery {
  /** Resolves once the service has accepted or finally rejected the result. Rejects if stopped: the result stays in the spool. */
  deliver(spooled: SpooledResult): Promise<void>;
  /** Resolves when each delivery has been attempted once. */
  firstAttempts(): Promise<void>;
  /** Returns the number of pending deliveries. */
  waiting(): number;
  /** Stops. Pending results stay in the spool. */
  stop(): void;
}

export interface DeliveryOptions {
  readonly link: Link;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Maximum number of concurrent deliveries. */
const MAX_CONCURRENT = 4;
/** Size of an uploaded part, in bytes. */
const PART_BYTES = 1024 * 1024;

/** How often a file in the service may turn out shorter than before. */
const MAX_SETBACKS = 5;

export class UndeliveredError extends Error {}
/** A file of a result is lost, on disk or in the service. */
class FileLost extends Error {}

const LOST = ['ENOENT', 'EIO'];

function toFileError(error: NodeJS.ErrnoException): never {
  throw LOST.includes(error.code ?? '')
    ? new FileLost(`the file is no longer readable (${error.code})`)
    : error;
}

const NOT_HELD = 409;

/** Returns undefined if the run is no longer held. Throws FileLost if the service rejects the file or its storage is full. */
function toUploadError(error: unknown): undefined {
  if (!isFinal(error) && !isStorageFull(error)) throw error;
  if (error.status !== NOT_HELD) throw new FileLost(error.message);
}

export function createDelivery({ link, clock, random, log }: DeliveryOptions): Delivery {
  const stopped = new AbortController();
  const pendingDeliveries = new Set<Promise<void>>();
  const unattempted = new Set<Promise<void>>();
  const withLimit = pLimit(MAX_CONCURRENT);

  async function upload({ result, read }: SpooledResult): Promise<void> {
    const { agentId, claimId, runId } = result;
    for (const { id, bytes } of result.artifacts) {
      for (let [offset, setbacks] = [0, 0]; offset < bytes; ) {
        const part = await read(id, offset, Math.min(PART_BYTES, bytes - offset)).catch(toFileError);
        if (part.length === 0) throw new FileLost('the file became shorter');
        const storedBytes = await link
          .upload({ agentId, claimId, runId, id }, offset, part, stopped.signal)
          .catch(toUploadError);
        // The answer to the report tells the state of the run.
        if (storedBytes === undefined) return;
        if (storedBytes > bytes) throw new FileLost('the file is longer in the service than on disk');
        // A killed service may lose unwritten data. If it keeps losing data, the upload would never end.
        if (storedBytes <= offset) setbacks += 1;
        if (setbacks > MAX_SETBACKS)
          throw new FileLost(
            'the service loses uploaded data: do several instances run without a shared folder?',
          );
        // Continue at the end of the stored file: an earlier part may have arrived without its answer.
        offset = storedBytes;
      }
    }
  }

  /** Makes one attempt. Resolves to true once nothing is left to do. */
  async function attempt(spooled: SpooledResult, result: Result): Promise<boolean> {
    await upload({ ...spooled, result });
    const { outcome } = await link.report({ ...result, sentAt: clock.now() }, stopped.signal);
    if (outcome === 'ARTIFACTS_MISSING') return false;
    if (outcome === 'NOT_HELD') {
      log.warn(
        { run: result.runId, result: result.resultId },
        'discarded a result: another agent has the run, or the run is over',
      );
    }
    await spooled.remove();
    return true;
  }

  /** Returns the result with only its verdict, after the service rejected the details. */
  function reduceToVerdict({ report, ...result }: Result, reason: string): Result {
    const lost = `the service rejected the result details, which are lost: ${reason}`;
    const errors = [...report.errors.slice(0, 20).map((text) => text.slice(0, 2000)), lost];
    return { ...result, artifacts: [], report: { ...report, errors, details: {} } };
  }

  /** Returns the result without files, after one was lost. */
  function removeFiles({ report, ...result }: Result, reason: string): Result {
    const { artifactsLost: before } = report.details;
    const lost = `invalid result in the spool of the agent: ${reason}`;
    const artifactsLost = formatLostFiles(typeof before === 'string' ? before : undefined, lost);
    return { ...result, artifacts: [], report: { ...report, details: { ...report.details, artifactsLost } } };
  }

  async function deliver(spooled: SpooledResult, onAttempted: () => void): Promise<void> {
    const backoff = createBackoff(clock, random);
    let { result } = spooled;
    let isReduced = false;
    for (let hasWarned = false; ; ) {
      try {
        if (await withLimit(() => attempt(spooled, result))) return;
      } catch (error) {
        if (stopped.signal.aborted) break;
        const context = { run: result.runId, result: result.resultId, err: error };
        if (isFinal(error)) {
          if (isReduced) {
            log.error(context, 'the service rejected the result; moved it aside in the spool');
            return await spooled.setAside();
          }
          log.error(context, 'the service rejected the result details; sending only the verdict');
          isReduced = true;
          result = reduceToVerdict(result, error.message);
          continue;
        }
        if (await spooled.isGone()) return;
        if (error instanceof FileLost) {
          log.error(context, 'a file of a result is lost; sending the result without files');
          result = removeFiles(result, error.message);
          continue;
        }
        if (!hasWarned && !isRefusedKey(error)) log.warn(context, 'could not send a result yet');
        hasWarned = true;
      }
      onAttempted();
      await backoff.wait(stopped.signal).catch(() => {});
      if (stopped.signal.aborted) break;
    }
    throw new UndeliveredError('it remains in the spool');
  }

  return {
    deliver(spooled) {
      let onAttempted = () => {};
      const first = new Promise<void>((resolve) => {
        onAttempted = resolve;
      });
      unattempted.add(first);
      void first.then(() => unattempted.delete(first));
      const delivering = deliver(spooled, onAttempted).finally(() => {
        pendingDeliveries.delete(delivering);
        onAttempted();
      });
      pendingDeliveries.add(delivering);
      return delivering;
    },
    async firstAttempts() {
      await Promise.all(unattempted);
    },
    waiting: () => pendingDeliveries.size,
    stop: () => stopped.abort(new UndeliveredError('the agent is shutting down')),
  };
}
