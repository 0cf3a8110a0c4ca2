/** Handles the subscriptions of a status page for its owner. Visitors subscribe on the page itself. */
import type { listPageSubscriptions, ResponseOf, Violation } from '../../../contract/index.ts';
import { enqueueConfirmation } from '../../notify/subscribers/confirmation.ts';
import { parseAddress } from '../../notify/subscribers/parse-address.ts';
import type { PageSubscription, StatusPageRecord, StoreTransaction } from '../../store/index.ts';
import { MAX_PAGE_SUBSCRIBERS } from '../../store/subscribers.ts';
import { toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { presentRows, Rows } from './list-responder.ts';
import { assertValid, conflict, requireFound, violation } from './problem.ts';

/** Responses contain only the host of a webhook, because its URL may contain a secret. */
const presentSubscription = ({
  id,
  kind,
  address,
  askedAt,
  confirmedAt,
  hasAccess,
}: PageSubscription): ResponseOf<typeof listPageSubscriptions>[number] => ({
  id,
  type: kind,
  address: kind === 'WEBHOOK' ? new URL(address).host : address,
  status: confirmedAt !== null && hasAccess ? 'VERIFIED' : 'PENDING',
  created_at: toIso(Math.min(askedAt, confirmedAt ?? askedAt)),
  updated_at: toIso(Math.max(askedAt, confirmedAt ?? askedAt)),
});

/** Returns the addresses. Throws `Problem` 400 for invalid ones. */
function parseAddresses(requested: readonly { readonly config: string }[]): string[] {
  const violations: Violation[] = [];
  const addresses = requested.flatMap(({ config }, index) => {
    const parsed = parseAddress('EMAIL', config);
    if ('address' in parsed) return [parsed.address];
    const message = 'must be an e-mail address, such as name@example.com';
    violations.push(violation('body', ['subscriptions', index, 'config'], 'format', message));
    return [];
  });
  assertValid(violations);
  return addresses;
}

/** Throws `Problem` 409 if a page would have too many subscribers. */
async function assertPlaces(
  { subscribers }: StoreTransaction,
  { id, body }: StatusPageRecord,
  added: readonly string[],
): Promise<void> {
  const places = await subscribers.places(id);
  if (places > 0 && added.length <= places) return;
  const most = MAX_PAGE_SUBSCRIBERS.toLocaleString('en');
  throw conflict(
    `The status page "${body.name}" has ${places === 0 ? `reached its maximum of ${most} subscribers` : `only ${places} of ${most} subscribers left`}: delete subscriptions, or use another page`,
  );
}

export function pageSubscriptionHandlers({ store, deliveries, publicUrl }: HandlerContext) {
  const requirePage = async (accountId: string, id: string): Promise<StatusPageRecord> =>
    requireFound(await store.statusPages.get(accountId, id), `status page ${id}`);

  return {
    async listPageSubscriptions({ accountId, params }) {
      const page = await requirePage(accountId, params.statusPageId);
      const chunks = store.subscribers.ofPage(page.id);
      return new Rows(presentRows({ chunks }, (all) => all.map(presentSubscription)));
    },

    async createPageSubscriptions({ accountId, params, body }) {
      const page = await requirePage(accountId, params.statusPageId);
      const addresses = parseAddresses(body.subscriptions);
      if (!deliveries.email)
        throw conflict(
          'This service sends no e-mails, because no SMTP server is configured: set SONDE_SMTP_URL and restart the service',
        );
      const isConfirmed = body.autoVerify === true;
      const created = await store.transaction(async (tx) => {
        await assertPlaces(tx, page, isConfirmed ? addresses : []);
        const access = await tx.pageAccess.of(page.id);
        const keyHash = access.isPrivate ? access.keyHash : null;
        const secret = await tx.settings.linkSecret();
        let count = 0;
        for (const address of addresses) {
          const added = await tx.subscribers.add(page.id, address, { isConfirmed, keyHash });
          if (added === undefined) continue;
          count += 1;
          if (!isConfirmed)
            await enqueueConfirmation(tx, { page, ...added, secret, base: publicUrl() ?? '' });
        }
        return count;
      });
      return {
        created,
        skipped: addresses.length - created,
        status: isConfirmed ? 'VERIFIED' : 'PENDING',
      };
    },

    async deletePageSubscription({ accountId, params }) {
      const page = await requirePage(accountId, params.statusPageId);
      const isDeleted = await store.subscribers.removeFrom(page.id, params.subscriptionId);
      requireFound(isDeleted, `subscription ${params.subscriptionId}`);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}
