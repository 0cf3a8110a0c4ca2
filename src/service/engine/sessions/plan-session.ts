/** Plans a session as rows: its locations, its deadline and its first attempts. Pure except for the IDs. */

import { isCheckType, usesVariables } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type { NewRun } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { ApiCheckBody, CheckRecord, TypedCheckBody } from '../../store/index.ts';
import {
  applyRequestDefaults,
  deployedAt,
  requestSecrets,
  resolveScripts,
  type Snippet,
} from './api-checks.ts';
import { backoffSeconds, type RetryPlan } from './retries.ts';
import { isPublicLocation, mergeVariables, poolOf, type Settings, type Variable } from './settings.ts';
import type { RunSource } from './types.ts';

/** Data for the runs of a session, stored with the session while it is open. */
export interface Plan {
  /**
   * The check for its runner: its fields with id, name, checkType, sessionId, and the effective variables, runtime and base URL.
   * For an API check, `request` includes the group's defaults, and `setup` and `teardown` are all scripts in order;
   * `problem` says why it must not run.
   */
  readonly check: Readonly<Record<string, unknown>>;
  readonly retry: RetryPlan | null;
  /** The check's locations, for retries in another region. Empty: retries stay where they are. */
  readonly elsewhere: readonly string[];
  /** Values that must not appear in results. */
  readonly secrets: readonly string[];
}

export interface Limits {
  /** Unclaimed runs are dropped after this time. */
  readonly claimMs: number;
  /** Returns the timeout of a check type. */
  readonly timeoutMs: (checkType: string) => number;
}

const MINUTE = 60_000;
/** The limits of docs/gaps.md: dropped after 6 minutes; timeouts of 30 s, 4 minutes (browser), 1 hour (Playwright). */
export const LIMITS: Limits = {
  claimMs: 6 * MINUTE,
  timeoutMs: (checkType) => (isCheckType(checkType) ? CHECK_TYPES[checkType].timeoutMs : 30_000),
};
/** Margin of a session's deadline after its last attempt. */
const DEADLINE_MARGIN_MS = MINUTE;
/** Duration of an agent's claims (docs/gaps.md, losses), in ms. Afterwards a dead agent's runs are claimable again. */
export const AGENT_LEASE_MS = 5 * MINUTE;
/** Longest wait of a held session in a batch. */
const MAX_HELD_MS = 24 * 60 * MINUTE;

/** A check to plan. The ID of a check that is not stored is null. */
export type PlannableCheck<CheckId extends string | null = string | null> = TypedCheckBody &
  Pick<CheckRecord, 'accountId' | 'name'> & { readonly id: CheckId };

export interface PlanOptions<CheckId extends string | null = string | null> {
  readonly check: PlannableCheck<CheckId>;
  readonly settings: Settings;
  /** The account's variables. Variables of the group and the check take precedence. */
  readonly accountVariables?: readonly Variable[] | undefined;
  /** Whether the account masks detected secrets. */
  readonly detectsSecrets?: boolean | undefined;
  /** Returns a snippet of the account. */
  readonly snippetOf?: ((id: number) => Snippet | undefined) | undefined;
  readonly runSource: RunSource;
  readonly now: number;
  /** Index of the next location, if the check rotates through its locations. */
  readonly rotation: number;
  /** Public locations of the service. The first is the default. */
  readonly publicLocations: readonly string[];
  readonly limits: Limits;
  readonly uuid: () => string;
  readonly scheduledAt?: number;
  readonly testSessionId?: string;
  /** Replaces the check's locations (test sessions, deployments). */
  readonly runLocation?: string;
  /** URL of a deployment, which replaces the scheme, host and port of targets and the base URL of scripts. */
  readonly environmentUrl?: string;
  /** Place in a batch. `held`: waits until an earlier check has ended. */
  readonly batch?: { readonly id: string; readonly position: number; readonly held: boolean };
}

export interface PlannedSession<CheckId extends string | null = string | null> {
  readonly session: SessionRecord<CheckId>;
  /** The plan that the session's row contains as JSON. */
  readonly plan: Plan;
  readonly runs: readonly NewRun[];
}

export function planSession<CheckId extends string | null>(
  options: PlanOptions<CheckId>,
): PlannedSession<CheckId> {
  const { check, settings, now, limits, batch } = options;
  const id = options.uuid();
  const locations = chooseLocations(options);
  const timeoutMs = limits.timeoutMs(check.type);
  const held = batch?.held ?? false;
  const plan = createPlan(options, id);
  const runs = locations.map((location) =>
    createRun({
      accountId: check.accountId,
      sessionId: id,
      location,
      timeoutMs,
      sequenceId: options.uuid(),
      // A held run gets its times when it is released.
      notBefore: now,
      claimBy: now + limits.claimMs,
      held,
    }),
  );
  return {
    session: {
      id,
      account_id: check.accountId,
      check_id: check.id,
      test_session_id: options.testSessionId ?? null,
      check_name: check.name,
      check_type: check.type,
      status: 'STARTED',
      run_source: options.runSource,
      scheduled_at: options.scheduledAt ?? null,
      started_at: now,
      stopped_at: null,
      ends_by: held
        ? now + MAX_HELD_MS
        : deadlineOf(now, { retry: settings.retry, timeoutMs, locations }, limits),
      locations: JSON.stringify(locations),
      plan: JSON.stringify(plan),
      batch_id: batch?.id ?? null,
      batch_place: batch?.position ?? null,
      cancelled_at: null,
    },
    plan,
    runs,
  };
}

interface SessionTiming {
  readonly retry: RetryPlan | null;
  readonly timeoutMs: number;
  readonly locations: readonly string[];
}

/**
 * Returns the deadline of a session that starts now: its longest retries, each claimed as late as possible, and with
 * agents also the repetition of a run whose agent died.
 */
export function deadlineOf(
  now: number,
  { retry, timeoutMs, locations }: SessionTiming,
  limits: Limits,
): number {
  // The first attempt is claimed as late as possible. Retries count from its start.
  const first = limits.claimMs + timeoutMs;
  const retrying = maxRetryMs(retry, timeoutMs, limits);
  const again = locations.every(isPublicLocation) ? 0 : AGENT_LEASE_MS + timeoutMs;
  return now + first + (retrying === 0 ? 0 : retrying + limits.claimMs) + again + DEADLINE_MARGIN_MS;
}

/** Returns the longest time from the first attempt to the start of the last, in ms. */
function maxRetryMs(retry: RetryPlan | null, timeoutMs: number, limits: Limits): number {
  if (retry === null) return 0;
  let total = 0;
  for (let n = 1; n <= retry.maxRetries; n++) {
    total += backoffSeconds(retry, n) * 1000 + timeoutMs + limits.claimMs;
  }
  return Math.min(total, retry.maxDurationSeconds * 1000);
}

export function createRun(run: {
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
    readonly firstLocation: string;
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
    first_location: run.retryOf?.firstLocation ?? null,
    claimed_by: null,
    claimed_at: null,
    lease_until: null,
  };
}

function chooseLocations({
  settings,
  rotation,
  publicLocations,
  runLocation,
}: PlanOptions): readonly string[] {
  if (runLocation !== undefined) return [runLocation];
  const named = settings.locations.length > 0 ? settings.locations : publicLocations.slice(0, 1);
  if (settings.runParallel) return named;
  const next = named[rotation % named.length];
  return next === undefined ? [] : [next];
}

function createPlan(options: PlanOptions, sessionId: string): Plan {
  const { check, settings, runLocation, testSessionId, environmentUrl } = options;
  const groupUrl = check.type === 'API' ? settings.apiDefaults?.url : undefined;
  const environmentVariables = mergeVariables(
    options.accountVariables,
    groupUrl ? [{ key: 'GROUP_BASE_URL', value: groupUrl }] : [],
    settings.environmentVariables,
  );
  const requested = check.type === 'API' ? resolveRequest(check.body, options) : undefined;
  return {
    check: {
      ...check.body,
      id: check.id,
      name: check.name,
      checkType: check.type,
      sessionId,
      environmentVariables,
      ...(usesVariables(check)
        ? {
            runtimeId: settings.runtimeId,
            baseUrl: environmentUrl ?? settings.baseUrl,
            isTest: testSessionId !== undefined,
            detectsSecrets: options.detectsSecrets === true,
          }
        : {}),
      ...requested,
      ...(check.type === 'URL' ? { request: deployedAt(check.body.request, environmentUrl) } : {}),
    },
    retry: settings.retry,
    // A retry never leaves the locations that the user chose: others may not reach the target, or must not.
    elsewhere: runLocation === undefined ? settings.locations : [],
    secrets: [
      ...variableSecrets(environmentVariables),
      ...(requested ? requestSecrets(requested.request) : []),
      ...optionSecrets(check.body),
    ],
  };
}

/** Returns the request of an API check and its scripts. */
function resolveRequest(
  body: ApiCheckBody,
  { settings, environmentUrl, snippetOf = () => undefined }: PlanOptions,
) {
  const setup = resolveScripts(settings.setup, snippetOf);
  const tearDown = resolveScripts(settings.tearDown, snippetOf);
  const problem = setup.problem ?? tearDown.problem;
  return {
    request: deployedAt(applyRequestDefaults(body.request, settings.apiDefaults), environmentUrl),
    setup: setup.scripts,
    teardown: tearDown.scripts,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Returns the credentials of Playwright options: a header contains both together, in Base64. */
function optionSecrets(body: TypedCheckBody['body']): string[] {
  const { username, password } =
    ('playwrightConfig' in body && body.playwrightConfig?.use?.httpCredentials) || {};
  return password ? [password, `${username}:${password}`] : [];
}

function variableSecrets(variables: readonly Variable[]): string[] {
  return variables
    .filter(
      ({ key, secret, locked }) => secret === true || locked === true || key.startsWith('SONDE_SECRET_'),
    )
    .map(({ value }) => value)
    .filter((value) => value !== '');
}
