/** Calls the agent API of the service, once per request, and classifies its errors. */
import { createHash } from 'node:crypto';
import { exponentialBackoff } from '../base/backoff.ts';
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

/** Request body without the agent's ID. */
type RequestOf<E> = Omit<BodyOf<E>, 'agentId'>;

/** Identifies a file of a run and the agent that claimed the run, which may have been another process. */
export type ArtifactTarget = Pick<BodyOf<typeof reportRun>, 'agentId' | 'claimId' | 'runId'> & {
  readonly id: string;
};

export interface Link {
  readonly agentId: string;
  announce(signal: AbortSignal): Promise<ResponseOf<typeof announceAgent>>;
  claim(request: RequestOf<typeof claimRuns>, signal: AbortSignal): Promise<ResponseOf<typeof claimRuns>>;
  renew(request: RequestOf<typeof renewRuns>, signal: AbortSignal): Promise<ResponseOf<typeof renewRuns>>;
  /** Reports on behalf of the agent that ran it, which may have been another process. */
  report(request: BodyOf<typeof reportRun>, signal: AbortSignal): Promise<ResponseOf<typeof reportRun>>;
  /** Uploads a part of a file. Resolves to the number of bytes that the service has. */
  upload(target: ArtifactTarget, offset: number, part: Uint8Array, signal: AbortSignal): Promise<number>;
  /** Downloads the project folder with that content; undefined if the account of the location has none. */
  codeBundle(id: string): Promise<Buffer | undefined>;
  release(request: RequestOf<typeof releaseRuns>, signal?: AbortSignal): Promise<void>;
}

export interface LinkOptions {
  readonly client: Client;
  readonly agentId: string;
  readonly version: string;
  /** Called for each answer, with the error if it rejected the key. */
  readonly onKey: (refusal: ApiError | CredentialsError | undefined) => void;
}

/** Time that a response may take beyond the wait of a long poll, in ms. */
const RESPONSE_TIMEOUT_MS = 10_000;
/** Timeout of a report or an upload, in ms. */
const SEND_TIMEOUT_MS = 60_000;
const OUTCOMES = ['RECORDED', 'NOT_HELD', 'ARTIFACTS_MISSING'];
/** Short, because runs are released during shutdown. */
const RELEASE_TIMEOUT_MS = 5000;

export function createLink({ client, agentId, version, onKey }: LinkOptions): Link {
  /** Sends one request: callers retry. */
  async function callOnce<T extends object>(
    call: Promise<{ readonly body: T }>,
    isValid: (body: Partial<T>) => boolean,
  ): Promise<T> {
    try {
      const { body } = await call;
      // A gateway may answer anything: its answer must not count as delivery of a result.
      if (!isValid(body)) throw new NetworkError('the response is not from the agent API of the service');
      onKey(undefined);
      return body;
    } catch (error) {
      if (isRefusedKey(error)) onKey(error);
      throw error;
    }
  }
  const callOptions = (answerTimeoutMs: number, signal: AbortSignal | undefined): CallOptions => ({
    retry: false,
    answerTimeoutMs,
    signal,
  });
  const longPollOptions = (seconds: number, signal: AbortSignal) =>
    callOptions(seconds * 1000 + RESPONSE_TIMEOUT_MS, signal);

  return {
    agentId,
    announce: (signal) =>
      callOnce(
        client.call(announceAgent, { body: { agentId, version } }, callOptions(RESPONSE_TIMEOUT_MS, signal)),
        ({ location }) => typeof location?.id === 'string' && typeof location.slugName === 'string',
      ),
    claim: (request, signal) =>
      callOnce(
        client.call(
          claimRuns,
          { body: { agentId, ...request } },
          longPollOptions(request.waitSeconds, signal),
        ),
        ({ runs, location }) =>
          Array.isArray(runs) &&
          runs.every(({ id, timeoutMs }) => id > 0 && timeoutMs > 0) &&
          typeof location === 'object',
      ),
    renew: (request, signal) =>
      callOnce(
        client.call(
          renewRuns,
          { body: { agentId, ...request } },
          longPollOptions(request.waitSeconds, signal),
        ),
        ({ held, cancelled }) => Array.isArray(held) && Array.isArray(cancelled),
      ),
    report: (body, signal) =>
      callOnce(
        client.call(reportRun, { body }, callOptions(SEND_TIMEOUT_MS, signal)),
        ({ outcome }) => outcome !== undefined && OUTCOMES.includes(outcome),
      ),
    async upload({ id, ...target }, offset, upload, signal) {
      const input = { params: { id }, query: { offset, ...target }, upload };
      const call = client.call(putRunArtifact, input, callOptions(SEND_TIMEOUT_MS, signal));
      return (await callOnce(call, ({ bytes }) => Number.isInteger(bytes))).bytes;
    },
    async codeBundle(id) {
      // A run waits for it, so this call keeps the client's retries.
      const input = { params: { id } };
      const { body } = await client
        .call(getRunCodeBundle, input, { answerTimeoutMs: SEND_TIMEOUT_MS })
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
    async release(request, signal) {
      await client.call(
        releaseRuns,
        { body: { agentId, ...request } },
        callOptions(RELEASE_TIMEOUT_MS, signal),
      );
    },
  };
}

/** Returns whether the service rejected the key or there is none. A rejection by a gateway does not count. */
export const isRefusedKey = (error: unknown): error is ApiError | CredentialsError =>
  (error instanceof ApiError && error.fromApi && (error.status === 401 || error.status === 403)) ||
  error instanceof CredentialsError;

const TOO_LARGE = 413;
/** Statuses of a body that the service will never accept. */
const FINAL_STATUSES = [400, 409, TOO_LARGE, 415, 422];

/**
 * Returns whether a retry is pointless: the service rejected the body, or a gateway rejects its size. A 404 is not
 * final, because gateways answer it while the service is down.
 */
export const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  FINAL_STATUSES.includes(error.status) &&
  (error.fromApi || error.status === TOO_LARGE);

/** Returns whether the storage of the service is full. A result is then sent without its files. */
export const isStorageFull = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.fromApi && error.status === 507;

const BACKOFF = { minMs: 500, maxMs: 15_000 };

/** Creates an exponential backoff from 0.5 s to 15 s; each wait is between half and all of it. */
export function createBackoff(clock: Clock, random: Random) {
  let failures = 0;
  return {
    /** Waits. Rejects with the signal's reason. */
    async wait(signal: AbortSignal): Promise<void> {
      failures += 1;
      await clock.sleep(exponentialBackoff(failures, BACKOFF) * (0.5 + random.next() / 2), signal);
    },
    reset(): void {
      failures = 0;
    },
  };
}
