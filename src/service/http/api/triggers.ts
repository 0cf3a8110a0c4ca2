/**
 * Handles triggers, the secret URLs that start a check or a group (endpoints 13 and 14 and related ones), and calls of
 * them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUnstorable } from '../../../contract/storable.ts';
import type { SubscriptionTarget } from '../../store/alerts.ts';
import type { Trigger } from '../../store/index.ts';
import { clientRateLimitKey } from '../server/client-address.ts';
import { createRateLimiter, type RateLimit } from '../server/rate-limiter.ts';
import { timestamps, toIsoOrNull, withConflictMessage } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { capitalize, notFound, requireFound } from './problem.ts';
import { requireCheck, requireGroup } from './references.ts';

const present = (trigger: Trigger) => ({
  id: trigger.id,
  token: trigger.token,
  called_at: toIsoOrNull(trigger.calledAt),
  ...timestamps(trigger),
});

const labelOf = (target: SubscriptionTarget): string =>
  'checkId' in target ? `check ${target.checkId}` : `check group ${target.groupId}`;

export function triggerHandlers({ store }: HandlerContext) {
  const { triggers } = store;
  async function get<T extends SubscriptionTarget>(accountId: string, target: T) {
    const trigger = await triggers.get(accountId, target);
    return { ...present(requireFound(trigger, `trigger of ${labelOf(target)}`)), ...target };
  }
  async function create<T extends SubscriptionTarget>(accountId: string, target: T) {
    const trigger = await withConflictMessage(
      () => `${capitalize(labelOf(target))} already has a trigger`,
      () => triggers.create(accountId, target),
    );
    return { ...present(trigger), ...target };
  }
  async function remove(accountId: string, target: SubscriptionTarget): Promise<undefined> {
    requireFound(await triggers.delete(accountId, target), `trigger of ${labelOf(target)}`);
  }

  return {
    getCheckTrigger: ({ accountId, params: { checkId } }) => get(accountId, { checkId }),
    async createCheckTrigger({ accountId, params: { checkId } }) {
      await requireCheck(store, accountId, checkId);
      return create(accountId, { checkId });
    },
    deleteCheckTrigger: ({ accountId, params: { checkId } }) => remove(accountId, { checkId }),

    async getGroupTrigger({ accountId, params: { groupId } }) {
      await requireGroup(store, accountId, groupId);
      return get(accountId, { groupId });
    },
    async createGroupTrigger({ accountId, params: { groupId } }) {
      await requireGroup(store, accountId, groupId);
      return create(accountId, { groupId });
    },
    async deleteGroupTrigger({ accountId, params: { groupId } }) {
      await requireGroup(store, accountId, groupId);
      return remove(accountId, { groupId });
    },
  } satisfies Partial<Handlers>;
}

/** One message for every wrong URL, so that it does not reveal whether the check exists. */
const triggerNotFound = () => notFound('trigger');

/** Returns whether the URL names a deployment. The router does not parse queries, which only schemas of endpoints define. */
const isDeploymentCall = (url: string): boolean =>
  Boolean(new URLSearchParams(url.split('?')[1] ?? '').get('deploymentId'));

/**
 * Registers the public URLs, whose token replaces an API key. `?deploymentId=…` marks a call by a deployment
 * (docs/gaps.md, runSource). Each URL, and each address that tries wrong ones, may call them at the rate of a key.
 */
export function registerTriggerRoutes(
  app: FastifyInstance,
  { store, engine, clock }: HandlerContext,
  limit: RateLimit,
): void {
  const { triggers } = store;
  const admit = createRateLimiter(limit, clock);
  type Url = { Params: { id: string; token: string } };

  /** Returns the trigger of a URL and records the call. Throws `Problem` 404 for a wrong URL, and 429 beyond the limit. */
  async function requireTrigger(
    target: SubscriptionTarget,
    request: FastifyRequest<Url>,
    reply: FastifyReply,
  ) {
    const trigger = await triggers.find(target, request.params.token);
    admit(trigger ? `trigger ${trigger.id}` : clientRateLimitKey(request), reply);
    if (!trigger) throw triggerNotFound();
    await triggers.recordCall(trigger.id);
    return trigger;
  }

  app.get<Url>('/checks/:id/trigger/:token', async (request, reply) => {
    const { id } = request.params;
    if (isUnstorable(id)) throw triggerNotFound();
    const { accountId } = await requireTrigger({ checkId: id }, request, reply);
    const sessions = await engine.startSessions({
      accountId,
      target: { checkId: [id] },
      runSource: isDeploymentCall(request.url) ? 'DEPLOYMENT' : 'LEGACY_TRIGGER',
    });
    return { sessions };
  });

  app.get<Url>('/check-groups/:id/trigger/:token', async (request, reply) => {
    const groupId = Number(request.params.id);
    if (!Number.isSafeInteger(groupId)) throw triggerNotFound();
    const { accountId } = await requireTrigger({ groupId }, request, reply);
    const runSource = isDeploymentCall(request.url) ? 'DEPLOYMENT' : 'GROUP_RUN_ALL';
    return { sessions: await engine.startGroup({ accountId, groupId, runSource }) };
  });
}
