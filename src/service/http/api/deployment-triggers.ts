/** Handles deployment triggers, which run a check or a group after a deployment, and the secret of their webhook. */

import { isRunnable } from '../../../contract/check-type-facts.ts';
import type { BodyOf, createDeploymentTrigger, Violation } from '../../../contract/index.ts';
import { patternSearch } from '../../../runners/assertions/pattern-search.ts';
import { CannotRun } from '../../../runners/core/runner.ts';
import type { SubscriptionTarget } from '../../store/alerts.ts';
import type { DeploymentTrigger } from '../../store/deployment-triggers.ts';
import { StoreConflict } from '../../store/index.ts';
import { toIso, toIsoOrNull } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { assertValid, invalid, requireFound, violation } from './problem.ts';
import { locationViolations, requireCheck, requireGroup } from './references.ts';

type Requested = BodyOf<typeof createDeploymentTrigger>;

/** Returns the path of the webhook of an account. */
export const githubWebhookPath = (accountId: string): string => `/integrations/github/${accountId}`;

const present = ({ id, checkId, groupId, repoId, body, createdAt }: DeploymentTrigger) => ({
  ...{ id, checkId, groupId, repoId },
  provider: 'GITHUB' as const,
  ...body,
  ...{ created_at: toIso(createdAt), updated_at: null },
});

/** Returns the check or group of a request. Throws `Problem` 400 unless it names exactly one. */
function targetOf({ checkId = null, groupId = null }: Requested): SubscriptionTarget {
  if (checkId !== null && groupId === null) return { checkId };
  if (groupId !== null && checkId === null) return { groupId };
  throw invalid([violation('body', ['checkId'], 'oneOf', 'or groupId is required, and not both')]);
}

export function deploymentTriggerHandlers(context: HandlerContext) {
  const { store, evaluate, stopping, publicUrl } = context;

  /** Throws `Problem` 404 for an unknown target, and 400 for a check that cannot be run. */
  async function assertTarget(accountId: string, target: SubscriptionTarget): Promise<void> {
    if ('groupId' in target) {
      await requireGroup(store, accountId, target.groupId);
      return;
    }
    const check = await requireCheck(store, accountId, target.checkId);
    if (!isRunnable(check))
      throw invalid([
        violation('body', ['checkId'], 'reference', 'must not be a heartbeat check, which waits for pings'),
      ]);
  }

  async function patternViolations(accountId: string, body: Requested): Promise<Violation[]> {
    const found: Violation[] = [];
    for (const field of ['environmentRegexFilter', 'environmentUrlRegexFilter'] as const) {
      const pattern = body[field] ?? null;
      if (pattern === null) continue;
      const origin = { accountId, subjectId: `deployment triggers ${accountId}` };
      const isFound = await evaluate(patternSearch, { pattern, text: '' }, stopping, origin).catch(
        (error: unknown) => {
          if (!(error instanceof CannotRun) || stopping.aborted) throw error;
          return null;
        },
      );
      if (isFound === null)
        found.push(violation('body', [field], 'format', 'must be a valid regular expression'));
    }
    return found;
  }

  async function create(accountId: string, target: SubscriptionTarget, body: Requested) {
    const { repoId, repoName, repoLink = '', useEnvironmentUrl = true, includeScreenshots = false } = body;
    const {
      environmentRegexFilter = null,
      environmentUrlRegexFilter = null,
      runLocation = 'us-east-1',
    } = body;
    assertValid([
      ...(await locationViolations(store, accountId, runLocation)),
      ...(await patternViolations(accountId, body)),
    ]);
    return store.deploymentTriggers.create(accountId, target, {
      repoId: String(repoId),
      body: {
        ...{ repoName, repoLink, useEnvironmentUrl, includeScreenshots },
        ...{ environmentRegexFilter, environmentUrlRegexFilter, runLocation },
      },
    });
  }

  return {
    async listDeploymentTriggers({ accountId }) {
      return (await store.deploymentTriggers.list(accountId)).map(present);
    },

    async createDeploymentTrigger({ accountId, body }) {
      const target = targetOf(body);
      await assertTarget(accountId, target);
      const find = () => store.deploymentTriggers.get(accountId, target);
      const existing = await find();
      if (existing !== undefined) return present(existing);
      try {
        return present(await create(accountId, target, body));
      } catch (error) {
        const isTaken = error instanceof StoreConflict && error.reason === 'unique';
        const other = isTaken ? await find() : undefined;
        if (other === undefined) throw error;
        return present(other);
      }
    },

    async deleteDeploymentTrigger({ accountId, params: { id } }) {
      requireFound(await store.deploymentTriggers.delete(accountId, id), `deployment trigger ${id}`);
      return undefined;
    },

    async getGithubWebhook({ accountId }) {
      const webhook = await store.githubWebhooks.get(accountId);
      return {
        url: (publicUrl() ?? '') + githubWebhookPath(accountId),
        created_at: toIsoOrNull(webhook?.createdAt ?? null),
      };
    },

    async createGithubWebhook({ accountId }) {
      const secret = await store.githubWebhooks.createSecret(accountId);
      return { url: (publicUrl() ?? '') + githubWebhookPath(accountId), secret };
    },
  } satisfies Partial<Handlers>;
}
