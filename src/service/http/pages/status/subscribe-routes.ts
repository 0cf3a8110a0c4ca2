/** Handles subscribing, confirming and unsubscribing. No response reveals whether an address is subscribed. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCapability, isCapability } from '../../../engine/sessions/capability.ts';
import { html, type Markup } from '../../../notify/rendering/markup.ts';
import { enqueueConfirmation } from '../../../notify/subscribers/confirmation.ts';
import { normalizeMailbox, parseAddress } from '../../../notify/subscribers/parse-address.ts';
import type { Subscriber, SubscriberKind } from '../../../store/index.ts';
import { MAX_PAGE_SUBSCRIBERS, REQUEST_WINDOW_MS, SUBSCRIPTION_LIMITS } from '../../../store/subscribers.ts';
import { Problem } from '../../api/problem.ts';
import { clientAddress, networkOf, rateLimitKey } from '../../server/client-address.ts';
import { formFields, isValidForm, renderTokenField } from '../forms.ts';
import { type Page, renderLayout } from '../layout.ts';
import type { PagesContext } from '../pages-context.ts';
import { sendPage } from '../send-page.ts';
import { canRead, findPage, findPageById, pathOf, type RequestedPage } from '../sign-in/find-page.ts';
import { withZone, zoneInAddress } from '../time-zone.ts';
import { layoutOptions, renderFooterLinks, renderHeading, renderPoweredBy } from './status-html.ts';

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

/** Returns the 409 of a page that has too many subscribers. */
const pageIsFull = (): Problem =>
  new Problem(
    409,
    `This page has reached its maximum of ${MAX_PAGE_SUBSCRIBERS.toLocaleString('en')} subscribers. Use its Atom feed instead`,
  );

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
  const { store, clock, secret, publicUrl } = context;
  const canSendEmail = context.deliveries.email;
  const action = ({ page }: RequestedPage) => `subscribe ${page.id}`;

  const renderPage = (requested: RequestedPage, status: number, title: string, main: Markup): Page =>
    renderLayout(status, {
      ...layoutOptions(requested),
      title: `${title} · ${requested.page.body.name} status`,
      heading: renderHeading(requested, pathOf(requested)),
      navigation: html`<a href="${pathOf(requested)}">Status page</a>`,
      main: html`<div class="card narrow"><div class="stack">${main}</div></div>`,
      footer: html`${renderFooterLinks(requested)}${renderPoweredBy(requested)}`,
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
      html`<h2>Subscribe to updates</h2><p>Get a message about each incident and each scheduled maintenance. We send a confirmation link to the address first. Every message has a link to unsubscribe.</p>${
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
    if (!(await canRead(context, request, requested)))
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
    const admission = await store.transaction(async (tx) => {
      const admitted = await tx.subscriptionRequests.admit(request);
      if (admitted !== 'write') return admitted;
      if ((await tx.subscribers.places(page.id)) === 0) throw pageIsFull();
      const keyHash = access.isPrivate ? access.keyHash : null;
      const subscription = await tx.subscribers.requestSubscription(page.id, kind, address, keyHash);
      if (subscription !== undefined)
        await enqueueConfirmation(tx, { page, ...subscription, secret, base: publicUrl() ?? '' });
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

  /** Renders a page about a subscription; `renderMissing` renders it if the subscription does not exist. */
  async function renderSubscription(
    request: FastifyRequest,
    subscription: Pick<Subscriber, 'pageId' | 'kind' | 'address'> | undefined,
    renderMissing: (requested: RequestedPage) => Page,
    /** `who`: the address, or the webhook without its URL, which may contain a secret. */
    render: (requested: RequestedPage, who: string) => Page,
  ): Promise<Page> {
    if (subscription === undefined) return renderMissing(await findPage(context, request));
    const who = subscription.kind === 'EMAIL' ? subscription.address : 'The webhook';
    return render(await findPageById(context, request, subscription.pageId), who);
  }

  return {
    form: async (request: FastifyRequest) => renderSubscribePage(await requireReadable(request), 200),

    async subscribe(request: FastifyRequest, reply: FastifyReply) {
      const requested = await requireReadable(request);
      const { kind: sentKind, address: text = '' } = formFields(request);
      const kind = sentKind === 'WEBHOOK' ? 'WEBHOOK' : 'EMAIL';
      const send = (page: Page) => sendPage(request, reply, page, 'none');
      const refuse = (problem: string) =>
        send(renderSubscribePage(requested, 400, { kind, address: text, problem }));
      if (kind === 'EMAIL' && !canSendEmail) {
        const main = html`<h2>E-mail subscriptions are not available</h2>${renderFeedHint(requested)}<p><a href="${requested.base}/subscribe">Subscribe with a webhook</a></p>`;
        return send(renderPage(requested, 409, 'E-mail not available', main));
      }
      if (!isValidForm(request, secret, action(requested), clock.now()))
        return refuse('The form has expired. Try again.');
      const address = parseAddress(kind, text);
      if ('problem' in address) return refuse(address.problem);
      await requestSubscription(clientAddress(request), requested, kind, address.address);
      return reply
        .header('cache-control', 'no-store')
        .redirect(withZone(`${requested.base}/subscribe/asked`, zoneInAddress(request)), 303);
    },

    async asked(request: FastifyRequest) {
      const requested = await requireReadable(request);
      const main = html`<h2>Almost done</h2><p>Look for our message with the confirmation link, also in your spam folder, and open the link within 48 hours.</p><p class="muted">No message? Each address gets at most one in ten minutes. Then <a href="${requested.base}/subscribe">try again</a>.</p>`;
      return renderPage(requested, 200, 'Almost done', main);
    },

    /** Requires a click, because e-mail scanners open links but do not submit forms. */
    async confirmForm(request: FastifyRequest) {
      const subscription = await store.subscribers.confirmable(tokenOf(request));
      return renderSubscription(request, subscription, renderExpiredLink, (requested, who) => {
        const main = html`<h2>Confirm your subscription</h2><p>${who} will receive updates about incidents and maintenance of ${requested.page.body.name}.</p><form method="post"><button>Confirm</button></form>`;
        return renderPage(requested, 200, 'Confirm', main);
      });
    },
    async confirm(request: FastifyRequest) {
      const subscription = await store.transaction(async (tx) => {
        const requested = await tx.subscribers.confirmable(tokenOf(request));
        if (requested !== undefined && (await tx.subscribers.places(requested.pageId)) === 0)
          throw pageIsFull();
        return tx.subscribers.confirm(tokenOf(request));
      });
      return renderSubscription(request, subscription, renderExpiredLink, (requested, who) => {
        const main = html`<h2>You are subscribed</h2><p>${who} now receives updates about incidents and maintenance of ${requested.page.body.name}. Each message has a link to unsubscribe.</p>`;
        return renderPage(requested, 200, 'Subscribed', main);
      });
    },
    async unsubscribeForm(request: FastifyRequest) {
      const subscriber = await store.subscribers.get(verifyUnsubscribeLink(request));
      return renderSubscription(request, subscriber, renderUnsubscribed, (requested, who) => {
        const main = html`<h2>Unsubscribe?</h2><p>${who} receives updates about incidents and maintenance of ${requested.page.body.name}.</p><form method="post"><button>Unsubscribe</button></form>`;
        return renderPage(requested, 200, 'Unsubscribe', main);
      });
    },
    /** Unsubscribes by the button, or with one click in an e-mail program (RFC 8058). */
    async unsubscribe(request: FastifyRequest) {
      const removed = await store.subscribers.remove(verifyUnsubscribeLink(request));
      return renderSubscription(request, removed, renderUnsubscribed, renderUnsubscribed);
    },
  };

  function renderExpiredLink(requested: RequestedPage): Page {
    const main = html`<h2>This link no longer works</h2><p>It was already used, or it is older than 48 hours. If you are not subscribed, <a href="${requested.base}/subscribe">subscribe</a>.</p>`;
    return renderPage(requested, 410, 'Link expired', main);
  }
  /** Without a subscription its page is unknown, so the text names none. */
  function renderUnsubscribed(requested: RequestedPage, who?: string): Page {
    const main = html`<h2>You are unsubscribed</h2><p>${who ?? 'The address'} no longer receives updates${who !== undefined && html` about ${requested.page.body.name}`}.</p>`;
    return renderPage(requested, 200, 'Unsubscribed', main);
  }
}
