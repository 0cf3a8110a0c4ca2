/** Plans a session: its locations, its deadline and its first attempts, as rows. Pure but for the ids it is given. */

import type { NewRun } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { ApiCheckBody, CheckRecord, TypedCheckBody } from '../../store/index.ts';
import { requestWith, resolved, type Snippet, secretsOfRequest } from './api-checks.ts';
import type { RunSource } from './interface.ts';
import { backoffSeconds, type RetryPlan } from './retries.ts';
import { isPublicLocation, merged, poolOf, type Settings, seesVariables, type Variable } from './settings.ts';

/** What the runs of a session need, kept with it while it is open. */
export interface Plan {
  /**
   * The check as its runner gets it: its fields with id, name, checkType, and the variables, runtime and base URL in force.
   * Of an API check `request` has its group's defaults, and `setup` and `teardown` are all that run, in order;
   * `problem` says why nothing of it may.
   */
  readonly check: Readonly<Record<string, unknown>>;
  readonly retry: RetryPlan | null;
  /** Locations that a retry in another region may use. */
  readonly elsewhere: readonly string[];
  /** Values that appear in no result. */
  readonly secrets: readonly string[];
}

/** How long things may take, in ms. */
export interface Limits {
  /** A run that nobody claims for so long is dropped. */
  readonly claimMs: number;
  /** The longest run of a check type. */
  readonly timeoutMs: (checkType: string) => number;
}

const MINUTE = 60_000;
const LONGEST_RUN: Readonly<Record<string, number>> = {
  BROWSER: 4 * MINUTE,
  MULTI_STEP: 4 * MINUTE,
  AGENTIC: 4 * MINUTE,
  PLAYWRIGHT: 60 * MINUTE,
};
/** As docs/gaps.md has them: dropped after 6 minutes; 30 s, 4 minutes for browsers, an hour for a Playwright suite. */
export const LIMITS: Limits = {
  claimMs: 6 * MINUTE,
  timeoutMs: (checkType) => LONGEST_RUN[checkType] ?? 30_000,
};
/** What a session may take beyond its last attempt. */
const MARGIN_MS = MINUTE;
/** The claims of an agent last so long (docs/gaps.md, losses), in ms: what a dead one held is claimable again afterwards. */
export const AGENT_LEASE_MS = 5 * MINUTE;
/** How long a session that waits for its turn in a batch may wait. */
const HELD_MS = 24 * 60 * MINUTE;

/** What is planned: a stored check, or the like that is stored nowhere (its id is null). */
export type Plannable<CheckId extends string | null = string | null> = TypedCheckBody &
  Pick<CheckRecord, 'accountId' | 'name'> & { readonly id: CheckId };

export interface Planning<CheckId extends string | null = string | null> {
  readonly check: Plannable<CheckId>;
  readonly settings: Settings;
  /** The account's variables: a group's and a check's go before them. */
  readonly accountVariables?: readonly Variable[] | undefined;
  /** Whether the account has what looks like a secret masked. */
  readonly detectsSecrets?: boolean | undefined;
  /** The snippets that it names, where they are there. */
  readonly snippetOf?: ((id: number) => Snippet | undefined) | undefined;
  readonly runSource: RunSource;
  readonly now: number;
  /** Whose turn it is where the locations take turns. */
  readonly turn: number;
  /** Public locations of the service: the first is for checks that name none. */
  readonly offered: readonly string[];
  readonly limits: Limits;
  readonly uuid: () => string;
  readonly scheduledAt?: number;
  readonly testSessionId?: string;
  /** One location instead of the check's own (test sessions). */
  readonly runLocation?: string;
  /** Its place in a batch; held back until one before it has ended where `held`. */
  readonly batch?: { readonly id: string; readonly place: number; readonly held: boolean };
}

export interface PlannedSession<CheckId extends string | null = string | null> {
  readonly session: SessionRecord<CheckId>;
  /** What stands in the session's row as text. */
  readonly plan: Plan;
  readonly runs: readonly NewRun[];
}

export function planSession<CheckId extends string | null>(
  planning: Planning<CheckId>,
): PlannedSession<CheckId> {
  const { check, settings, now, limits, batch } = planning;
  const id = planning.uuid();
  const locations = locationsOf(planning);
  const timeoutMs = limits.timeoutMs(check.type);
  const held = batch?.held ?? false;
  const plan = planOf(planning, locations);
  const runs = locations.map((location) =>
    newRun({
      ...{ accountId: check.accountId, sessionId: id, location, timeoutMs, sequenceId: planning.uuid() },
      // What is held gets its times when its turn comes.
      ...{ notBefore: now, claimBy: now + limits.claimMs, held },
    }),
  );
  return {
    session: {
      id,
      account_id: check.accountId,
      check_id: check.id,
      test_session_id: planning.testSessionId ?? null,
      check_name: check.name,
      check_type: check.type,
      status: 'STARTED',
      run_source: planning.runSource,
      scheduled_at: planning.scheduledAt ?? null,
      started_at: now,
      stopped_at: null,
      ends_by: held
        ? now + HELD_MS
        : deadlineOf(now, { retry: settings.retry, timeoutMs, locations }, limits),
      locations: JSON.stringify(locations),
      plan: JSON.stringify(plan),
      batch_id: batch?.id ?? null,
      batch_place: batch?.place ?? null,
      cancelled_at: null,
    },
    ...{ plan, runs },
  };
}

/** How a session runs. */
interface Course {
  readonly retry: RetryPlan | null;
  readonly timeoutMs: number;
  readonly locations: readonly string[];
}

/**
 * When a session that starts now must have ended: after its longest retries, the last of them claimed last of all, and where agents
 * run it after one of them has died and another has run it again.
 */
export function deadlineOf(now: number, { retry, timeoutMs, locations }: Course, limits: Limits): number {
  // The first is claimed as late as the last, and retries are counted from its start.
  const first = limits.claimMs + timeoutMs;
  const retrying = retryingMs(retry, timeoutMs, limits);
  const again = locations.every(isPublicLocation) ? 0 : AGENT_LEASE_MS + timeoutMs;
  return now + first + (retrying === 0 ? 0 : retrying + limits.claimMs) + again + MARGIN_MS;
}

/** How long after its first attempt the last may start, in ms. */
function retryingMs(retry: RetryPlan | null, timeoutMs: number, limits: Limits): number {
  if (retry === null) return 0;
  let total = 0;
  for (let n = 1; n <= retry.maxRetries; n++) {
    total += backoffSeconds(retry, n) * 1000 + timeoutMs + limits.claimMs;
  }
  return Math.min(total, retry.maxDurationSeconds * 1000);
}

export function newRun(run: {
  readonly accountId: string;
  readonly sessionId: string;
  readonly sequenceId: string;
  readonly location: string;
  readonly timeoutMs: number;
  readonly notBefore: number;
  readonly claimBy: number;
  readonly held?: boolean;
  readonly retryOf?: {
    readonly checkRunId: number;
    readonly attempt: number;
    readonly firstStartedAt: number;
  };
}): NewRun {
  return {
    account_id: run.accountId,
    session_id: run.sessionId,
    check_run_id: run.retryOf?.checkRunId ?? null,
    sequence_id: run.sequenceId,
    attempt: run.retryOf?.attempt ?? 0,
    location: run.location,
    pool: poolOf(run.location),
    state: run.held ? 'HELD' : 'QUEUED',
    not_before: run.notBefore,
    claim_by: run.claimBy,
    timeout_ms: run.timeoutMs,
    first_started_at: run.retryOf?.firstStartedAt ?? null,
    claimed_by: null,
    claimed_at: null,
    lease_until: null,
  };
}

function locationsOf({ settings, turn, offered, runLocation }: Planning): readonly string[] {
  if (runLocation !== undefined) return [runLocation];
  const named = settings.locations.length > 0 ? settings.locations : offered.slice(0, 1);
  if (settings.runParallel) return named;
  const next = named[turn % named.length];
  return next === undefined ? [] : [next];
}

function planOf(planning: Planning, locations: readonly string[]): Plan {
  const { check, settings, offered, runLocation, testSessionId } = planning;
  const groupUrl = check.type === 'API' ? settings.apiDefaults?.url : undefined;
  const environmentVariables = merged(
    planning.accountVariables,
    groupUrl ? [{ key: 'GROUP_BASE_URL', value: groupUrl }] : [],
    settings.environmentVariables,
  );
  const requested = check.type === 'API' ? requestedOf(check.body, planning) : undefined;
  const own = runLocation === undefined ? settings.locations : [];
  const isPublic = locations.every(isPublicLocation);
  return {
    check: {
      ...check.body,
      id: check.id,
      name: check.name,
      checkType: check.type,
      environmentVariables,
      ...(seesVariables(check)
        ? {
            runtimeId: settings.runtimeId,
            baseUrl: settings.baseUrl,
            isTest: testSessionId !== undefined,
            detectsSecrets: planning.detectsSecrets === true,
          }
        : {}),
      ...requested,
    },
    retry: settings.retry,
    elsewhere: own.length > 1 ? own : isPublic ? offered : [],
    secrets: [...secretsOf(environmentVariables), ...(requested ? secretsOfRequest(requested.request) : [])],
  };
}

/** What an API check asks, and the scripts around it. */
function requestedOf(body: ApiCheckBody, { settings, snippetOf = () => undefined }: Planning) {
  const setup = resolved(settings.setup, snippetOf);
  const tearDown = resolved(settings.tearDown, snippetOf);
  const problem = setup.problem ?? tearDown.problem;
  return {
    request: requestWith(body.request, settings.apiDefaults),
    setup: setup.scripts,
    teardown: tearDown.scripts,
    ...(problem === undefined ? {} : { problem }),
  };
}

function secretsOf(variables: readonly Variable[]): string[] {
  return variables
    .filter(
      ({ key, secret, locked }) => secret === true || locked === true || key.startsWith('SONDE_SECRET_'),
    )
    .map(({ value }) => value)
    .filter((value) => value !== '');
}
