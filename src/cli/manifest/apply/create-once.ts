/** Creates a resource exactly once, even if the answer of the request is lost. */
import { NetworkError } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { RefusedError } from '../../../client/index.ts';
import type { Endpoint, Input } from '../../../contract/index.ts';
import type { Deps } from '../../framework/index.ts';
import type { Section } from '../kinds.ts';
import { fetchRemoteState } from '../remote-state.ts';

export interface Creation {
  readonly section: Section;
  readonly endpoint: Endpoint;
  readonly body: JsonObject;
  /** Whether a row of the list is the resource that a request with a lost answer created. */
  readonly isCreated: (row: JsonObject) => boolean;
}

/** Waits before each search for a resource whose request the service may still be working on, in ms. */
const SEARCH_DELAYS_MS = [0, 500, 1500];

const mayHaveActed = (error: unknown): error is NetworkError | RefusedError =>
  (error instanceof NetworkError || error instanceof RefusedError) && error.mayHaveActed;

/** Whether the service itself answered, so that it has finished the request. */
const hasEnded = (error: NetworkError | RefusedError): boolean =>
  error instanceof RefusedError && error.fromApi;

/**
 * Returns the created resource. After a lost answer it searches for the resource by its name. It sends the request again only
 * if the service has finished the first one. Rejects as the client does.
 */
export async function createOnce(
  deps: Pick<Deps, 'client' | 'signal' | 'clock'>,
  creation: Creation,
): Promise<JsonObject> {
  const { endpoint, body } = creation;
  const { signal } = deps;
  const api = await deps.client();
  const query = endpoint.query.properties?.autoAssignAlerts ? { query: { autoAssignAlerts: false } } : {};
  const send = async (): Promise<JsonObject> => {
    const input = { body, ...query } as unknown as Input<Endpoint>;
    const answer: unknown = (await api.call(endpoint, input, { signal })).body;
    return isObject(answer) ? answer : {};
  };
  try {
    return await send();
  } catch (error) {
    if (!mayHaveActed(error)) throw error;
    const isEnded = hasEnded(error);
    for (const delayMs of isEnded ? [0] : SEARCH_DELAYS_MS) {
      await deps.clock.sleep(delayMs, signal);
      const found = await findCreated(deps, creation);
      if (found) return found;
    }
    if (!isEnded) throw error;
    return send();
  }
}

async function findCreated(
  deps: Pick<Deps, 'client' | 'signal'>,
  { section, isCreated }: Creation,
): Promise<JsonObject | undefined> {
  return (await fetchRemoteState(deps, { sections: [section], required: [section] }))[section].find(
    isCreated,
  );
}
