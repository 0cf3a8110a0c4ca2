/** Defines the limits of HTTP requests: sizes, times, connections and rates. */

import type { Rate } from '../../../contract/endpoint.ts';
import { CONNECTION_LIMITS } from './connection-limiter.ts';
import type { RateLimit } from './rate-limiter.ts';

export const DEFAULT_LIMITS = {
  maxBodyBytes: 1024 * 1024,
  /** Maximum nesting depth of a JSON body, and maximum number of its values. */
  maxBodyDepth: 64,
  maxBodyValues: 10_000,
  /** The same for reports of agents, which may contain the response of a target. */
  maxReportBytes: 16 * 1024 * 1024,
  maxReportDepth: 200,
  maxReportValues: 1_000_000,
  /** Time within which a request and its headers must arrive, in ms. */
  requestTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  connections: CONNECTION_LIMITS,
  /** Requests allowed for one key, by the rate that an endpoint names (specification, Limits). */
  rates: {
    standard: { requests: 600, windowSeconds: 60 },
    'deprecated-listing': { requests: 5, windowSeconds: 10 },
    // All agents of a location share one key.
    agent: { requests: 6000, windowSeconds: 60 },
  } satisfies Record<Rate, RateLimit>,
  /** Requests without a key allowed for one address, not counting heartbeat pings. */
  publicRate: { requests: 1000, windowSeconds: 10 },
};
export type HttpLimits = Readonly<typeof DEFAULT_LIMITS>;
