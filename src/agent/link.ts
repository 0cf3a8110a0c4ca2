/** The agent's line to the service: each question asked once, and how its answers go wrong told apart. */
import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { ApiError, CredentialsError, NetworkError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import type { CallOptions, Client } from '../client/index.ts';
import {
  announceAgent,
  type BodyOf,
  claimRuns,
  getRunCodeBundle,
  putRunArtifact,
  type ResponseOf,
  releaseRuns,
  renewRuns,
  reportRun,
} from '../contract/index.ts';

/** What the agent says, without who it is. */
type RequestOf<E> = Omit<BodyOf<E>, 'agentId'>;

/** A file of a run, and the agent that claimed the run, which may have been another process. */
export type ArtifactTarget = Pick<BodyOf<typeof reportRun>, 'agentId' | 'claimId' | 'runId'> & {
  readonly id: string;
};

export interface Link {
  readonly agentId: string;
  announce(signal: AbortSignal): Promise<ResponseOf<typeof announceAgent>>;
  claim(said: RequestOf<typeof claimRuns>, signal: AbortSignal): Promise<ResponseOf<typeof claimRuns>>;
  renew(said: RequestOf<typeof renewRuns>, signal: AbortSignal): Promise<ResponseOf<typeof renewRuns>>;
  /** In the name of the agent that ran it, which may have been another process. */
  report(said: BodyOf<typeof reportRun>, signal: AbortSignal): Promise<ResponseOf<typeof reportRun>>;
  /** Sends a part of a file of a run; answers how much of it is there. */
  upload(of: ArtifactTarget, offset: number, part: Uint8Array, signal: AbortSignal): Promise<number>;
  /** The project folder of that content; undefined where the account of the location has none. */
  codeBundle(id: string): Promise<Buffer | undefined>;
  release(said: RequestOf<typeof releaseRuns>, signal?: AbortSignal): Promise<void>;
}

export interface LinkOptions {
  readonly client: Client;
  readonly agentId: string;
  readonly version: string;
  /** Told of each answer that refused the key, and of each that did not. */
  readonly onKey: (refusal: ApiError | CredentialsError | undefined) => void;
}

/** A long poll's answer may come so much later than its wait, in ms. */
const BEYOND_WAIT_MS = 10_000;
/** A report, or a part of a file, may take so long, in ms. */
const SENDING_MS = 60_000;
const OUTCOMES = ['RECORDED', 'NOT_HELD', 'ARTIFACTS_MISSING'];
/** Runs are given back in a hurry. */
const RELEASE_MS = 5000;

export function createLink({ client, agentId, version, onKey }: LinkOptions): Link {
  /** Asks once: who asks knows best when to ask again. */
  async function once<T extends object>(
    asking: Promise<{ readonly body: T }>,
    isMeant: (body: Partial<T>) => boolean,
  ): Promise<T> {
    try {
      const { body } = await asking;
      // What stands in between may answer anything: a result must not be taken for handed in by that.
      if (!isMeant(body)) throw new NetworkError('the response is not from the agent API of the service');
      onKey(undefined);
      return body;
    } catch (error) {
      if (isRefusedKey(error)) onKey(error);
      throw error;
    }
  }
  const options = (answerTimeoutMs: number, signal: AbortSignal | undefined): CallOptions => ({
    retry: false,
    answerTimeoutMs,
    signal,
  });
  const waiting = (seconds: number, signal: AbortSignal) => options(seconds * 1000 + BEYOND_WAIT_MS, signal);

  return {
    agentId,
    announce: (signal) =>
      once(
        client.call(announceAgent, { body: { agentId, version } }, options(BEYOND_WAIT_MS, signal)),
        ({ location }) => typeof location?.id === 'string' && typeof location.slugName === 'string',
      ),
    claim: (said, signal) =>
      once(
        client.call(claimRuns, { body: { agentId, ...said } }, waiting(said.waitSeconds, signal)),
        ({ runs, location }) =>
          Array.isArray(runs) &&
          runs.every(({ id, timeoutMs }) => id > 0 && timeoutMs > 0) &&
          typeof location === 'object',
      ),
    renew: (said, signal) =>
      once(
        client.call(renewRuns, { body: { agentId, ...said } }, waiting(said.waitSeconds, signal)),
        ({ held, cancelled }) => Array.isArray(held) && Array.isArray(cancelled),
      ),
    report: (body, signal) =>
      once(
        client.call(reportRun, { body }, options(SENDING_MS, signal)),
        ({ outcome }) => outcome !== undefined && OUTCOMES.includes(outcome),
      ),
    async upload({ id, ...of }, offset, upload, signal) {
      const input = { params: { id }, query: { offset, ...of }, upload };
      const sending = client.call(putRunArtifact, input, options(SENDING_MS, signal));
      return (await once(sending, ({ bytes }) => Number.isInteger(bytes))).bytes;
    },
    async codeBundle(id) {
      // What runs needs it now: faults are ridden out for a minute.
      const input = { params: { id } };
      const { body } = await client
        .call(getRunCodeBundle, input, { answerTimeoutMs: SENDING_MS })
        .catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 404 && error.fromApi)
            return { body: { archive: undefined } };
          throw error;
        });
      if (body.archive === undefined) return undefined;
      const archive = Buffer.from(body.archive, 'base64');
      if (createHash('sha256').update(archive).digest('hex') !== id)
        throw new Error(`the download of code bundle ${id} is corrupt`);
      return archive;
    },
    async release(said, signal) {
      await client.call(releaseRuns, { body: { agentId, ...said } }, options(RELEASE_MS, signal));
    },
  };
}

/**
 * Whether the service knows the key no more, or never knew it; or there is none to be sent. A gateway that refuses with a page of
 * its own has said nothing of the key.
 */
export const isRefusedKey = (error: unknown): error is ApiError | CredentialsError =>
  (error instanceof ApiError && error.fromApi && (error.status === 401 || error.status === 403)) ||
  error instanceof CredentialsError;

const TOO_LARGE = 413;
/** What the service says of a body that it will never take. */
const NEVER = [400, 409, TOO_LARGE, 415, 422];

/**
 * Whether asking the same again can only be answered the same: the service itself has said no, or what stands in between lets
 * nothing so large through. A 404 says neither: gateways answer so while no service stands behind them.
 */
export const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && NEVER.includes(error.status) && (error.fromApi || error.status === TOO_LARGE);

/** Whether the service says that it has no room. A result is worth more than its files: it does not wait for room. */
export const isStorageFull = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.fromApi && error.status === 507;

const FIRST_MS = 500;
const MOST_MS = 15_000;

/** Waits that grow from half a second to a quarter of a minute, each somewhere between its half and its whole. */
export function createBackoff(clock: Clock, random: Random) {
  let failures = 0;
  return {
    /** Rejects with the signal's reason. */
    async wait(signal: AbortSignal): Promise<void> {
      const whole = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures, 10));
      failures += 1;
      await clock.sleep(whole * (0.5 + random.next() / 2), signal);
    },
    reset(): void {
      failures = 0;
    },
  };
}
