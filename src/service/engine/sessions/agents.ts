/** The agents' door to the queue: runs of private locations are claimed, kept, reported and given back over HTTP. */
import type { Clock } from '../../../base/clock.ts';
import type { BodyOf, reportRun } from '../../../contract/index.ts';
import { formatLostFiles } from '../../../runners/files/format-lost-files.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import type { Run } from '../../store/engine/runs.ts';
import type { ArtifactFiles, KeptReport } from '../artifacts/files.ts';
import type { ClaimedRun } from '../artifacts/uploads.ts';
import type { agentBells, Woken } from './agent-wake-signals.ts';
import type { AgentClaim, AgentLocation, Agents, ClaimedRuns, ReportOutcome } from './interface.ts';
import { AGENT_LEASE_MS, type Plan } from './plan.ts';
import type { Reported } from './record.ts';
import { withinBounds } from './reduced.ts';
import { poolOf } from './settings.ts';

export interface AgentsOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  /** How long what is given back may wait to be claimed, in ms. */
  readonly claimMs: number;
  readonly artifacts: Pick<ArtifactFiles, 'uploads' | 'adopt'> | undefined;
  readonly bells: ReturnType<typeof agentBells>;
  readonly report: (reported: Reported) => Promise<boolean>;
}

/** What an agent has been given may not have reached it yet for so long, in ms. */
const UNHEARD_MS = 60_000;
/** A run whose runtime no agent seems to have goes to any, which then says so. */
const RUNTIME_WAIT_MS = 30_000;
/** An agent's clock that is wrong by no more is taken for right, in ms. */
const CLOCK_TOLERANCE_MS = 5000;

/** For nobody, since the agent is gone. */
const NOTHING: ClaimedRuns = { runs: [], location: {} };

/** Names of agents' claims begin so. */
export const AGENTS = 'agent/';

/** The name of an agent's claims begins so; an agent of another location can never have the same. */
const prefixOf = ({ locationId }: AgentLocation, agentId: string): string =>
  `${AGENTS}${locationId}/${agentId}/`;

const workerOf = (at: AgentLocation, { agentId, claimId }: AgentClaim): string =>
  prefixOf(at, agentId) + claimId;

/** Those of the runs that an agent of their location still holds by the same claim. */
export const stillHeld =
  (runs: EngineStore['runs']) =>
  async (asked: readonly ClaimedRun[]): Promise<ClaimedRun[]> => {
    const holders = await runs.holders(asked.map(({ runId }) => runId));
    const workers = new Map(holders.map(({ id, claimed_by }) => [id, claimed_by]));
    return asked.filter(({ runId, locationId, claimId }) => {
      const worker = workers.get(runId);
      return worker?.startsWith(`${AGENTS}${locationId}/`) && worker.endsWith(`/${claimId}`);
    });
  };

export function agentDoor({ store, clock, claimMs, artifacts, bells, report }: AgentsOptions): Agents {
  /** The claim of an agent that is under way: it has one at a time. */
  const claiming = new Map<string, { readonly stop: AbortController; readonly over: Promise<unknown> }>();

  /** Ends the agent's claim that is under way, waits until it is over, and takes its place. */
  async function alone<T>(agent: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) {
    const before = claiming.get(agent);
    const stop = new AbortController();
    const abort = () => stop.abort();
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    before?.stop.abort();
    const working = (async () => {
      await before?.over;
      return work(stop.signal);
    })();
    const mine = { stop, over: working.catch(() => {}) };
    claiming.set(agent, mine);
    try {
      return await working;
    } finally {
      signal.removeEventListener('abort', abort);
      if (claiming.get(agent) === mine) claiming.delete(agent);
    }
  }

  async function presented(runs: readonly Run[]): Promise<ClaimedRuns['runs']> {
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

  /** Gives back what was claimed before an instant, or whatever there is. */
  async function cleared(prefix: string, pool: string, keep: readonly number[], before?: number) {
    const claimBy = clock.now() + claimMs;
    if ((await store.runs.releaseAll(prefix, keep, claimBy, before)) > 0) bells.ringWork([pool]);
  }

  return {
    async claim(at, { agentId, claimId, capacity, waitSeconds, checkTypes, runtimes }, caller) {
      const { accountId } = at;
      const pool = poolOf(at.slugName);
      const prefix = prefixOf(at, agentId);
      const worker = prefix + claimId;
      const lateAt = clock.monotonic() + waitSeconds * 1000;

      async function taken(): Promise<Run[]> {
        const now = clock.now();
        const only = { checkTypes, runtimes, anyRuntimeBefore: now - RUNTIME_WAIT_MS };
        return store.runs.claim({
          ...{ worker, pool, accountId, now, only },
          ...{ leaseUntil: now + AGENT_LEASE_MS, limit: capacity, agentKeyId: at.keyId },
        });
      }

      /** With what the location is now: hours may have passed since the agent was told, and its key may be revoked. */
      async function answer(runs: readonly Run[]): Promise<ClaimedRuns | undefined> {
        const key = await store.privateLocations.key(at.keyId);
        if (key === undefined) {
          await cleared(worker, pool, []);
          return undefined;
        }
        return { runs: await presented(runs), location: { proxyUrl: key.proxyUrl } };
      }

      return alone(prefix, caller, async (signal) => {
        // Its answer was lost: the same again.
        const before = await store.runs.heldBy(worker);
        if (before.length > 0) return answer(before);
        for (;;) {
          const wake = bells.work(pool);
          try {
            if (signal.aborted) return NOTHING;
            const runs = await taken();
            if (signal.aborted && runs.length > 0) {
              // Nobody is there to take them.
              await cleared(worker, pool, []);
              return NOTHING;
            }
            const leftMs = lateAt - clock.monotonic();
            if (runs.length > 0 || leftMs <= 0) return await answer(runs);
            const { due, isKnown } = await store.runs.outlook(pool, accountId, clock.now(), at.keyId);
            if (!isKnown) return undefined;
            await wake.within(due === null ? leftMs : Math.min(leftMs, due - clock.now()), signal);
          } finally {
            wake.forget();
          }
        }
      });
    },

    async renew(at, { agentId, runs, waitSeconds }, signal) {
      const prefix = prefixOf(at, agentId);
      const now = clock.now();
      // What it holds and doesn't know of, as an answer was lost for good.
      await cleared(prefix, poolOf(at.slugName), runs, now - UNHEARD_MS);
      const lateAt = clock.monotonic() + waitSeconds * 1000;
      for (;;) {
        const wake: Woken = bells.stops();
        try {
          const held = await store.runs.renewAll(prefix, runs, clock.now() + AGENT_LEASE_MS);
          const cancelled = await store.runs.cancelledOf(held);
          const leftMs = lateAt - clock.monotonic();
          const isNews = cancelled.length > 0 || held.length < runs.length;
          if (isNews || leftMs <= 0 || signal.aborted) return { held, cancelled };
          await wake.within(leftMs, signal);
        } finally {
          wake.forget();
        }
      }
    },

    holds: async (at, claim) => (await holderOf(claim)) === workerOf(at, claim),

    async report(at, { agentId, claimId, runId, resultId, sentAt, report: found, artifacts: files }) {
      const isKnown = async () => (await store.results.find(resultId))?.account_id === at.accountId;
      const worker = workerOf(at, { agentId, claimId, runId });
      const notTaken = async () => outcomeOf((await isKnown()) ? 'RECORDED' : 'NOT_HELD');
      if ((await holderOf({ runId })) !== worker) return notTaken();
      const run = { locationId: at.locationId, runId, claimId };
      const missing = await missingOf(run, files);
      if (missing.length > 0) return outcomeOf('ARTIFACTS_MISSING', missing);
      const kept = withinBounds(withFiles(onOurClock(found, sentAt), files));
      const giveBack = await artifacts?.adopt(run, files);
      let isRecorded = false;
      try {
        isRecorded = await report({ worker, runId, resultId, report: kept });
      } finally {
        if (!isRecorded) await giveBack?.();
      }
      // What was sent and is not named is of no use; of a run that is no longer held nothing is.
      await artifacts?.uploads.remove(run);
      return isRecorded ? outcomeOf('RECORDED') : notTaken();
    },

    async release(at, agentId, keep) {
      const prefix = prefixOf(at, agentId);
      await alone(prefix, new AbortController().signal, () => cleared(prefix, poolOf(at.slugName), keep));
    },
  };

  type Files = BodyOf<typeof reportRun>['artifacts'];

  async function holderOf({ runId }: Pick<AgentClaim, 'runId'>): Promise<string | null | undefined> {
    return (await store.runs.holders([runId]))[0]?.claimed_by;
  }

  async function missingOf(run: ClaimedRun, files: Files): Promise<string[]> {
    if (artifacts === undefined) return [];
    const sizes = await Promise.all(files.map(({ id }) => artifacts.uploads.settledSize(run, id)));
    return files.filter(({ bytes }, place) => sizes[place] !== bytes).map(({ id }) => id);
  }

  function withFiles(found: Found, files: Files): KeptReport {
    const report = { ...found, isCancelled: found.isCancelled };
    if (files.length === 0) return report;
    if (artifacts === undefined) {
      const lost = 'this service stores no files';
      const { artifactsLost: before } = found.details;
      const artifactsLost = formatLostFiles(typeof before === 'string' ? before : undefined, lost);
      return { ...report, details: { ...found.details, artifacts: [], artifactsLost } };
    }
    return { ...report, kept: files, details: { ...found.details, artifacts: files } };
  }

  /** The report with its times as they were here, where the agent's clock is wrong; nothing is from the future or before 1970. */
  function onOurClock(found: Found, sentAt: number): Found {
    const now = clock.now();
    const behind = now - sentAt;
    const shift = Math.abs(behind) > CLOCK_TOLERANCE_MS ? behind : 0;
    const here = (instant: number) => Math.max(0, Math.min(now, instant + shift));
    return { ...found, startedAt: here(found.startedAt), stoppedAt: here(found.stoppedAt) };
  }
}

type Found = BodyOf<typeof reportRun>['report'];

const outcomeOf = (outcome: ReportOutcome['outcome'], missing: string[] = []): ReportOutcome => ({
  outcome,
  missing,
});
