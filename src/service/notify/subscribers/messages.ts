/** Defines notices to subscribers, and renders e-mails and webhook payloads with their links. */
import { oneLine, sanitizeBlock } from '../../../base/sanitize.ts';
import type { StatusPageRecord } from '../../store/index.ts';
import type { EmailMessage, WebhookMessage } from '../facts/message.ts';
import { renderEmailHtml, renderLinkedParagraph, renderParagraph } from '../rendering/email-html.ts';
import { html } from '../rendering/markup.ts';

export interface NoticeContext extends SubscriberLinks {
  readonly notice: Notice;
  readonly page: StatusPageRecord;
  /** Names of the affected services of the page. */
  readonly services: readonly string[];
}

const formatInstant = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Headers of one-click unsubscription (RFC 8058). */
const createUnsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

interface EmailContent {
  readonly to: string;
  readonly subject: string;
  readonly title: string;
  /** Secondary line below the title. */
  readonly aside?: string;
  readonly paragraphs: readonly string[];
  readonly link: { readonly label: string; readonly url: string };
  /** Why the recipient gets the e-mail. */
  readonly reason: string;
  readonly unsubscribeUrl?: string;
}

function renderEmail(content: EmailContent): EmailMessage {
  const { to, aside, link, reason, unsubscribeUrl } = content;
  const title = oneLine(content.title);
  const lines = content.paragraphs.map(sanitizeBlock).filter((text) => text.trim() !== '');
  const text = [title, ...(aside === undefined ? [] : [aside]), ...lines, `${link.label}:\n${link.url}`];
  const unsubscribeLine = unsubscribeUrl === undefined ? '' : `\nUnsubscribe: ${unsubscribeUrl}`;
  return {
    kind: 'email',
    to,
    subject: oneLine(content.subject),
    text: `${text.join('\n\n')}\n\n-- \n${reason}${unsubscribeLine}\n`,
    html: renderEmailHtml({
      title,
      tone: 'plain',
      link,
      main: html`${aside !== undefined && renderParagraph(aside, true)}${lines.map(renderLinkedParagraph)}`,
      footer: html`${reason}${
        unsubscribeUrl !== undefined &&
        html` <a href="${unsubscribeUrl}" style="color:#5c6068">Unsubscribe</a>`
      }`,
    }),
    ...(unsubscribeUrl === undefined ? {} : { headers: createUnsubscribeHeaders(unsubscribeUrl) }),
  };
}

const formatReason = (pageName: string): string =>
  `You receive this e-mail because your address is subscribed to status updates of ${oneLine(pageName)}.`;

export function renderNoticeEmail(to: string, context: NoticeContext): EmailMessage {
  const { notice, page, services, pageUrl, unsubscribeUrl } = context;
  return renderEmail({
    to,
    subject: `[${page.body.name}] ${notice.title}: ${notice.state}`,
    title: notice.title,
    // The text of maintenance has its times.
    aside: [
      oneLine(page.body.name),
      oneLine(notice.state),
      ...(notice.about === 'incident' ? [formatInstant(notice.at)] : []),
    ].join(' · '),
    paragraphs: [
      notice.text,
      ...(services.length === 0 ? [] : [`Affects: ${services.map((text) => oneLine(text)).join(', ')}`]),
    ],
    link: { label: 'Open the status page', url: pageUrl },
    reason: formatReason(page.body.name),
    unsubscribeUrl,
  });
}

/** Creates the webhook payload of a notice. Public format: fields may be added, never removed. */
export function createNoticePayload({ notice, page, services, pageUrl, unsubscribeUrl }: NoticeContext) {
  return {
    event: notice.about,
    page: { name: page.body.name, url: pageUrl },
    id: notice.id,
    title: notice.title,
    state: notice.state,
    text: notice.text,
    at: new Date(notice.at).toISOString(),
    services,
    unsubscribeUrl,
  };
}

export function renderConfirmEmail(to: string, pageName: string, url: string): EmailMessage {
  const name = oneLine(pageName);
  return renderEmail({
    to,
    subject: `[${name}] Confirm your subscription`,
    title: 'Confirm your subscription',
    paragraphs: [
      `Someone entered this address to receive updates about incidents and maintenance of ${name}.`,
      'To confirm the subscription, open the link within 48 hours.',
    ],
    link: { label: 'Confirm the subscription', url },
    reason: 'If you did not request this, ignore this e-mail. You will not receive any other messages.',
  });
}

export function renderAlreadySubscribedEmail(
  to: string,
  pageName: string,
  { pageUrl, unsubscribeUrl }: SubscriberLinks,
): EmailMessage {
  const name = oneLine(pageName);
  return renderEmail({
    to,
    subject: `[${name}] You are already subscribed`,
    title: 'You are already subscribed',
    paragraphs: [
      `This address already receives updates about incidents and maintenance of ${name}. No action is needed.`,
    ],
    link: { label: 'Open the status page', url: pageUrl },
    reason: formatReason(pageName),
    unsubscribeUrl,
  });
}

/** Creates the payload that asks a webhook's owner to confirm by opening the link or sending a POST to it. */
export const createConfirmPayload = (pageName: string, pageUrl: string, url: string) => ({
  event: 'subscription.confirm',
  page: { name: pageName, url: pageUrl },
  confirmUrl: url,
});

/** Creates a message to a subscriber's webhook, whose URL any visitor of the page may have entered. */
export const createWebhook = (url: string, payload: object): WebhookMessage => ({
  kind: 'webhook',
  url,
  body: JSON.stringify(payload),
  isOfStranger: true,
});

/** An incident update or a maintenance event. */
export interface Notice {
  readonly accountId: string;
  /** Idempotency key (`incident/<id of the update>`): a notice with the same key is sent once. */
  readonly key: string;
  readonly about: 'incident' | 'maintenance';
  /** ID of the incident or maintenance window. */
  readonly id: string;
  /** Name of the incident or the window. */
  readonly title: string;
  /** State for people: `Investigating`, `Starts in 60 minutes`. */
  readonly state: string;
  readonly text: string;
  /** Time of the event, ms since the epoch. */
  readonly at: number;
  /** Affected services; `all`: every service of a page; `none`: shown on every page, affects no service. */
  readonly services: readonly string[] | 'all' | 'none';
  /** Only these pages. Missing or empty: every page with an affected service. */
  readonly pages?: readonly string[];
}

export interface SubscriberLinks {
  readonly pageUrl: string;
  readonly unsubscribeUrl: string;
}

/** Returns the path of a status page. */
export const buildPagePath = (slug: string): string => `/status/${encodeURIComponent(slug)}`;

export function buildSubscriberLinks(
  base: string,
  slug: string,
  subscriberId: string,
  key: string,
): SubscriberLinks {
  const pageUrl = base + buildPagePath(slug);
  return { pageUrl, unsubscribeUrl: `${pageUrl}/unsubscribe/${subscriberId}/${key}` };
}

export const buildConfirmUrl = (base: string, slug: string, token: string): string =>
  `${base}${buildPagePath(slug)}/confirm/${token}`;
