/** Tells a 404 of an endpoint that a deployment does not offer from a 404 of a resource. */
import type { Absence } from '../base/errors.ts';
import type { ErrorBody } from './error-body.ts';

/** Statuses that only a server without the endpoint sends. */
const WITHOUT_ENDPOINT = [405, 501];

/** Matches messages of web frameworks and gateways about an unknown path. */
const ROUTER_MESSAGES: readonly RegExp[] = [
  /^(?:the )?(?:requested )?(?:route|endpoint|path|url|uri|page)\b.*\bnot found\b/i,
  /^404 page not found$/i,
  /^cannot (?:get|post|put|patch|delete) \//i,
  /^(?:no|unknown|unmatched) (?:route|endpoint|path)\b/i,
  /^no (?:static resource|handler found)\b/i,
];

/** A list is never missing; in its path, another route may take the last part for an ID. */
const LIST = /^GET [^{]*$/;
/** A reason that repeats only the status. */
const BARE_REASON = /^(?:404:? ?)?not found\.?$/i;

/** The request that was refused. */
export interface RefusedRequest {
  readonly status: number;
  /** `METHOD /path` as in the contract. */
  readonly endpoint: string;
  /** Whether the specification requires every deployment to offer the endpoint. */
  readonly isSpecified: boolean;
}

/**
 * Returns what is missing after a refusal: the endpoint, the resource, or either of them if the answer does not say.
 * Undefined: the refusal has another reason.
 */
export function findAbsence(
  { status, endpoint, isSpecified }: RefusedRequest,
  { message, details, fromApi }: Pick<ErrorBody, 'message' | 'details' | 'fromApi'>,
): Absence | undefined {
  if (WITHOUT_ENDPOINT.includes(status)) return 'endpoint';
  if (status !== 404) return undefined;
  if (message !== undefined && ROUTER_MESSAGES.some((pattern) => pattern.test(message))) return 'endpoint';
  if (isSpecified) return 'resource';
  // The API explains itself in JSON. Another body comes from a proxy or a router.
  if (!fromApi || LIST.test(endpoint)) return 'endpoint';
  const isExplained = details.length > 0 || (message !== undefined && !BARE_REASON.test(message));
  if (isExplained) return 'resource';
  // A collection cannot be missing, but an item can.
  return endpoint.includes('{') ? 'either' : 'endpoint';
}
