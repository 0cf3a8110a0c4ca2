/** Status pages. Endpoints 4 and 5 and their neighbours. */
import type { BodyOf, ResponseOf, updateStatusPage, Violation } from '../../../contract/index.ts';
import type {
  PageAccess,
  ServiceRecord,
  StatusPageBody,
  StatusPageCard,
  StatusPageRecord,
} from '../../store/index.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { domainProblem } from './custom-domain.ts';
import { completed, cursorPage, iso, isoOrNull, unlessTaken } from './documents.ts';
import { invalid, notFound, violation } from './problem.ts';
import { missingServices } from './references.ts';
import { presentService } from './services.ts';

type PageRequest = BodyOf<typeof updateStatusPage>;

type PageAnswer = ResponseOf<typeof updateStatusPage>;

function presentPage(
  page: StatusPageRecord,
  services: ReadonlyMap<string, ServiceRecord>,
  { isPrivate, whiteLabel }: PageAccess,
): PageAnswer {
  const { cards, ...fields } = page.body;
  return {
    id: page.id,
    ...fields,
    cards: cards.map((card) => ({
      id: card.id,
      ...(card.name === undefined ? {} : { name: card.name }),
      created_at: iso(card.createdAt),
      updated_at: isoOrNull(card.updatedAt),
      // A service that was deleted is no longer shown.
      services: card.services.flatMap(({ id }) => {
        const service = services.get(id);
        return service ? [presentService(service)] : [];
      }),
    })),
    whiteLabel,
    isPrivate,
  };
}

export function statusPageHandlers({ store, clock, random, publicUrl }: HandlerContext) {
  const { statusPages } = store;

  async function present(accountId: string, pages: readonly StatusPageRecord[]): Promise<PageAnswer[]> {
    const ids = pages.flatMap(({ body }) => body.cards.flatMap((card) => card.services.map(({ id }) => id)));
    const services = await store.services.byIds(accountId, [...new Set(ids)]);
    const byId = new Map(services.map((service) => [service.id, service]));
    const accessOf = await store.pageAccess.byPages(pages.map(({ id }) => id));
    return pages.map((page) => presentPage(page, byId, accessOf(page.id)));
  }
  async function presentOne(accountId: string, page: StatusPageRecord): Promise<PageAnswer> {
    const [shown] = await present(accountId, [page]);
    if (!shown) throw new Error('A page was presented as nothing');
    return shown;
  }

  /** 400 for services that don't exist, cards that are named twice, and cards of another page. */
  async function assertCards(accountId: string, cards: PageRequest['cards'], pageId?: string): Promise<void> {
    const seen = new Set<string>();
    const wrong = cards.flatMap(({ id, statusPageId }, index): Violation[] => {
      if (pageId && statusPageId !== undefined && statusPageId !== pageId) {
        const message = `must be ${pageId}, the ID of this page`;
        return [violation('body', ['cards', index, 'statusPageId'], 'reference', message)];
      }
      if (id === undefined || !seen.has(id)) {
        if (id !== undefined) seen.add(id);
        return [];
      }
      return [violation('body', ['cards', index, 'id'], 'uniqueItems', 'must not be used by two cards')];
    });
    const found = [...wrong];
    for (const [index, { services = [] }] of cards.entries()) {
      found.push(...(await missingServices(store, accountId, services, ['cards', index, 'services'])));
    }
    if (found.length > 0) throw invalid(found);
  }

  /** The cards as they are kept: one that is known keeps its id and its age, any other is new. */
  function kept(cards: PageRequest['cards'], before: readonly StatusPageCard[]): StatusPageCard[] {
    const now = clock.now();
    return cards.map(({ id, name, services = [] }) => {
      const known = before.find((card) => card.id === id);
      return {
        id: known?.id ?? random.uuid(),
        ...(name === undefined ? {} : { name }),
        services: services.map((service) => ({ id: service.id })),
        createdAt: known?.createdAt ?? now,
        updatedAt: known ? now : null,
      };
    });
  }
  const bodyOf = (request: PageRequest, before: readonly StatusPageCard[]): StatusPageBody => ({
    ...request,
    cards: kept(request.cards, before),
  });
  const taken = ({ url, customDomain }: PageRequest) =>
    `Another status page already uses the address ${url}${customDomain ? ` or the domain ${customDomain}` : ''}`;

  /** 400 for a domain that no page can have: the page is found by what browsers send as `Host`. */
  function assertDomain({ customDomain }: PageRequest): void {
    const problem = customDomain ? domainProblem(customDomain, publicUrl()) : undefined;
    if (problem !== undefined) throw invalid([violation('body', ['customDomain'], 'format', problem)]);
  }

  return {
    listStatusPages: (call) => cursorPage(statusPages, call, (entries) => present(call.accountId, entries)),

    async createStatusPage({ accountId, endpoint, body }) {
      assertDomain(body);
      await assertCards(accountId, body.cards);
      const page = await unlessTaken(taken(body), () =>
        statusPages.create(accountId, bodyOf(completed(endpoint, body), [])),
      );
      return presentOne(accountId, page);
    },

    async getStatusPage({ accountId, params }) {
      const page = await statusPages.get(accountId, params.statusPageId);
      if (!page) throw notFound(`status page ${params.statusPageId}`);
      return presentOne(accountId, page);
    },

    async updateStatusPage({ accountId, endpoint, params, body }) {
      const id = params.statusPageId;
      if (!(await statusPages.get(accountId, id))) throw notFound(`status page ${id}`);
      assertDomain(body);
      await assertCards(accountId, body.cards, id);
      const request = completed(endpoint, body);
      const page = await unlessTaken(taken(body), () =>
        statusPages.change(accountId, id, (before) => bodyOf(request, before.cards)),
      );
      if (!page) throw notFound(`status page ${id}`);
      return presentOne(accountId, page);
    },

    async updateStatusPageAccess({ accountId, params: { statusPageId }, body }) {
      const page = await statusPages.get(accountId, statusPageId);
      if (!page) throw notFound(`status page ${statusPageId}`);
      const { isPrivate, whiteLabel, key } = await store.pageAccess.set(page.id, body);
      return { isPrivate, whiteLabel, ...(key === undefined ? {} : { accessKey: key }) };
    },

    async deleteStatusPage({ accountId, params }) {
      const wasThere = await statusPages.delete(accountId, params.statusPageId);
      if (!wasThere) throw notFound(`status page ${params.statusPageId}`);
      return undefined;
    },
  } satisfies HandlersFor<
    | 'listStatusPages'
    | 'createStatusPage'
    | 'getStatusPage'
    | 'updateStatusPage'
    | 'updateStatusPageAccess'
    | 'deleteStatusPage'
  >;
}
