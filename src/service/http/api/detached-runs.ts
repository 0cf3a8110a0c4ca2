/** Starts test sessions as published clients ask for it: of the account's checks, or of checks that the request contains. */
import { nextTick } from '../../../base/clock.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { type CheckType, isCheckType, isRunnable } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPE_ENDPOINTS } from '../../../contract/generated/check-type-endpoints.js';
import {
  type BodyOf,
  createCheckGroup,
  createCheckGroupV2,
  type runProjectChecks,
  type triggerPublishedTests,
  triggerTestSessions,
} from '../../../contract/index.ts';
import { violationsOf } from '../../../contract/validate.ts';
import type { UnstoredCheck } from '../../engine/sessions/unstored-checks.ts';
import { METADATA_TEXTS } from '../../store/engine/test-sessions.ts';
import type { CheckGroupBody } from '../../store/index.ts';
import { assertExpandedLength } from '../projects/expanded-length.ts';
import { type PayloadContext, toCheckBody, toGroupBody } from '../projects/payloads.ts';
import { validDeclared } from '../projects/write-resource.ts';
import { createCheckPresenter } from './check-presenter.ts';
import { nameInRefusal } from './context-within.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { assertValid, invalid, Problem, requireFound, violation } from './problem.ts';
import { assertKnownChecks, locationViolations, noCheckToRunMessage } from './references.ts';

type TriggerBody = BodyOf<typeof triggerPublishedTests>;
type RunBody = BodyOf<typeof runProjectChecks>;
type Job = RunBody['checkRunJobs'][number];
type TestBody = BodyOf<typeof triggerTestSessions>;

/** Fields of a job that belong to a stored check or to the client, and change nothing in a run. */
const WITHOUT_EFFECT = [
  ...['logicalId', 'group', 'groupId', 'groupOrder', 'sourceInfo', 'filePath', 'testRetryStrategy'],
  ...['alertChannels', 'alertSettings', 'useGlobalAlertSettings', 'triggerIncident', 'privateLocations'],
];

const COMMIT_FIELDS: readonly string[] = METADATA_TEXTS.filter((name) => name !== 'environment');

/** Returns the origin of a session. Clients send more about the commit than is stored. */
function metadataOf({ environment, repoInfo }: TriggerBody | RunBody): JsonObject {
  const known = Object.entries(repoInfo ?? {}).filter(
    ([name, value]) => COMMIT_FIELDS.includes(name) && typeof value === 'string' && value !== '',
  );
  return { ...Object.fromEntries(known), ...(environment ? { environment } : {}) };
}

/** Returns the fields that both requests share as those of endpoint `triggerTestSessions`. */
function toTestFields(body: TriggerBody | RunBody): JsonObject {
  const { name, runLocation, shouldRecord } = body;
  const { type, region, slugName } = runLocation;
  const metadata = metadataOf(body);
  return {
    name,
    runLocation: (type === 'PRIVATE' ? slugName : region) ?? '',
    record: shouldRecord ?? true,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

function toTestTarget({ checkId = [], targetTags = [] }: TriggerBody): JsonObject {
  const target = {
    ...(checkId.length > 0 ? { checkId } : {}),
    ...(targetTags.length > 0 ? { matchTags: targetTags } : {}),
  };
  return Object.keys(target).length > 0 ? { target } : {};
}

/** The runs store each check as a whole. */
const RUN_LENGTH = { limit: 16 * 1024 * 1024, advice: 'run fewer checks at once' };

function checkTypeOf({ checkType }: Job): CheckType {
  if (isCheckType(checkType) && isRunnable({ type: checkType })) return checkType;
  const message = isCheckType(checkType)
    ? `${checkType} checks cannot be run without being stored: deploy the project, then trigger the check`
    : 'must be a type of check that this service has';
  throw invalid([violation('body', ['checkType'], 'enum', message)]);
}

function toGroup(group: unknown, context: PayloadContext, now: number): CheckGroupBody | undefined {
  if (!isObject(group)) return undefined;
  const { alertChannels: _, ...fields } = group;
  const endpoint = fields.v === 2 ? createCheckGroupV2 : createCheckGroup;
  return validDeclared(endpoint, toGroupBody(fields, context), now) as unknown as CheckGroupBody;
}

/** Returns the check of a job. Throws `Problem` 400 that names it. */
function toUnstoredCheck(job: Job, sharedFiles: PayloadContext['sharedFiles'], now: number): UnstoredCheck {
  const context = { sharedFiles, subscriptions: [], privateLocations: [] };
  const type = checkTypeOf(job);
  const payload = Object.fromEntries(Object.entries(job).filter(([name]) => !WITHOUT_EFFECT.includes(name)));
  const body = validDeclared(CHECK_TYPE_ENDPOINTS[type].create, toCheckBody(payload, context), now);
  const { name } = body as { readonly name: string };
  return { logicalId: job.logicalId, name, type, body, group: toGroup(job.group, context, now) };
}

export function detachedRunHandlers(context: HandlerContext) {
  const { store, clock, engine } = context;
  const { testSessions } = engine;
  const { presentAll } = createCheckPresenter(context);

  /** Throws `Problem` 400 for a request that `triggerTestSessions` would refuse. */
  async function validTest(accountId: string, fields: JsonObject): Promise<TestBody> {
    assertValid(violationsOf(triggerTestSessions, { body: fields }, clock.now()));
    const body = fields as TestBody;
    assertValid(await locationViolations(store, accountId, body.runLocation));
    return body;
  }

  /** Extends the retention of a suite's archive. Throws `Problem` 400 if the account has none. */
  async function assertBundle(accountId: string, { body }: UnstoredCheck): Promise<void> {
    const { codeBundleId } = body;
    if (typeof codeBundleId !== 'string' || (await store.codeBundles.touch(accountId, codeBundleId))) return;
    const message = 'does not match any code bundle of this account';
    throw invalid([violation('body', ['codeBundlePath'], 'reference', message)]);
  }

  const retriesOf = ({ testRetryStrategy: retryStrategy }: TriggerBody | Job): JsonObject =>
    retryStrategy === undefined ? {} : { retryStrategy };

  return {
    async triggerPublishedTests({ accountId, body }) {
      const { environmentVariables, refreshCache } = body;
      const request = await validTest(accountId, {
        ...toTestFields(body),
        ...toTestTarget(body),
        ...retriesOf(body),
        ...(environmentVariables ? { environmentVariables } : {}),
        ...(refreshCache === undefined ? {} : { refreshCache }),
      });
      await assertKnownChecks(store, accountId, body.checkId);
      const started = await testSessions.startWithKeys({ ...request, accountId });
      if (started === undefined)
        throw new Problem(403, await noCheckToRunMessage(store, accountId, body.checkId), {
          code: 'ERR_NO_MATCHING_CHECKS',
        });
      const { session, sequenceIds } = started;
      const checks = await store.checks.byIds(accountId, Object.keys(sequenceIds));
      return {
        testSessionId: session.testSessionId,
        checks: await presentAll(accountId, checks),
        sequenceIds,
      };
    },

    async runProjectChecks({ accountId, body }) {
      const { checkRunJobs, sharedFiles = [] } = body;
      assertExpandedLength(checkRunJobs, sharedFiles, RUN_LENGTH);
      const [first] = checkRunJobs;
      const request = await validTest(accountId, {
        ...toTestFields(body),
        ...(first ? retriesOf(first) : {}),
      });
      const checks: UnstoredCheck[] = [];
      for (const job of checkRunJobs) {
        const name = `check "${job.logicalId}"`;
        checks.push(
          await nameInRefusal(name, { resource: { type: 'check', logicalId: job.logicalId } }, async () => {
            // Others get a turn between two checks.
            await nextTick();
            const check = toUnstoredCheck(job, sharedFiles, clock.now());
            await assertBundle(accountId, check);
            return check;
          }),
        );
      }
      const started = await testSessions.startWithKeys({ ...request, accountId }, checks);
      if (started === undefined) throw new Problem(400, 'The request has no check to run');
      const { testSessionId } = started.session;
      return { testSessionId, schedulingId: testSessionId, sequenceIds: started.sequenceIds };
    },

    async awaitRunScheduling({ accountId, params: { schedulingId } }) {
      requireFound(await testSessions.get(accountId, schedulingId), `start ${schedulingId}`);
      return { id: schedulingId, status: 'SUCCEEDED', error: null };
    },

    async getTestSessionLink({ accountId, params: { testSessionId } }) {
      const session = requireFound(
        await testSessions.get(accountId, testSessionId),
        `test session ${testSessionId}`,
      );
      return { link: session.testSessionLink ?? '' };
    },
  } satisfies Partial<Handlers>;
}
