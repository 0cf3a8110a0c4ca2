/** The messages to subscribers: e-mails in plain words, and what webhooks are sent. */
import type { EmailMessage, WebhookMessage } from '../outbox/index.ts';
import { html, type Markup, plain } from '../pages/markup.ts';
import type { StatusPageRecord } from '../store/index.ts';
import type { Addresses } from './addresses.ts';
import type { Notice } from './notice.ts';

export interface Told extends Addresses {
  readonly notice: Notice;
  readonly page: StatusPageRecord;
  /** Names of the services it concerns, as the page carries them. */
  readonly services: readonly string[];
}

/** One line, whatever it was: a subject is a header. */
const oneLine = (text: string): string => plain(text).replaceAll(/\s+/g, ' ').trim();

const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Headers by which mail programs offer to unsubscribe with one click (RFC 8058). */
const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link: { readonly words: string; readonly url: string };
  readonly unsubscribeUrl?: string;
}

const STYLE = 'font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:2em auto;color:#1c2024';

function letter({ to, subject, paragraphs, link, unsubscribeUrl }: Letter): EmailMessage {
  const lines = paragraphs.map((text) => plain(text));
  const text = [...lines, `${link.words}: ${link.url}`];
  const body: Markup = html`<!doctype html><html lang="en"><body style="${STYLE}">${lines.map(
    (line) => html`<p style="white-space:pre-line">${line}</p>`,
  )}<p><a href="${link.url}">${link.words}</a></p>${
    unsubscribeUrl !== undefined &&
    html`<p style="color:#60646c;font-size:14px"><a href="${unsubscribeUrl}">Unsubscribe</a></p>`
  }</body></html>`;
  return {
    kind: 'email',
    to,
    subject: oneLine(subject),
    text: [...text, ...(unsubscribeUrl === undefined ? [] : [`Unsubscribe: ${unsubscribeUrl}`])].join('\n\n'),
    html: String(body),
    ...(unsubscribeUrl === undefined ? {} : { headers: unsubscribeHeaders(unsubscribeUrl) }),
  };
}

export function noticeMail(to: string, told: Told): EmailMessage {
  const { notice, page, services, pageUrl, unsubscribeUrl } = told;
  return letter({
    to,
    subject: `[${page.body.name}] ${notice.title}: ${notice.state}`,
    paragraphs: [
      notice.title,
      `${notice.state} · ${instant(notice.at)}`,
      notice.text,
      ...(services.length === 0 ? [] : [`Concerns: ${services.join(', ')}`]),
    ].filter((paragraph) => paragraph !== ''),
    link: { words: 'Open the status page', url: pageUrl },
    unsubscribeUrl,
  });
}

/** What a webhook is sent; fields may be added, none is taken away. */
export function noticePayload({ notice, page, services, pageUrl, unsubscribeUrl }: Told) {
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

export function confirmMail(to: string, pageName: string, url: string): EmailMessage {
  return letter({
    to,
    subject: `[${pageName}] Confirm your subscription`,
    paragraphs: [
      `Somebody, probably you, asked that this address be told of incidents and maintenance of ${pageName}.`,
      'Follow the link to confirm it; it is good for 48 hours. If it was not you, do nothing: you will hear no more.',
    ],
    link: { words: 'Confirm the subscription', url },
  });
}

export function alreadyMail(
  to: string,
  pageName: string,
  { pageUrl, unsubscribeUrl }: Addresses,
): EmailMessage {
  return letter({
    to,
    subject: `[${pageName}] You are subscribed already`,
    paragraphs: [`This address is told of incidents and maintenance of ${pageName}: there is nothing to do.`],
    link: { words: 'Open the status page', url: pageUrl },
    unsubscribeUrl,
  });
}

/** What a webhook is sent first: whoever runs it opens the link, in a browser or by a POST, and it is subscribed. */
export const confirmPayload = (pageName: string, pageUrl: string, url: string) => ({
  event: 'subscription.confirm',
  page: { name: pageName, url: pageUrl },
  confirmUrl: url,
});

/** A call of a subscriber's webhook: whoever could open the page named its address. */
export const webhookOf = (url: string, payload: object): WebhookMessage => ({
  kind: 'webhook',
  url,
  body: JSON.stringify(payload),
  isOfStranger: true,
});
