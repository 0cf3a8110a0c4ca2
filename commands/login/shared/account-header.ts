/** Finds the header that a deployment reads the account ID from. */
import { ApiError } from '../../../src/base/errors.ts';
import { DEFAULT_ACCOUNT_HEADER } from '../../../src/profiles/rules.ts';

/** The header of the hosted service that publishes this API. */
const PUBLISHED_ACCOUNT_HEADER = 'x-checkly-account';
/** An account that nobody has: a deployment that accepts it does not read the header. */
const NO_ACCOUNT = '00000000-0000-4000-8000-000000000000';
/** Statuses that a deployment without the account ID, or with an unknown one, answers. */
const REFUSALS = [400, 401, 403, 404, 422];

/** Sends a request with the account ID in a header. Rejects as `testKey` does. */
export type TryHeader = (header: string, accountId: string) => Promise<void>;

/**
 * Returns the header that the deployment reads: `x-service-account`, or the published one if the deployment refuses or ignores the
 * former. Throws the error for the former if neither is accepted.
 */
export async function findAccountHeader(tryHeader: TryHeader, accountId: string): Promise<string> {
  const isRefused = async (header: string, id: string): Promise<ApiError | undefined> => {
    try {
      await tryHeader(header, id);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && REFUSALS.includes(error.status)) return error;
      throw error;
    }
  };
  const refusal = await isRefused(DEFAULT_ACCOUNT_HEADER, accountId);
  const reads = async (header: string) => (await isRefused(header, NO_ACCOUNT)) !== undefined;
  if (!refusal && (await reads(DEFAULT_ACCOUNT_HEADER))) return DEFAULT_ACCOUNT_HEADER;
  const isAccepted = (await isRefused(PUBLISHED_ACCOUNT_HEADER, accountId)) === undefined;
  if (isAccepted && (await reads(PUBLISHED_ACCOUNT_HEADER))) return PUBLISHED_ACCOUNT_HEADER;
  if (refusal) throw refusal;
  return DEFAULT_ACCOUNT_HEADER;
}
