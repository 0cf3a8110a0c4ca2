/** Authenticates requests by their API key. A refusal does not reveal how close a wrong key is to a real one. */
import type { FastifyRequest } from 'fastify';
import { DatabaseFault } from '../../store/index.ts';
import { databaseProblem } from './error-handler.ts';
import type { Caller } from './handler.ts';
import { Problem } from './problem.ts';

/** Returns the caller of a raw API key, synchronously if it is cached; undefined if the key does not exist or is revoked. */
export type Authenticate = (rawKey: string) => Caller | Promise<Caller | undefined>;

const unauthorized = (message: string): Problem =>
  new Problem(401, message, { headers: { 'www-authenticate': 'Bearer realm="sonde"' } });

export const invalidKey = (): Problem => unauthorized('The API key is not valid');

export type KeyKind = 'account' | 'agent';

const AGENT_KEY = /^pl_/;
const WRONG_KIND: Readonly<Record<KeyKind, string>> = {
  account:
    'This is the key of a private location, which works only for agents. Use an API key of the account (sk_…)',
  agent: 'This is an API key of an account. Agents need a key of their private location (pl_…)',
};

/** Headers that name the account: of the specification, and of other clients of this API. */
const ACCOUNT_HEADERS = ['x-service-account', 'x-checkly-account'] as const;

/** Keys have 46 characters. Longer texts are refused before they are hashed and looked up. */
const BEARER = /^Bearer +([\x21-\x7e]{1,128}) *$/i;

/**
 * Returns the caller of a request (specification, Authentication). Throws `Problem` 401 if the key is missing or wrong,
 * 403 if an account header names another account than the key's.
 */
export function authenticateRequest(
  request: FastifyRequest,
  authenticate: Authenticate,
  kind: KeyKind = 'account',
): Caller | Promise<Caller> {
  const header = request.headers.authorization;
  if (header === undefined)
    throw unauthorized('API key required: send the header Authorization: Bearer <API_KEY>');
  const rawKey = BEARER.exec(header)?.[1];
  if (rawKey?.startsWith('sk_') || rawKey?.startsWith('pl_')) {
    if (AGENT_KEY.test(rawKey) !== (kind === 'agent')) throw unauthorized(WRONG_KIND[kind]);
  }
  const lookup = rawKey === undefined ? undefined : authenticate(rawKey);
  return lookup instanceof Promise
    ? lookup.then(
        (caller) => assertAccount(request, caller),
        (error: unknown) => {
          // The request itself has not started, so nothing was stored.
          throw error instanceof DatabaseFault ? databaseProblem(error, true) : error;
        },
      )
    : assertAccount(request, lookup);
}

function assertAccount(request: FastifyRequest, caller: Caller | undefined): Caller {
  if (!caller) throw invalidKey();
  for (const name of ACCOUNT_HEADERS) {
    const account = request.headers[name];
    if (account !== undefined && String(account).toLowerCase() !== caller.accountId.toLowerCase())
      throw new Problem(403, `The API key does not belong to the account in ${name}`);
  }
  return caller;
}
