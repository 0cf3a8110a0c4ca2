/** Sends the requests of changes: one by one, or several in a batch if the deployment offers that. */
import pLimit from 'p-limit';
import { isMissingResource, mayLackEndpoint, NetworkError } from '../../../base/errors.ts';
import { groupBy, isObject, type JsonObject } from '../../../base/object.ts';
import { type CallOptions, RefusedError } from '../../../client/index.ts';
import { type BodyOf, type Endpoint, type Input, runBatch } from '../../../contract/index.ts';
import type { Deps } from '../../framework/index.ts';
import { sendUpdate } from '../../resource-commands/update.ts';
import type { Section } from '../kinds.ts';
import { idOf } from '../plan/match-entries.ts';
import { fetchRemoteState } from '../remote-state.ts';

export type SendDeps = Pick<Deps, 'client' | 'signal' | 'clock' | 'terminal'>;

/** The request of one change. */
export interface ChangeRequest {
  readonly section: Section;
  readonly endpoint: Endpoint;
  /** Used if the deployment does not offer `endpoint`. */
  readonly fallback?: Endpoint;
  readonly params?: JsonObject;
  readonly query?: JsonObject;
  readonly body?: JsonObject;
  /** Only for a request that creates a resource: whether a row of the list is that resource, and the name that others may have too. */
  readonly isCreated?: (row: JsonObject) => boolean;
  readonly name?: string;
}

/** Requests in progress at the same time. */
const CONCURRENCY = 8;
/** Batches in progress at the same time. The service executes the requests of a batch one by one. */
const BATCHES = 2;
/** Waits before each search for a resource whose request the service may still be working on, in ms. */
const SEARCH_DELAYS_MS = [0, 500, 1500];

const mayHaveActed = (error: unknown): error is NetworkError | RefusedError =>
  (error instanceof NetworkError || error instanceof RefusedError) && error.mayHaveActed;
/** Whether the service itself answered, so that it has finished the request. */
const hasEnded = (error: NetworkError | RefusedError): boolean =>
  error instanceof RefusedError && error.fromApi;

const inputOf = ({ params, query, body }: ChangeRequest): Input<Endpoint> =>
  ({
    ...(params ? { params } : {}),
    ...(query ? { query } : {}),
    ...(body ? { body } : {}),
  }) as unknown as Input<Endpoint>;

/**
 * Returns a function that sends requests and calls `onAnswer` for each. After the first error it starts no further requests, waits
 * for those in progress, and rejects. `batchLimit`: the number of requests that a batch may contain; below 2, none is sent.
 */
export function createRequestSender(deps: SendDeps, batchLimit: number) {
  const options: CallOptions = { signal: deps.signal };
  const lacking = new Set<string>();
  let limit = batchLimit;
  /** Rows that searches found, so that each stands for one request. */
  const found = new Set<unknown>();

  async function sendOne(request: ChangeRequest): Promise<JsonObject> {
    const api = await deps.client();
    try {
      const answer = await sendUpdate(deps, api, request, inputOf(request), lacking);
      return isObject(answer) ? answer : {};
    } catch (error) {
      if (request.endpoint.method === 'DELETE' && isMissingResource(error)) return {};
      throw error;
    }
  }

  /** Returns the resource that a request with a lost answer created. Undefined: it was not created. Throws `error` if nobody knows. */
  async function findCreated(
    { section, isCreated }: ChangeRequest,
    error: NetworkError | RefusedError,
  ): Promise<JsonObject | undefined> {
    for (const delayMs of hasEnded(error) ? [0] : SEARCH_DELAYS_MS) {
      await deps.clock.sleep(delayMs, deps.signal);
      const rows = await fetchRemoteState(deps, { sections: [section], required: [section] });
      const created = rows[section].find((row) => isCreated?.(row) && !found.has(idOf(section, row)));
      if (created) {
        found.add(idOf(section, created));
        return created;
      }
    }
    if (hasEnded(error)) return undefined;
    throw error;
  }

  /** Sends a request that takes effect once, even if its answer is lost. */
  async function sendOnce(request: ChangeRequest): Promise<JsonObject> {
    try {
      return await sendOne(request);
    } catch (error) {
      if (!request.isCreated || !mayHaveActed(error)) throw error;
      return (await findCreated(request, error)) ?? sendOne(request);
    }
  }

  /** Returns the answers of a batch. Undefined: it had no effect, and the requests must be sent one by one. */
  async function sendBatch(requests: readonly ChangeRequest[]): Promise<readonly JsonObject[] | undefined> {
    const api = await deps.client();
    const body = {
      requests: requests.map((request) => ({ operation: request.endpoint.name, ...inputOf(request) })),
    } as unknown as BodyOf<typeof runBatch>;
    try {
      const { responses } = (await api.call(runBatch, { body }, options)).body;
      return responses.map(({ body: answer = {} }) => answer);
    } catch (error) {
      if (mayLackEndpoint(error)) limit = 1;
      // A batch takes effect as a whole, so that its first new resource stands for all. The other requests are repeatable.
      const first = requests.find(({ isCreated }) => isCreated);
      if (mayHaveActed(error)) {
        const created = first && (await findCreated(first, error));
        if (created) return findAnswers(requests, new Map([[first, created]]), error);
      } else if (!(error instanceof RefusedError)) throw error;
      return undefined;
    }
  }

  /** Returns the answers of requests that took effect. `known`: answers that were found. */
  async function findAnswers(
    requests: readonly ChangeRequest[],
    known: ReadonlyMap<ChangeRequest, JsonObject>,
    error: NetworkError | RefusedError,
  ): Promise<readonly JsonObject[]> {
    const answers: JsonObject[] = [];
    for (const request of requests) {
      const created =
        known.get(request) ?? (request.isCreated ? await findCreated(request, error) : undefined);
      answers.push(created ?? (await sendOne(request)));
    }
    return answers;
  }

  /** Runs tasks, a few at a time. */
  async function runAll<T>(items: readonly T[], concurrency: number, work: (item: T) => Promise<void>) {
    let failure: { readonly error: unknown } | undefined;
    await pLimit(concurrency).map(items, async (item) => {
      if (failure) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    });
    if (failure) throw failure.error;
  }

  return async <R extends ChangeRequest>(
    requests: readonly R[],
    onAnswer: (request: R, answer: JsonObject) => Promise<void>,
    assertContinues: () => void = () => {},
  ): Promise<void> => {
    // New resources with one name follow each other, so that a search finds the right one after a lost answer.
    const sendEach = (some: readonly R[]) =>
      runAll(
        [...groupBy(some, (request) => request.name ?? request).values()],
        CONCURRENCY,
        async (sameName) => {
          for (const request of sameName) {
            assertContinues();
            await onAnswer(request, await sendOnce(request));
          }
        },
      );
    if (limit < 2 || requests.length < 2) return sendEach(requests);
    const size = limit;
    const chunks = Array.from({ length: Math.ceil(requests.length / size) }, (_, index) =>
      requests.slice(index * size, (index + 1) * size),
    );
    const names = requests.flatMap(({ name }) => name ?? []);
    const isInOrder = new Set(names).size < names.length;
    await runAll(chunks, isInOrder ? 1 : BATCHES, async (chunk) => {
      assertContinues();
      const answers = limit < 2 ? undefined : await sendBatch(chunk);
      if (!answers) return sendEach(chunk);
      for (const [index, request] of chunk.entries()) await onAnswer(request, answers[index] ?? {});
    });
  };
}
