/** Handles subscribing, confirming and unsubscribing. No response reveals whether an address is subscribed. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCapability, isCapability } from '../../engine/capability.ts';
import { enqueue } from '../../notify/outbox/index.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import {
  createConfirmPayload,
  createWebhook,
  renderAlreadySubscribedEmail,
  renderConfirmEmail,
} from '../../notify/subscribers/messages.ts';
import { normalizeMailbox, parseAddress } from '../../notify/subscribers/parse-address.ts';
import { buildConfirmUrl, buildSubscriberLinks } from '../../notify/subscribers/subscriber-links.ts';
import type { Subscriber, SubscriberKind } from '../../store/index.ts';
import { REQUEST_WINDOW_MS, SUBSCRIPTION_LIMITS } from '../../store/subscription-requests.ts';
import { Problem } from '../api/problem.ts';
import { clientAddress, networkOf, rateLimitKey } from '../server/client-address.ts';
import { canRead, findPage, findPageById, type PagesContext, type RequestedPage } from './find-page.ts';
import { formFields, isValidForm, renderTokenField } from './forms.ts';
import { type Page, renderLayout } from './layout.ts';
import { sendPage } from './send-page.ts';
import { layoutOptions, renderHeading, renderPoweredBy } from './status-html.ts';

interface FormProblem {
  readonly kind: SubscriberKind;
  readonly address: string;
  readonly problem: string;
}

const FIELDS = {
  EMAIL: { id: 'email', type: 'email', label: 'E-mail address', autocomplete: 'email', button: 'Subscribe' },
  WEBHOOK: {
    id: 'webhook',
    type: 'url',
    label: 'Webhook URL',
    autocomplete: 'off',
    button: 'Subscribe webhook',
  },
} as const;

/** Prefix lengths of the networks that share the remaining requests of a busy page, about one owner each. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 };

/** Returns the 429 beyond a limit. It depends on the client and the page, never on the address. */
function tooManyRequests(of: 'source' | 'page'): Problem {
  const minutes = REQUEST_WINDOW_MS / 60_000;
  const why =
    of === 'source'
      ? `Too many subscription requests from your network: the limit is ${SUBSCRIPTION_LIMITS.perSource} in ${minutes} minutes`
      : 'Too many subscription requests for this page';
  return new Problem(429, `${why}. Try again in ${minutes} minutes`, {
    headers: { 'retry-after': String(REQUEST_WINDOW_MS / 1000) },
  });
}

export function subscribeHandlers(context: PagesContext) {
  const { store, clock, secret, publicUrl, canSendEmail } = context;
  const action = ({ page }: RequestedPage) => `subscribe ${page.id}`;
  const pageHref = ({ base }: RequestedPage) => (base === '' ? '/' : base);

  const renderPage = (requested: RequestedPage, status: number, title: string, main: Markup): Page =>
    renderLayout(status, {
      ...layoutOptions(requested),
      title: `${title} · ${requested.page.body.name} status`,
      heading: renderHeading(requested, pageHref(requested)),
      navigation: html`<a href="${pageHref(requested)}">Back to the status page</a>`,
      main: html`<div class="card narrow"><div class="stack">${main}</div></div>`,
      footer: html`${renderPoweredBy(requested)}`,
    });

  function renderForm(
    requested: RequestedPage,
    kind: SubscriberKind,
    formProblem: FormProblem | undefined,
  ): Markup {
    const { id, type, label, autocomplete, button } = FIELDS[kind];
    const fieldProblem = formProblem?.kind === kind ? formProblem : undefined;
    return html`<form method="post" action="${requested.base}/subscribe"><div class="stack"><div><label for="${id}">${label}</label><input id="${id}" name="address" type="${type}" required maxlength="2000" autocomplete="${autocomplete}" value="${fieldProblem?.address}"${
      fieldProblem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
    }></div>${fieldProblem !== undefined && html`<p class="problem" id="problem" role="alert">${fieldProblem.problem}</p>`}<input type="hidden" name="kind" value="${kind}">${renderTokenField(secret, action(requested), clock.now())}<button>${button}</button></div></form>`;
  }

  const renderSubscribePage = (requested: RequestedPage, status: number, formProblem?: FormProblem): Page =>
    renderPage(
      requested,
      status,
      'Subscribe to updates',
      html`<h2>Subscribe to updates</h2><p class="muted">Get a message about each incident and each scheduled maintenance. We send a confirmation link to the address first. Every message has a link to unsubscribe.</p>${
        canSendEmail
          ? html`${renderForm(requested, 'EMAIL', formProblem)}<details${formProblem?.kind === 'WEBHOOK' && html` open`}><summary>Use a webhook instead</summary>${renderForm(requested, 'WEBHOOK', formProblem)}</details>`
          : html`${renderForm(requested, 'WEBHOOK', formProblem)}${renderFeedHint(requested)}`
      }`,
    );

  const renderFeedHint = ({ base }: RequestedPage): Markup =>
    html`<p class="muted">This service sends no e-mails. You can also subscribe to the <a href="${base}/feed.atom">Atom feed</a>.</p>`;

  /** Returns the page if the request may read it. Strangers cannot subscribe to a private page. */
  async function requireReadable(request: FastifyRequest): Promise<RequestedPage> {
    const requested = await findPage(context, request);
    if (!canRead(request, secret, requested.page, requested.access, clock.now()))
      throw new Problem(404, 'There is no status page at this address');
    return requested;
  }

  /** Sends a message to the address, in the transaction that records the request. */
  async function requestSubscription(
    client: string,
    { page, access }: RequestedPage,
    kind: SubscriberKind,
    address: string,
  ): Promise<void> {
    const hash = (text: string) => createCapability(secret, 'request', text);
    const request = {
      pageId: page.id,
      source: hash(rateLimitKey(client)),
      network: hash(networkOf(client, NETWORK_BITS)),
      mailbox: hash(normalizeMailbox(kind, address)),
    };
    // A separate destination, so that requests of strangers never delay an alert.
    const destination = `subscription requests (${kind})`;
    const base = publicUrl() ?? '';
    const { name, url: slug } = page.body;
    const admission = await store.transaction(async (tx) => {
      const admitted = await tx.subscriptionRequests.admit(request);
      if (admitted !== 'write') return admitted;
      const keyHash = access.isPrivate ? access.keyHash : null;
      const subscription = await tx.subscribers.requestSubscription(page.id, kind, address, keyHash);
      if (subscription === undefined) return admitted;
      const { subscriber, token } = subscription;
      const addresses = buildSubscriberLinks(
        base,
        slug,
        subscriber.id,
        createCapability(secret, 'unsubscribe', subscriber.id),
      );
      const key = `subscription/${subscriber.id}/${tx.clock.now()}`;
      if (token === undefined) {
        if (kind === 'EMAIL')
          await enqueue(tx, {
            accountId: page.accountId,
            key,
            destination,
            message: renderAlreadySubscribedEmail(subscriber.address, name, addresses),
          });
        return admitted;
      }
      const link = buildConfirmUrl(base, slug, token);
      await enqueue(tx, {
        accountId: page.accountId,
        key,
        destination,
        message:
          kind === 'EMAIL'
            ? renderConfirmEmail(address, name, link)
            : createWebhook(address, createConfirmPayload(name, addresses.pageUrl, link)),
      });
      return admitted;
    });
    if (admission === 'source' || admission === 'page') throw tooManyRequests(admission);
  }

  const tokenOf = (request: FastifyRequest) => (request.params as { readonly token: string }).token;

  /** Returns the ID of the subscription in a link. Throws `Problem` 404 if its capability is wrong. */
  function verifyUnsubscribeLink(request: FastifyRequest): string {
    const { id, key } = request.params as { readonly id: string; readonly key: string };
    if (!isCapability(secret, 'unsubscribe', id, key)) throw new Problem(404, 'The link is not valid');
    return id;
  }

  return {
    async form(request: FastifyRequest, reply: FastifyReply) {
      return sendPage(request, reply, renderSubscribePage(await requireReadable(request), 200), 'none');
    },
    async subscribe(request: FastifyRequest, reply: FastifyReply) {
      const requested = await requireReadable(request);
      const { kind: sentKind, address: text = '' } = formFields(request);
      const kind = sentKind === 'WEBHOOK' ? 'WEBHOOK' : 'EMAIL';
      const refuse = (problem: string) =>
        sendPage(
          request,
          reply,
          renderSubscribePage(requested, 400, { kind, address: text, problem }),
          'none',
        );
      if (kind === 'EMAIL' && !canSendEmail) {
        const main = html`<h2>E-mail subscriptions are not available</h2>${renderFeedHint(requested)}<p><a href="${requested.base}/subscribe">Subscribe with a webhook</a></p>`;
        return sendPage(request, reply, renderPage(requested, 409, 'E-mail not available', main), 'none');
      }
      if (!isValidForm(request, secret, action(requested), clock.now()))
        return refuse('The form has expired. Try again.');
      const address = parseAddress(kind, text);
      if ('problem' in address) return refuse(address.problem);
      await requestSubscription(clientAddress(request), requested, kind, address.address);
      return reply.header('cache-control', 'no-store').redirect(`${requested.base}/subscribe/asked`, 303);
    },
    async asked(request: FastifyRequest, reply: FastifyReply) {
      const requested = await requireReadable(request);
      const main = html`<h2>Almost done</h2><p>If the address can be subscribed, we have sent it a confirmation link. Open the link within 48 hours. Each address receives at most one confirmation message in ten minutes.</p>`;
      return sendPage(request, reply, renderPage(requested, 200, 'Almost done', main), 'none');
    },
    /** Requires a click, because e-mail scanners open links but do not submit forms. */
    async confirmForm(request: FastifyRequest, reply: FastifyReply) {
      const subscription = await store.subscribers.confirmable(tokenOf(request));
      if (subscription === undefined)
        return sendPage(request, reply, renderExpiredLink(await findPage(context, request)), 'none');
      const requested = await findPageById(context, request, subscription.pageId);
      const main = html`<h2>Confirm your subscription</h2><p>The address will receive updates about incidents and maintenance of ${requested.page.body.name}.</p><form method="post"><button>Confirm</button></form>`;
      return sendPage(request, reply, renderPage(requested, 200, 'Confirm', main), 'none');
    },
    async confirm(request: FastifyRequest, reply: FastifyReply) {
      const subscription = await store.subscribers.confirm(tokenOf(request));
      if (subscription === undefined)
        return sendPage(request, reply, renderExpiredLink(await findPage(context, request)), 'none');
      const requested = await findPageById(context, request, subscription.pageId);
      const main = html`<h2>You are subscribed</h2><p>The address will receive updates about incidents and maintenance of ${requested.page.body.name}.</p>`;
      return sendPage(request, reply, renderPage(requested, 200, 'Subscribed', main), 'none');
    },
    async unsubscribeForm(request: FastifyRequest, reply: FastifyReply) {
      const id = verifyUnsubscribeLink(request);
      const subscriber = await store.subscribers.get(id);
      if (subscriber === undefined)
        return sendPage(request, reply, renderUnsubscribed(await findPage(context, request)), 'none');
      const requested = await findPageById(context, request, subscriber.pageId);
      const main = html`<h2>Unsubscribe</h2><p>The address will no longer receive updates about ${requested.page.body.name}.</p><form method="post"><button>Unsubscribe</button></form>`;
      return sendPage(request, reply, renderPage(requested, 200, 'Unsubscribe', main), 'none');
    },
    /** Unsubscribes by the button, or with one click in an e-mail program (RFC 8058). */
    async unsubscribe(request: FastifyRequest, reply: FastifyReply) {
      const id = verifyUnsubscribeLink(request);
      const removed = await store.subscribers.remove(id);
      const requested = await (removed === undefined
        ? findPage(context, request)
        : findPageById(context, request, removed.pageId));
      return sendPage(request, reply, renderUnsubscribed(requested, removed), 'none');
    },
  };

  function renderExpiredLink(requested: RequestedPage): Page {
    const main = html`<h2>The link has expired</h2><p>The link was already used, or it is too old. If you are not subscribed yet, <a href="${requested.base}/subscribe">subscribe again</a>.</p>`;
    return renderPage(requested, 410, 'Link expired', main);
  }
  /** Without a subscription its page is unknown, so the text names none. */
  function renderUnsubscribed(requested: RequestedPage, removed?: Subscriber): Page {
    const main = html`<h2>You are unsubscribed</h2><p>The address will no longer receive updates${removed !== undefined && html` about ${requested.page.body.name}`}.</p>`;
    return renderPage(requested, 200, 'Unsubscribed', main);
  }
}
