/** Loads the contract and the runner of one uptime type. Each type is a bundle, so that a run loads only its own. */
import type { UptimeCheckType } from '../../../src/contract/check-type-facts.ts';
import type { Endpoint } from '../../../src/contract/index.ts';
import type { Runner } from '../../../src/runners/core/runner.ts';

interface LoadedType {
  /** The endpoint that creates a check of the type. */
  readonly create: Endpoint;
  readonly run: Runner<never>;
}

export const UPTIME_TYPES: Readonly<Record<UptimeCheckType, () => Promise<LoadedType>>> = {
  DNS: () => import('./types/dns.ts'),
  ICMP: () => import('./types/icmp.ts'),
  SSL: () => import('./types/ssl.ts'),
  TCP: () => import('./types/tcp.ts'),
  URL: () => import('./types/url.ts'),
};

export const isUptimeType = (type: unknown): type is UptimeCheckType =>
  typeof type === 'string' && Object.hasOwn(UPTIME_TYPES, type);
