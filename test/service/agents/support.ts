/** Agents of a private location as a test plays them: over HTTP, against a real service, with a key of the location. */
import { randomUUID } from 'node:crypto';
import * as contract from '../../../src/contract/index.ts';
import { byHand } from '../../support/by-hand.ts';
import { call } from '../../support/call.ts';
import type { TestService } from '../../support/service.ts';

export interface Place {
  readonly id: string;
  readonly slug: string;
  /** Asks with a key of the location. */
  readonly asAgent: { readonly url: string; readonly apiKey: string };
}

/** A private location of the service's account. */
export async function createPlace(service: TestService, slug: string): Promise<Place> {
  const made = await call(service, contract.createPrivateLocation, { body: { name: slug, slugName: slug } });
  const [key] = made.keys ?? [];
  return { id: made.id ?? '', slug, asAgent: { url: service.url, apiKey: key?.rawKey ?? '' } };
}

/** A DNS check that runs at these private locations alone, and only when it is told to. */
export async function createCheckAt(
  service: TestService,
  slugs: readonly string[],
  more: Partial<contract.BodyOf<typeof contract.createDnsCheck>> = {},
): Promise<string> {
  const body = {
    ...{ name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' },
    ...{ ...byHand(), privateLocations: [...slugs], locations: null, retryStrategy: null },
    ...more,
  };
  return (await call(service, contract.createDnsCheck, { body })).id ?? '';
}

/** Starts a session of a check. */
export async function startSession(service: TestService, checkId: string): Promise<string> {
  const { sessions } = await call(service, contract.triggerCheckSessions, {
    body: { target: { checkId: [checkId] } },
  });
  return sessions[0]?.checkSessionId ?? '';
}

export const readSession = (service: TestService, checkSessionId: string) =>
  call(service, contract.getCheckSession, { params: { checkSessionId } });

export type ReportBody = contract.BodyOf<typeof contract.reportRun>;

export const GOOD = {
  ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, isCancelled: false, responseTime: 12.5, errors: [], details: {} },
};

/** One agent of a location. */
export function createAgent({ asAgent }: Place) {
  const agentId = randomUUID();
  return {
    agentId,
    announce: () => call(asAgent, contract.announceAgent, { body: { agentId, version: '1.0.0' } }),
    async claim(more: Partial<contract.BodyOf<typeof contract.claimRuns>> = {}) {
      const claimId = more.claimId ?? randomUUID();
      const asked = { capacity: 10, waitSeconds: 0, checkTypes: ['DNS'], runtimes: [] };
      const { runs } = await call(asAgent, contract.claimRuns, {
        body: { agentId, claimId, ...asked, ...more },
      });
      return runs.map((run) => ({ ...run, claimId }));
    },
    renew: (runs: readonly number[], waitSeconds = 0) =>
      call(asAgent, contract.renewRuns, { body: { agentId, runs: [...runs], waitSeconds } }),
    report(
      run: { readonly id: number; readonly claimId: string },
      { report = {}, ...more }: Partial<Omit<ReportBody, 'report'>> & { report?: object } = {},
    ) {
      const now = Date.now();
      const times = { startedAt: now - 20, stoppedAt: now - 5 };
      const { id: runId, claimId } = run;
      const body = {
        ...{ agentId, claimId, runId, resultId: randomUUID(), sentAt: now, artifacts: [] },
        ...{ report: { ...GOOD, ...times, ...report } },
        ...more,
      };
      return call(asAgent, contract.reportRun, { body });
    },
    release: (keep: readonly number[] = [], isLeaving = false) =>
      call(asAgent, contract.releaseRuns, { body: { agentId, keep: [...keep], isLeaving } }),
  };
}
