/** Lets agents claim, renew, report and release runs of private locations over HTTP. */
import { createLinkedController } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import type { CheckType } from '../../../contract/check-type-facts.ts';
import type { BodyOf, claimRuns, ResponseOf, renewRuns, reportRun } from '../../../contract/index.ts';
import { formatLostFiles } from '../../../runners/files/run-file-store.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import type { Run } from '../../store/engine/runs.ts';
import type { ArtifactFiles, StoredArtifact, StoredReport } from '../artifacts/artifact-files.ts';
import type { ClaimedRun } from '../artifacts/uploads.ts';
import { AGENT_LEASE_MS, type Plan } from './plan-session.ts';
import { limitReport, type RunReport } from './record-reports.ts';
import { poolOf } from './settings.ts';
import type { createAgentWakeSignals, PendingWake } from './wake-signals.ts';

interface AgentPortOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  /** How long released runs may wait for a claim, in ms. */
  readonly claimMs: number;
  readonly artifacts: Pick<ArtifactFiles, 'uploads' | 'adopt' | 'place'> | undefined;
  readonly wakeSignals: ReturnType<typeof createAgentWakeSignals>;
  readonly report: (reported: RunReport) => Promise<boolean>;
}

/** A claim response may take this long to reach its agent, in ms. */
const UNCONFIRMED_MS = 60_000;
/** After this time, in ms, any agent may claim a run whose runtime no agent has. It then reports the error. */
const RUNTIME_WAIT_MS = 30_000;
/** A smaller error of an agent's clock is not corrected, in ms. */
const CLOCK_TOLERANCE_MS = 5000;

/** The types of checks that present client certificates. */
const PRESENTING_TYPES: ReadonlySet<string> = new Set(['API', 'URL'] satisfies CheckType[]);

const NO_RUNS: ClaimedRuns = { runs: [], location: {} };

/** Prefix of the names of agents' claims. */
export const AGENT_PREFIX = 'agent/';

/** The private location of an agent's key. */
export interface AgentLocation {
  /** The key that authenticated the agent. */
  readonly keyId: string;
  readonly accountId: string;
  readonly locationId: string;
  readonly slugName: string;
}

/** An agent's claim of a run. */
export interface AgentClaim {
  readonly agentId: string;
  readonly claimId: string;
  readonly runId: number;
}

type ClaimedRuns = ResponseOf<typeof claimRuns>;
type ReportOutcome = ResponseOf<typeof reportRun>;

/** Returns the prefix of an agent's claims, which includes its location. */
const prefixOf = ({ locationId }: AgentLocation, agentId: string): string =>
  `${AGENT_PREFIX}${locationId}/${agentId}/`;

const workerOf = (at: AgentLocation, { agentId, claimId }: AgentClaim): string =>
  prefixOf(at, agentId) + claimId;

/** Returns those of the runs that an agent of their location still holds by the same claim. */
export const claimedRuns =
  (runs: EngineStore['runs']) =>
  async (candidates: readonly ClaimedRun[]): Promise<ClaimedRun[]> => {
    const holders = await runs.holders(candidates.map(({ runId }) => runId));
    const workers = new Map(holders.map(({ id, claimed_by }) => [id, claimed_by]));
    return candidates.filter(({ runId, locationId, claimId }) => {
      const worker = workers.get(runId);
      return worker?.startsWith(`${AGENT_PREFIX}${locationId}/`) && worker.endsWith(`/${claimId}`);
    });
  };

export function createAgentPort(options: AgentPortOptions) {
  const { store, clock, claimMs, artifacts, wakeSignals, report } = options;
  /** The pending claim of each agent. An agent has at most one. */
  const activeClaims = new Map<string, { stop: AbortController; ended: Promise<unknown> }>();

  /** Cancels the agent's pending claim, waits until it has ended, and runs the new one. */
  async function replaceClaim<T>(
    agent: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ) {
    const previous = activeClaims.get(agent);
    const stop = createLinkedController(signal);
    previous?.stop.abort();
    const working = (async () => {
      await previous?.ended;
      return work(stop.signal);
    })();
    const current = { stop, ended: working.catch(() => {}) };
    activeClaims.set(agent, current);
    try {
      return await working;
    } finally {
      stop.unlink();
      if (activeClaims.get(agent) === current) activeClaims.delete(agent);
    }
  }

  async function toClaimedRuns(runs: readonly Run[]): Promise<ClaimedRuns['runs']> {
    const ids = [...new Set(runs.map((run) => run.session_id))];
    const sessions = new Map((await store.sessions.byIds(ids)).map((session) => [session.id, session]));
    return runs.map((run) => {
      const session = sessions.get(run.session_id);
      const plan = session?.plan ? (JSON.parse(session.plan) as Plan) : undefined;
      return {
        id: run.id,
        checkType: session?.check_type ?? '',
        check: { ...plan?.check },
        location: run.location,
        timeoutMs: run.timeout_ms,
        secrets: [...(plan?.secrets ?? [])],
        isCancelled: plan === undefined || session?.cancelled_at !== null,
      };
    });
  }

  /** Releases the agent's claims except `keep`, or only those from before an instant. */
  async function releaseClaims(prefix: string, pool: string, keep: readonly number[], before?: number) {
    const claimBy = clock.now() + claimMs;
    if ((await store.runs.releaseAll(prefix, keep, claimBy, before)) > 0) wakeSignals.wakeForWork([pool]);
  }

  return {
    /**
     * Claims runs, as soon as there are any; none at the end of the wait or once `caller` aborts. Returns undefined if
     * the key was revoked meanwhile.
     */
    async claim(
      at: AgentLocation,
      request: BodyOf<typeof claimRuns>,
      caller: AbortSignal,
    ): Promise<ClaimedRuns | undefined> {
      const { agentId, claimId, capacity, waitSeconds, checkTypes, runtimes } = request;
      const { accountId } = at;
      const pool = poolOf(at.slugName);
      const prefix = prefixOf(at, agentId);
      const worker = prefix + claimId;
      const timeoutAt = clock.monotonic() + waitSeconds * 1000;

      async function claimNow(): Promise<Run[]> {
        const now = clock.now();
        const only = { checkTypes, runtimes, anyRuntimeBefore: now - RUNTIME_WAIT_MS };
        return store.runs.claim({
          worker,
          pool,
          accountId,
          now,
          only,
          leaseUntil: now + AGENT_LEASE_MS,
          limit: capacity,
          agentKeyId: at.keyId,
        });
      }

      /** Reads the location again: the wait may take long, and the key may be revoked meanwhile. */
      async function respond(runs: readonly Run[]): Promise<ClaimedRuns | undefined> {
        const key = await store.privateLocations.key(at.keyId);
        if (key === undefined) {
          await releaseClaims(worker, pool, []);
          return undefined;
        }
        const claimed = await toClaimedRuns(runs);
        const certificates = claimed.some(({ checkType }) => PRESENTING_TYPES.has(checkType))
          ? await store.clientCertificates.list(accountId)
          : [];
        return {
          runs: claimed,
          location: { proxyUrl: key.proxyUrl },
          clientCertificates: certificates.map(({ body }) => body),
        };
      }

      return replaceClaim(prefix, caller, async (signal) => {
        // The response to this claim was lost, so it is sent again.
        const before = await store.runs.heldBy(worker);
        if (before.length > 0) return respond(before);
        for (;;) {
          const wake = wakeSignals.work(pool);
          try {
            if (signal.aborted) return NO_RUNS;
            const runs = await claimNow();
            if (signal.aborted && runs.length > 0) {
              // The agent has gone away.
              await releaseClaims(worker, pool, []);
              return NO_RUNS;
            }
            const leftMs = timeoutAt - clock.monotonic();
            if (runs.length > 0 || leftMs <= 0) return await respond(runs);
            const { due, isKnown } = await store.runs.nextDue(pool, accountId, clock.now(), at.keyId);
            if (!isKnown) return undefined;
            await wake.within(due === null ? leftMs : Math.min(leftMs, due - clock.now()), signal);
          } finally {
            wake.dispose();
          }
        }
      });
    },

    /** Renews claims. Waits until one of them is cancelled or lost. */
    async renew(
      at: AgentLocation,
      { agentId, runs, waitSeconds }: BodyOf<typeof renewRuns>,
      signal: AbortSignal,
    ): Promise<ResponseOf<typeof renewRuns>> {
      const prefix = prefixOf(at, agentId);
      const now = clock.now();
      // Release runs whose claim response never reached the agent.
      await releaseClaims(prefix, poolOf(at.slugName), runs, now - UNCONFIRMED_MS);
      const timeoutAt = clock.monotonic() + waitSeconds * 1000;
      for (;;) {
        const wake: PendingWake = wakeSignals.stops();
        try {
          const held = await store.runs.renewAll(prefix, runs, clock.now() + AGENT_LEASE_MS);
          const cancelled = await store.runs.cancelledAmong(held);
          const leftMs = timeoutAt - clock.monotonic();
          const hasChanges = cancelled.length > 0 || held.length < runs.length;
          if (hasChanges || leftMs <= 0 || signal.aborted) return { held, cancelled };
          await wake.within(leftMs, signal);
        } finally {
          wake.dispose();
        }
      }
    },

    /** Returns whether an agent of the location holds a run by this claim. */
    holds: async (at: AgentLocation, claim: AgentClaim): Promise<boolean> =>
      (await holderOf(claim)) === workerOf(at, claim),

    /** Returns whether agents of the location hold a run that uses the code bundle. */
    holdsBundle: (at: AgentLocation, bundleId: string): Promise<boolean> =>
      store.runs.holdsBundle(`${AGENT_PREFIX}${at.locationId}/`, bundleId),

    /** Records a result once, even if it is reported again. */
    async report(at: AgentLocation, reported: BodyOf<typeof reportRun>): Promise<ReportOutcome> {
      const { agentId, claimId, runId, resultId, sentAt, report: agentReport, artifacts: files } = reported;
      const isKnown = async () => (await store.results.find(resultId))?.account_id === at.accountId;
      const worker = workerOf(at, { agentId, claimId, runId });
      const rejected = async () => outcomeOf((await isKnown()) ? 'RECORDED' : 'NOT_HELD');
      if ((await holderOf({ runId })) !== worker) return rejected();
      const run = { locationId: at.locationId, runId, claimId };
      const missing = await findMissing(run, files);
      if (missing.length > 0) return outcomeOf('ARTIFACTS_MISSING', missing);
      const adopted = await artifacts?.adopt(run, files);
      let isRecorded = false;
      try {
        const complete = withFiles(correctClock(agentReport, sentAt), adopted?.stored ?? files);
        isRecorded = await report({ worker, runId, resultId, report: limitReport(complete) });
      } finally {
        if (!isRecorded) await adopted?.undo();
      }
      // Uploads that the report does not name are useless, and so are all uploads of a run that is no longer held.
      await artifacts?.uploads.remove(run);
      return isRecorded ? outcomeOf('RECORDED') : rejected();
    },

    /** Releases all claims of the agent except `keep`. */
    async release(at: AgentLocation, agentId: string, keep: readonly number[]): Promise<void> {
      const prefix = prefixOf(at, agentId);
      await replaceClaim(prefix, new AbortController().signal, () =>
        releaseClaims(prefix, poolOf(at.slugName), keep),
      );
    },
  };

  type Files = BodyOf<typeof reportRun>['artifacts'];

  async function holderOf({ runId }: Pick<AgentClaim, 'runId'>): Promise<string | null | undefined> {
    return (await store.runs.holders([runId]))[0]?.claimed_by;
  }

  async function findMissing(run: ClaimedRun, files: Files): Promise<string[]> {
    if (artifacts === undefined) return [];
    const sizes = await Promise.all(files.map(({ id }) => artifacts.uploads.settledSize(run, id)));
    return files.filter(({ bytes }, index) => sizes[index] !== bytes).map(({ id }) => id);
  }

  function withFiles(agentReport: AgentReport, files: readonly StoredArtifact[]): StoredReport {
    const report = { ...agentReport, isCancelled: agentReport.isCancelled };
    if (files.length === 0) return report;
    if (artifacts === undefined) {
      const lost = 'this service stores no files';
      const { artifactsLost: before } = agentReport.details;
      const artifactsLost = formatLostFiles(typeof before === 'string' ? before : undefined, lost);
      return { ...report, details: { ...agentReport.details, artifacts: [], artifactsLost } };
    }
    const details = { ...agentReport.details, artifacts: files };
    return { ...report, stored: files, place: artifacts.place, details };
  }

  /** Returns the report with its times corrected if the agent's clock is wrong, and limited to 1970 until now. */
  function correctClock(agentReport: AgentReport, sentAt: number): AgentReport {
    const now = clock.now();
    const behind = now - sentAt;
    const shift = Math.abs(behind) > CLOCK_TOLERANCE_MS ? behind : 0;
    const toOurClock = (instant: number) => Math.max(0, Math.min(now, instant + shift));
    return {
      ...agentReport,
      startedAt: toOurClock(agentReport.startedAt),
      stoppedAt: toOurClock(agentReport.stoppedAt),
    };
  }
}

type AgentReport = BodyOf<typeof reportRun>['report'];

const outcomeOf = (outcome: ReportOutcome['outcome'], missing: string[] = []): ReportOutcome => ({
  outcome,
  missing,
});
