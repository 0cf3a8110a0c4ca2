/** Runs the handlers of the API inside an open transaction, so that several of them succeed or fail together. */
import { withDefaults } from '../../../contract/defaults.ts';
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from '../../../contract/index.ts';
import type { StoreTransaction } from '../../store/index.ts';
import { storeWithin } from '../../store/index.ts';
import type { Call, HandlerContext } from './handler.ts';
import { Problem } from './problem.ts';

/**
 * A long transaction that must see one state of the database would fail whenever the scheduler has changed one of its checks
 * meanwhile. Row locks, and the lock of a project, are enough.
 */
export const READ_COMMITTED = { isolation: 'read committed' } as const;

/** Runs a part of a transaction. Its refusal starts with `name` and has `attributes`. */
export async function nameInRefusal<T>(
  name: string,
  attributes: Readonly<Record<string, unknown>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.status, `${name}: ${error.message}`, {
      attributes: { ...error.attributes, ...attributes },
      headers: error.headers,
      cause: error,
    });
  }
}

/**
 * Returns the context of handlers whose reads and writes are part of `tx`. `reschedule` gets checks to schedule after the commit.
 * `domainProofs` were looked up before the transaction.
 */
export function contextWithin(
  context: HandlerContext,
  tx: StoreTransaction,
  reschedule: (checkId: string) => void,
  domainProofs: HandlerContext['domainProofs'],
): HandlerContext {
  const { engine, maintenance } = context;
  return {
    ...context,
    domainProofs,
    store: storeWithin(tx),
    maintenance: { ...maintenance.within(tx), within: maintenance.within },
    engine: {
      ...engine,
      rescheduleChecks: async (ids) => ids.forEach(reschedule),
      deleteCheck: (accountId, id, remove) => engine.deleteCheckWithin(tx, [accountId, id], remove),
    },
  };
}

interface CallParts<E extends Endpoint> {
  readonly accountId: string;
  readonly params: ParamsOf<E>;
  readonly query?: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly header: Call<E>['header'];
}

type Unavailable = 'keyId' | 'location' | 'upload';
const unavailable = (name: Unavailable) => ({
  get() {
    throw new Error(`a call inside a transaction has no ${name}`);
  },
});

/** Returns a call of a handler without a request. */
export function callWithin<E extends Endpoint>(endpoint: E, parts: CallParts<E>): Call<E> {
  const query = withDefaults(endpoint.query, parts.query ?? {}) as Call<E>['query'];
  const call: Omit<Call<E>, Unavailable> = {
    ...parts,
    endpoint,
    query,
    signal: new AbortController().signal,
    readBody: (_, body) => body,
  };
  return Object.defineProperties(call, {
    keyId: unavailable('keyId'),
    location: unavailable('location'),
    upload: unavailable('upload'),
  }) as Call<E>;
}
