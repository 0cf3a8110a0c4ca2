/** Handles the links of badges, which show a check or a group to everyone who has them. */
import type { HandlerContext, Handlers } from './handler.ts';
import { requireFound } from './problem.ts';
import { requireCheck } from './references.ts';

export function badgeLinkHandlers({ store, badgeLink }: HandlerContext) {
  const present = (subject: 'check' | 'group', id: string) => {
    const link = (kind: string) => badgeLink(subject, id, kind);
    const [status, uptime, responseTime] = ['status', 'uptime', 'response-time'].map(link);
    return status === undefined || uptime === undefined || responseTime === undefined
      ? {}
      : { status, uptime, responseTime };
  };
  return {
    getCheckBadges: async ({ accountId, params }) =>
      present('check', (await requireCheck(store, accountId, params.id)).id),
    async getGroupBadges({ accountId, params: { id } }) {
      const group = requireFound(await store.groups.get(accountId, id), `check group ${id}`);
      return present('group', String(group.id));
    },
  } satisfies Partial<Handlers>;
}
