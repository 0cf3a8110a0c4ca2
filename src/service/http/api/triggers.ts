/** Triggers: the secret URLs that start a check or a group. Endpoints 13 and 14, their neighbours, and the URLs themselves. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Trigger } from '../../store/index.ts';
import type { SubscriptionTarget } from '../../store/subscriptions.ts';
import { clientSource } from '../server/client-address.ts';
import { isUnstorable } from '../server/json-body.ts';
import { admitting, type RateLimit } from '../server/rate-limits.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, isoOrNull, unlessTaken } from './documents.ts';
import { notFound } from './problem.ts';
import { requireCheck, requireGroup } from './references.ts';

const shown = (trigger: Trigger) => ({
  id: trigger.id,
  token: trigger.token,
  called_at: isoOrNull(trigger.calledAt),
  ...ages(trigger),
});

export function triggerHandlers({ store }: HandlerContext) {
  const { triggers } = store;
  return {
    async getCheckTrigger({ accountId, params: { checkId } }) {
      const trigger = await triggers.get(accountId, { checkId });
      if (!trigger) throw notFound(`trigger of check ${checkId}`);
      return { ...shown(trigger), checkId };
    },
    async createCheckTrigger({ accountId, params: { checkId } }) {
      await requireCheck(store, accountId, checkId);
      const trigger = await unlessTaken(`Check ${checkId} already has a trigger`, () =>
        triggers.create(accountId, { checkId }),
      );
      return { ...shown(trigger), checkId };
    },
    async deleteCheckTrigger({ accountId, params: { checkId } }) {
      if (!(await triggers.delete(accountId, { checkId }))) throw notFound(`trigger of check ${checkId}`);
      return undefined;
    },

    async getGroupTrigger({ accountId, params: { groupId } }) {
      await requireGroup(store, accountId, groupId);
      const trigger = await triggers.get(accountId, { groupId });
      if (!trigger) throw notFound(`trigger of check group ${groupId}`);
      return { ...shown(trigger), groupId };
    },
    async createGroupTrigger({ accountId, params: { groupId } }) {
      await requireGroup(store, accountId, groupId);
      const trigger = await unlessTaken(`Check group ${groupId} already has a trigger`, () =>
        triggers.create(accountId, { groupId }),
      );
      return { ...shown(trigger), groupId };
    },
    async deleteGroupTrigger({ accountId, params: { groupId } }) {
      await requireGroup(store, accountId, groupId);
      const wasThere = await triggers.delete(accountId, { groupId });
      if (!wasThere) throw notFound(`trigger of check group ${groupId}`);
      return undefined;
    },
  } satisfies HandlersFor<
    | 'getCheckTrigger'
    | 'createCheckTrigger'
    | 'deleteCheckTrigger'
    | 'getGroupTrigger'
    | 'createGroupTrigger'
    | 'deleteGroupTrigger'
  >;
}

/** One message for every wrong URL: it doesn't tell whether the check exists. */
const noSuchUrl = () => notFound('trigger');

/** Whether the URL says that a deployment called it. The router reads no queries: what an endpoint takes, its schema says. */
const isOfDeployment = (url: string): boolean =>
  Boolean(new URLSearchParams(url.split('?')[1] ?? '').get('deploymentId'));

/**
 * The public URLs: whoever knows the token starts the check or the group, without an API key. `?deploymentId=…` says that
 * a deployment did (docs/gaps.md, runSource). Each URL may be called as often as a key may ask, and so each address that guesses.
 */
export function triggerRoutes(
  app: FastifyInstance,
  { store, engine, clock }: HandlerContext,
  limit: RateLimit,
): void {
  const { triggers } = store;
  const admit = admitting(limit, clock);
  type Url = { Params: { id: string; token: string } };

  /** The trigger of a URL that may be called now; notes the call. Throws `Problem` 404 for a wrong URL, and 429. */
  async function called(target: SubscriptionTarget, request: FastifyRequest<Url>, reply: FastifyReply) {
    const trigger = await triggers.find(target, request.params.token);
    admit(trigger ? `trigger ${trigger.id}` : clientSource(request), reply);
    if (!trigger) throw noSuchUrl();
    await triggers.recordCall(trigger.id);
    return trigger;
  }

  app.get<Url>('/checks/:id/trigger/:token', async (request, reply) => {
    const { id } = request.params;
    if (isUnstorable(id)) throw noSuchUrl();
    const { accountId } = await called({ checkId: id }, request, reply);
    const sessions = await engine.startSessions({
      accountId,
      target: { checkId: [id] },
      runSource: isOfDeployment(request.url) ? 'DEPLOYMENT' : 'LEGACY_TRIGGER',
    });
    return { sessions };
  });

  app.get<Url>('/check-groups/:id/trigger/:token', async (request, reply) => {
    const groupId = Number(request.params.id);
    if (!Number.isSafeInteger(groupId)) throw noSuchUrl();
    const { accountId } = await called({ groupId }, request, reply);
    const runSource = isOfDeployment(request.url) ? 'DEPLOYMENT' : 'GROUP_RUN_ALL';
    return { sessions: await engine.startGroup({ accountId, groupId, runSource }) };
  });
}
