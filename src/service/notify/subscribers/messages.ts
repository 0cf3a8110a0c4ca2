/** The messages to subscribers: e-mails in plain words, and what webhooks are sent. */

import type { StatusPageRecord } from '../../store/index.ts';
import type { EmailMessage, WebhookMessage } from '../outbox/index.ts';
import { paragraph, renderEmailHtml } from '../rendering/email-html.ts';
import { html } from '../rendering/markup.ts';
import { oneLine, plain } from '../rendering/text.ts';
import type { Notice } from './notice.ts';
import type { SubscriberLinks } from './subscriber-links.ts';

export interface NoticeContext extends SubscriberLinks {
  readonly notice: Notice;
  readonly page: StatusPageRecord;
  /** Names of the services it concerns, as the page carries them. */
  readonly services: readonly string[];
}

const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Headers by which mail programs offer to unsubscribe with one click (RFC 8058). */
const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

interface EmailContent {
  readonly to: string;
  readonly subject: string;
  readonly title: string;
  /** When and where it stands, said more quietly; left out: nothing to say. */
  readonly aside?: string;
  readonly paragraphs: readonly string[];
  readonly link: { readonly label: string; readonly url: string };
  /** Why the address is written to. */
  readonly why: string;
  readonly unsubscribeUrl?: string;
}

function renderEmail({
  to,
  subject,
  title: given,
  aside,
  paragraphs,
  link,
  why,
  unsubscribeUrl,
}: EmailContent): EmailMessage {
  const title = oneLine(given);
  const lines = paragraphs.map(plain).filter((text) => text.trim() !== '');
  const text = [title, ...(aside === undefined ? [] : [aside]), ...lines, `${link.label}:\n${link.url}`];
  const end = unsubscribeUrl === undefined ? '' : `\nUnsubscribe: ${unsubscribeUrl}`;
  return {
    kind: 'email',
    to,
    subject: oneLine(subject),
    text: `${text.join('\n\n')}\n\n-- \n${why}${end}\n`,
    html: renderEmailHtml({
      title,
      tone: 'plain',
      link,
      main: html`${aside !== undefined && paragraph(aside, true)}${lines.map((line) => paragraph(line))}`,
      footer: html`${why}${
        unsubscribeUrl !== undefined &&
        html` <a href="${unsubscribeUrl}" style="color:#5c6068">Unsubscribe</a>`
      }`,
    }),
    ...(unsubscribeUrl === undefined ? {} : { headers: unsubscribeHeaders(unsubscribeUrl) }),
  };
}

const subscribed = (pageName: string): string =>
  `You receive this e-mail because your address is subscribed to status updates of ${oneLine(pageName)}.`;

export function renderNoticeEmail(to: string, told: NoticeContext): EmailMessage {
  const { notice, page, services, pageUrl, unsubscribeUrl } = told;
  return renderEmail({
    to,
    subject: `[${page.body.name}] ${notice.title}: ${notice.state}`,
    title: notice.title,
    aside: `${oneLine(notice.state)} · ${instant(notice.at)}`,
    paragraphs: [
      notice.text,
      ...(services.length === 0 ? [] : [`Affects: ${services.map(oneLine).join(', ')}`]),
    ],
    link: { label: 'Open the status page', url: pageUrl },
    why: subscribed(page.body.name),
    unsubscribeUrl,
  });
}

/** What a webhook is sent; fields may be added, none is taken away. */
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
      `Someone requested updates about incidents and maintenance of ${name} for this address.`,
      'Open the link to confirm the subscription. The link is valid for 48 hours.',
    ],
    link: { label: 'Confirm the subscription', url },
    why: 'If you did not request this, ignore this e-mail. You will not receive any other messages.',
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
    why: subscribed(pageName),
    unsubscribeUrl,
  });
}

/** What a webhook is sent first: whoever runs it opens the link, in a browser or by a POST, and it is subscribed. */
export const createConfirmPayload = (pageName: string, pageUrl: string, url: string) => ({
  event: 'subscription.confirm',
  page: { name: pageName, url: pageUrl },
  confirmUrl: url,
});

/** A call of a subscriber's webhook: whoever could open the page named its address. */
export const createWebhook = (url: string, payload: object): WebhookMessage => ({
  kind: 'webhook',
  url,
  body: JSON.stringify(payload),
  isOfStranger: true,
});
