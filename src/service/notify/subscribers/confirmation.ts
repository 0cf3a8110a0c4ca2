/** Enqueues the message that follows a request to subscribe: the confirmation link, or that none is needed. */
import { createCapability } from '../../engine/sessions/capability.ts';
import type { StatusPageRecord, StoreTransaction, Subscriber } from '../../store/index.ts';
import { enqueue } from '../facts/message.ts';
import {
  buildConfirmUrl,
  buildSubscriberLinks,
  createConfirmPayload,
  createWebhook,
  renderAlreadySubscribedEmail,
  renderConfirmEmail,
} from './messages.ts';

export interface Confirmation {
  readonly page: StatusPageRecord;
  readonly subscriber: Subscriber;
  /** Token to confirm with; undefined if the subscriber is already confirmed. */
  readonly token: string | undefined;
  /** Key of the links in messages. */
  readonly secret: string;
  /** Public URL of the service. */
  readonly base: string;
}

/** Enqueues the message to a subscriber in the transaction that recorded the request. */
export async function enqueueConfirmation(tx: StoreTransaction, confirmation: Confirmation): Promise<void> {
  const { page, subscriber } = confirmation;
  const message = renderConfirmation(confirmation);
  if (message === undefined) return;
  await enqueue(tx, {
    accountId: page.accountId,
    key: `subscription/${subscriber.id}/${tx.clock.now()}`,
    // A separate destination, so that requests of strangers never delay an alert.
    destination: `subscription requests (${subscriber.kind})`,
    isDeferred: true,
    message,
  });
}

function renderConfirmation({ page, subscriber, token, secret, base }: Confirmation) {
  const { kind, address, id } = subscriber;
  const { name, url: slug } = page.body;
  const links = buildSubscriberLinks(base, slug, id, createCapability(secret, 'unsubscribe', id));
  if (token === undefined)
    return kind === 'EMAIL' ? renderAlreadySubscribedEmail(address, name, links) : undefined;
  const link = buildConfirmUrl(base, slug, token);
  return kind === 'EMAIL'
    ? renderConfirmEmail(address, name, link)
    : createWebhook(address, createConfirmPayload(name, links.pageUrl, link));
}
