/** The routes of subscribers: ask, confirm, unsubscribe. None of them tells whether an address is subscribed. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { capability, isCapability } from '../../../engine/capability.ts';
import { enqueue } from '../../../notify/outbox/index.ts';
import { html, type Markup } from '../../../notify/rendering/markup.ts';
import { addressFrom, mailboxOf } from '../../../notify/subscribers/address.ts';
import { addressesOf, confirmUrl } from '../../../notify/subscribers/addresses.ts';
import { alreadyMail, confirmMail, confirmPayload, webhookOf } from '../../../notify/subscribers/messages.ts';
import type { Subscriber, SubscriberKind } from '../../../store/index.ts';
import { REQUEST_WINDOW_MS, SUBSCRIPTION_LIMITS } from '../../../store/subscription-requests.ts';
import { Problem } from '../../api/problem.ts';
import { clientAddress, networkOf, sourceOf } from '../../server/client-address.ts';
import { mayRead } from '../access.ts';
import { sendPage } from '../answer.ts';
import type { PagesContext } from '../context.ts';
import { fieldsOf, isOurForm, tokenField } from '../forms.ts';
import { type Page, shell } from '../shell.ts';
import { frameOf, headingOf, poweredBy } from '../status-html.ts';
import { type Found, findPage, findPageOf } from './found.ts';

interface Wrong {
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

/** The networks that share what is left of a page once many have asked: about as much as one owner is given. */
const WIDER = { ipv4: 24, ipv6: 48 };

/** The refusal of a request beyond a limit. It depends on who asks and on the page, never on the address. */
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
  const { store, clock, secret, publicUrl, sendsMail } = context;
  const action = ({ page }: Found) => `subscribe ${page.id}`;
  const homeOf = ({ base }: Found) => (base === '' ? '/' : base);

  const framed = (found: Found, status: number, title: string, main: Markup): Page =>
    shell(status, {
      ...frameOf(found),
      title: `${title} · ${found.page.body.name} status`,
      heading: headingOf(found, homeOf(found)),
      navigation: html`<a href="${homeOf(found)}">Back to the status page</a>`,
      main: html`<div class="card narrow"><div class="stack">${main}</div></div>`,
      footer: html`${poweredBy(found)}`,
    });

  function form(found: Found, kind: SubscriberKind, wrong: Wrong | undefined): Markup {
    const { id, type, label, autocomplete, button } = FIELDS[kind];
    const its = wrong?.kind === kind ? wrong : undefined;
    return html`<form method="post" action="${found.base}/subscribe"><div class="stack"><div><label for="${id}">${label}</label><input id="${id}" name="address" type="${type}" required maxlength="2000" autocomplete="${autocomplete}" value="${its?.address}"${
      its !== undefined && html` aria-invalid="true" aria-describedby="problem"`
    }></div>${its !== undefined && html`<p class="problem" id="problem" role="alert">${its.problem}</p>`}<input type="hidden" name="kind" value="${kind}">${tokenField(secret, action(found), clock.now())}<button>${button}</button></div></form>`;
  }

  const subscribePage = (found: Found, status: number, wrong?: Wrong): Page =>
    framed(
      found,
      status,
      'Subscribe to updates',
      html`<h2>Subscribe to updates</h2><p class="muted">Get a message about each incident and each scheduled maintenance. We send a confirmation link to the address first. Every message has a link to unsubscribe.</p>${
        sendsMail
          ? html`${form(found, 'EMAIL', wrong)}<details${wrong?.kind === 'WEBHOOK' && html` open`}><summary>Use a webhook instead</summary>${form(found, 'WEBHOOK', wrong)}</details>`
          : html`${form(found, 'WEBHOOK', wrong)}${feedHint(found)}`
      }`,
    );

  const feedHint = ({ base }: Found): Markup =>
    html`<p class="muted">This service sends no e-mails. You can also subscribe to the <a href="${base}/feed.atom">Atom feed</a>.</p>`;

  /** The page where it may be read: of a private one strangers subscribe to nothing. */
  async function readable(request: FastifyRequest): Promise<Found> {
    const found = await findPage(context, request);
    if (!mayRead(request, secret, found.page, found.access, clock.now()))
      throw new Problem(404, 'There is no status page at this address');
    return found;
  }

  /** Writes to the address, in the transaction that notes that somebody asked. */
  async function ask(
    client: string,
    { page, access }: Found,
    kind: SubscriberKind,
    address: string,
  ): Promise<void> {
    const hashed = (text: string) => capability(secret, 'request', text);
    const request = {
      pageId: page.id,
      source: hashed(sourceOf(client)),
      network: hashed(networkOf(client, WIDER)),
      mailbox: hashed(mailboxOf(kind, address)),
    };
    // Strangers' requests wait for each other, never an alert for them.
    const destination = `subscription requests (${kind})`;
    const base = publicUrl() ?? '';
    const { name, url: slug } = page.body;
    const admission = await store.transaction(async (tx) => {
      const admitted = await tx.subscriptionRequests.admit(request);
      if (admitted !== 'write') return admitted;
      const keyHash = access.isPrivate ? access.keyHash : null;
      const asked = await tx.subscribers.requestSubscription(page.id, kind, address, keyHash);
      if (asked === undefined) return admitted;
      const { subscriber, token } = asked;
      const addresses = addressesOf(
        base,
        slug,
        subscriber.id,
        capability(secret, 'unsubscribe', subscriber.id),
      );
      const key = `subscription/${subscriber.id}/${tx.clock.now()}`;
      if (token === undefined) {
        if (kind === 'EMAIL')
          await enqueue(tx, {
            accountId: page.accountId,
            ...{ key, destination },
            message: alreadyMail(subscriber.address, name, addresses),
          });
        return admitted;
      }
      const link = confirmUrl(base, slug, token);
      await enqueue(tx, {
        accountId: page.accountId,
        ...{ key, destination },
        message:
          kind === 'EMAIL'
            ? confirmMail(address, name, link)
            : webhookOf(address, confirmPayload(name, addresses.pageUrl, link)),
      });
      return admitted;
    });
    if (admission === 'source' || admission === 'page') throw tooManyRequests(admission);
  }

  const tokenOf = (request: FastifyRequest) => (request.params as { readonly token: string }).token;

  /** The subscription that a link names; 404 where its capability is wrong. */
  function subscriptionOf(request: FastifyRequest): string {
    const { id, key } = request.params as { readonly id: string; readonly key: string };
    if (!isCapability(secret, 'unsubscribe', id, key)) throw new Problem(404, 'The link is not valid');
    return id;
  }

  return {
    async form(request: FastifyRequest, reply: FastifyReply) {
      return sendPage(request, reply, subscribePage(await readable(request), 200), 'none');
    },
    async subscribe(request: FastifyRequest, reply: FastifyReply) {
      const found = await readable(request);
      const { kind: given, address: typed = '' } = fieldsOf(request);
      const kind = given === 'WEBHOOK' ? 'WEBHOOK' : 'EMAIL';
      const refuse = (problem: string) =>
        sendPage(request, reply, subscribePage(found, 400, { kind, address: typed, problem }), 'none');
      if (kind === 'EMAIL' && !sendsMail) {
        const main = html`<h2>E-mail subscriptions are not available</h2>${feedHint(found)}<p><a href="${found.base}/subscribe">Subscribe with a webhook</a></p>`;
        return sendPage(request, reply, framed(found, 409, 'E-mail not available', main), 'none');
      }
      if (!isOurForm(request, secret, action(found), clock.now()))
        return refuse('The form has expired. Try again.');
      const address = addressFrom(kind, typed);
      if ('problem' in address) return refuse(address.problem);
      await ask(clientAddress(request), found, kind, address.address);
      return reply.header('cache-control', 'no-store').redirect(`${found.base}/subscribe/asked`, 303);
    },
    async asked(request: FastifyRequest, reply: FastifyReply) {
      const found = await readable(request);
      const main = html`<h2>Almost done</h2><p>If the address can be subscribed, we have sent it a confirmation link. Open the link within 48 hours. Each address receives at most one confirmation message in ten minutes.</p>`;
      return sendPage(request, reply, framed(found, 200, 'Almost done', main), 'none');
    },
    /** Asks for one click more: programs that look at mail open links, but send no forms. */
    async confirmForm(request: FastifyRequest, reply: FastifyReply) {
      const asked = await store.subscribers.confirmable(tokenOf(request));
      if (asked === undefined)
        return sendPage(request, reply, goneLink(await findPage(context, request)), 'none');
      const found = await findPageOf(context, request, asked.pageId);
      const main = html`<h2>Confirm your subscription</h2><p>The address will receive updates about incidents and maintenance of ${found.page.body.name}.</p><form method="post"><button>Confirm</button></form>`;
      return sendPage(request, reply, framed(found, 200, 'Confirm', main), 'none');
    },
    async confirm(request: FastifyRequest, reply: FastifyReply) {
      const done = await store.subscribers.confirm(tokenOf(request));
      if (done === undefined)
        return sendPage(request, reply, goneLink(await findPage(context, request)), 'none');
      const found = await findPageOf(context, request, done.pageId);
      const main = html`<h2>You are subscribed</h2><p>The address will receive updates about incidents and maintenance of ${found.page.body.name}.</p>`;
      return sendPage(request, reply, framed(found, 200, 'Subscribed', main), 'none');
    },
    async unsubscribeForm(request: FastifyRequest, reply: FastifyReply) {
      const id = subscriptionOf(request);
      const subscriber = await store.subscribers.get(id);
      if (subscriber === undefined)
        return sendPage(request, reply, unsubscribed(await findPage(context, request)), 'none');
      const found = await findPageOf(context, request, subscriber.pageId);
      const main = html`<h2>Unsubscribe</h2><p>The address will no longer receive updates about ${found.page.body.name}.</p><form method="post"><button>Unsubscribe</button></form>`;
      return sendPage(request, reply, framed(found, 200, 'Unsubscribe', main), 'none');
    },
    /** By the button, or by a mail program with one click (RFC 8058). */
    async unsubscribe(request: FastifyRequest, reply: FastifyReply) {
      const id = subscriptionOf(request);
      const removed = await store.subscribers.remove(id);
      const found = await (removed === undefined
        ? findPage(context, request)
        : findPageOf(context, request, removed.pageId));
      return sendPage(request, reply, unsubscribed(found, removed), 'none');
    },
  };

  function goneLink(found: Found): Page {
    const main = html`<h2>The link has expired</h2><p>The link was already used, or it is too old. If you are not subscribed yet, <a href="${found.base}/subscribe">subscribe again</a>.</p>`;
    return framed(found, 410, 'Link expired', main);
  }
  /** Where the subscription is gone already, nobody knows of which page it was. */
  function unsubscribed(found: Found, removed?: Subscriber): Page {
    const main = html`<h2>You are unsubscribed</h2><p>The address will no longer receive updates${removed !== undefined && html` about ${found.page.body.name}`}.</p>`;
    return framed(found, 200, 'Unsubscribed', main);
  }
}
