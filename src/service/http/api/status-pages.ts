/** Handles status pages. Endpoints 4 and 5 and related ones. */
import type { BodyOf, ResponseOf, updateStatusPage, Violation } from '../../../contract/index.ts';
import { changeRules } from '../../notify/alerts/change-rules.ts';
import type {
  PageAccess,
  ServiceRecord,
  StatusPageBody,
  StatusPageCard,
  StatusPageRecord,
} from '../../store/index.ts';
import { READ_COMMITTED } from './context-within.ts';
import { customDomains } from './custom-domain.ts';
import { presentService } from './document-handlers.ts';
import {
  applyDefaults,
  createDocumentResource,
  timestamps,
  toIso,
  toIsoOrNull,
  withConflictMessage,
} from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { assertValid, requireFound, violation } from './problem.ts';
import { missingServices } from './references.ts';

type PageRequest = BodyOf<typeof updateStatusPage>;

type PageResponse = ResponseOf<typeof updateStatusPage>;

function presentPage(
  page: StatusPageRecord,
  services: ReadonlyMap<string, ServiceRecord>,
  { isPrivate, whiteLabel }: PageAccess,
  domainFields: Partial<PageResponse>,
): PageResponse {
  const { cards, ...fields } = page.body;
  return {
    id: page.id,
    ...fields,
    ...domainFields,
    cards: cards.map(({ createdAt, updatedAt, services: shown, ...card }) => ({
      ...card,
      created_at: toIso(createdAt),
      updated_at: toIsoOrNull(updatedAt),
      // Deleted services are omitted.
      services: shown.flatMap(({ id }) => {
        const service = services.get(id);
        return service ? [presentService(service)] : [];
      }),
    })),
    whiteLabel,
    isPrivate,
    accountId: page.accountId,
    ...timestamps(page),
  };
}

export function statusPageHandlers(context: HandlerContext) {
  const { store, clock, random } = context;
  const domains = customDomains(context, 'statusPages');
  const conflictMessage = ({ url }: Pick<StatusPageBody, 'url'>) =>
    `Another status page already uses the address ${url}`;
  const pages = createDocumentResource({
    collection: store.statusPages,
    label: 'status page',
    param: 'statusPageId',
    conflictMessage,
    onChange: domains.serveIfProved,
    async present(all, accountId) {
      const ids = all.flatMap(({ body }) => body.cards.flatMap((card) => card.services.map(({ id }) => id)));
      const services = await store.services.byIds(accountId, [...new Set(ids)]);
      const byId = new Map(services.map((service) => [service.id, service]));
      const accessOf = await store.pageAccess.byPages(all.map(({ id }) => id));
      const domainOf = await domains.present(all);
      return all.map((page) => presentPage(page, byId, accessOf(page.id), domainOf(page)));
    },
  });

  /** Throws `Problem` 400 for missing services, duplicate cards and cards of another page. */
  async function assertCards(accountId: string, cards: PageRequest['cards'], pageId?: string): Promise<void> {
    const seenIds = new Set<string>();
    const violations = cards.flatMap(({ id, statusPageId }, index): Violation[] => {
      if (pageId && statusPageId !== undefined && statusPageId !== pageId) {
        const message = `must be ${pageId}, the ID of this page`;
        return [violation('body', ['cards', index, 'statusPageId'], 'reference', message)];
      }
      if (id !== undefined && seenIds.has(id))
        return [violation('body', ['cards', index, 'id'], 'uniqueItems', 'must not be used by two cards')];
      if (id !== undefined) seenIds.add(id);
      return [];
    });
    for (const [index, { services = [] }] of cards.entries()) {
      violations.push(...(await missingServices(store, accountId, services, ['cards', index, 'services'])));
    }
    assertValid(violations);
  }

  /** Returns the cards to store. An existing card keeps its ID and creation time. */
  function toStoredCards(cards: PageRequest['cards'], before: readonly StatusPageCard[]): StatusPageCard[] {
    const now = clock.now();
    return cards.map(({ id, statusPageId: _, services = [], ...fields }) => {
      const existing = before.find((card) => card.id === id);
      return {
        ...fields,
        id: existing?.id ?? random.uuid(),
        services: services.map((service) => ({ id: service.id })),
        createdAt: existing?.createdAt ?? now,
        updatedAt: existing ? now : null,
      };
    });
  }
  const toStoredBody = (request: PageRequest, before: readonly StatusPageCard[]): StatusPageBody => ({
    ...request,
    cards: toStoredCards(request.cards, before),
  });
  return {
    listStatusPages: pages.page,

    async createStatusPage({ accountId, endpoint, body }) {
      await domains.assertDomain(body);
      await assertCards(accountId, body.cards);
      const page = await withConflictMessage(
        () => conflictMessage(body),
        () => store.statusPages.create(accountId, toStoredBody(applyDefaults(endpoint, body), [])),
      );
      await domains.serveIfProved(page);
      return pages.presentOne(page);
    },

    getStatusPage: pages.get,

    async updateStatusPage({ accountId, endpoint, params: { statusPageId: id }, body }) {
      await pages.find(accountId, id);
      await domains.assertDomain(body, id);
      await assertCards(accountId, body.cards, id);
      const request = applyDefaults(endpoint, body);
      return pages.change(accountId, id, (before) => toStoredBody(request, before.cards));
    },

    async verifyStatusPageDomain({ accountId, params: { statusPageId } }) {
      const page = await pages.find(accountId, statusPageId);
      await domains.verify(page);
      return pages.presentOne(page);
    },

    async updateStatusPageAccess({ accountId, params, body }) {
      const { id } = await pages.find(accountId, params.statusPageId);
      const { isPrivate, whiteLabel, key } = await store.pageAccess.set(id, body);
      return { isPrivate, whiteLabel, ...(key === undefined ? {} : { accessKey: key }) };
    },

    /** Deletes its automation rules too, and resolves their incidents. */
    async deleteStatusPage({ accountId, params: { statusPageId: id } }) {
      const isDeleted = await store.transaction(
        (tx) => changeRules(tx, accountId, () => tx.statusPages.delete(accountId, id)),
        READ_COMMITTED,
      );
      requireFound(isDeleted, `status page ${id}`);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}
