/** Renders an alert for each kind of channel. Pure: the outbox sends the message later. */
import type { JsonObject } from '../../../base/object.ts';
import { oneLine } from '../../../base/sanitize.ts';
import type { AlertChannelBody } from '../../store/index.ts';
import type { EmailMessage, KeyValue, Message, WebhookMessage } from '../outbox/message.ts';
import { renderEmailHtml, renderQuote, renderRows, type Tone } from '../rendering/email-html.ts';
import { html } from '../rendering/markup.ts';
import { type AlertFacts, formatAlertError, formatRows, formatTitle, isRecovery } from './alert-facts.ts';
import { BodyTooLarge, compileTemplate, getTemplateValues } from './template.ts';

/** ID in test messages, which have no check and no result. */
const NO_CHECK = '00000000-0000-0000-0000-000000000000';

/** Renders an alert as the message of a channel. */
export function renderMessage(
  { type, config }: Pick<AlertChannelBody, 'type' | 'config'>,
  facts: AlertFacts,
): Message {
  switch (type) {
    case 'EMAIL':
      return { kind: 'email', to: asString(config.address), ...renderEmail(facts) };
    case 'WEBHOOK':
      return renderWebhook(config, facts);
    case 'SLACK':
      return { kind: 'slack', url: asString(config.url), payload: renderSlackPayload(facts) };
    case 'SMS':
      return { kind: 'sms', number: asString(config.number), text: renderSms(facts) };
    default:
      return type satisfies never;
  }
}

/** Renders a test message: a failure alert that says that no check failed. `now`: ms since the epoch. */
export const renderTestMessage = (channel: Pick<AlertChannelBody, 'type' | 'config'>, now: number): Message =>
  renderMessage(channel, {
    kind: 'ALERT_FAILURE',
    at: now,
    since: now,
    groupName: null,
    tags: [],
    link: null,
    check: { id: NO_CHECK, name: 'test of the alert channel', type: 'TEST' },
    run: {
      sessionId: NO_CHECK,
      resultId: NO_CHECK,
      location: 'none',
      responseTime: null,
      startedAt: now,
      error: 'This is a test message. No check failed.',
    },
  });

const asString = (value: unknown): string => (typeof value === 'string' ? value : '');

const DEFAULT_TYPE = 'application/json';

/** Parses the headers or query parameters of a channel. */
export function parsePairs(value: unknown): KeyValue[] {
  if (!Array.isArray(value)) return [];
  return value.map((pair: JsonObject | null) => ({ key: asString(pair?.key), value: asString(pair?.value) }));
}

/** Returns the content type from the channel's headers; default JSON. */
export const getContentType = (config: JsonObject): string =>
  parsePairs(config.headers).find(({ key }) => key.toLowerCase() === 'content-type')?.value ?? DEFAULT_TYPE;

function renderWebhook(config: JsonObject, facts: AlertFacts): WebhookMessage {
  const { template, webhookSecret: secret, method } = config;
  const contentType = getContentType(config);
  return {
    kind: 'webhook',
    url: asString(config.url),
    method: (asString(method) || 'POST') as NonNullable<WebhookMessage['method']>,
    headers: parsePairs(config.headers),
    queryParameters: parsePairs(config.queryParameters),
    ...renderBody(asString(template), contentType, facts),
    contentType,
    ...(typeof secret === 'string' && secret !== '' ? { secret } : {}),
  };
}

/** Renders the body. A template that is no longer valid must not block the alert; a body that is too large is reported. */
function renderBody(
  template: string,
  contentType: string,
  facts: AlertFacts,
): Pick<WebhookMessage, 'body' | 'problem'> {
  const plain = { body: JSON.stringify(getTemplateValues(facts)) };
  if (template === '') return plain;
  try {
    return { body: compileTemplate(template, contentType)(facts) };
  } catch (error) {
    return error instanceof BodyTooLarge ? { body: '', problem: error.message } : plain;
  }
}

const MAX_SMS_LENGTH = 300;
function renderSms(facts: AlertFacts): string {
  const error = oneLine(formatAlertError(facts));
  const text = [formatTitle(facts), error].filter((part) => part !== '').join('. ');
  return truncate(text, MAX_SMS_LENGTH);
}

/** Truncates at a whole character. */
export function truncate(text: string, maxLength: number): string {
  const characters = [...text];
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** Escapes links and mentions for Slack-type webhooks. */
const escapeSlackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '@\u200b');

const plain = (text: string, maxLength: number) => ({
  type: 'plain_text',
  text: truncate(text, maxLength),
  emoji: false,
});

/** Renders plain-text blocks only: names and messages cannot format, link or mention. */
function renderSlackPayload(facts: AlertFacts): Readonly<Record<string, unknown>> {
  const title = formatTitle(facts);
  const error = formatAlertError(facts);
  return {
    text: escapeSlackText(title),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(title, 150) },
      ...(error === '' ? [] : [{ type: 'section', text: plain(error, 2800) }]),
      { type: 'section', fields: formatRows(facts).map(([name, value]) => plain(`${name}\n${value}`, 500)) },
      ...(facts.link === null
        ? []
        : [
            {
              type: 'actions',
              elements: [{ type: 'button', text: plain('Open the result', 75), url: facts.link }],
            },
          ]),
    ],
  };
}

const MAX_ERROR_LENGTH = 4000;
const MAX_SUBJECT_LENGTH = 200;
const SENT_BY =
  'You receive this e-mail because your address is an alert channel of the check. Sent by sonde.';

function getTone({ kind }: AlertFacts): Tone {
  if (isRecovery(kind)) return 'good';
  return kind === 'ALERT_FAILURE' || kind === 'ALERT_FAILURE_REMAIN' || kind === 'ALERT_DEGRADED_FAILURE'
    ? 'bad'
    : 'warning';
}

export function renderEmail(facts: AlertFacts): Pick<EmailMessage, 'subject' | 'text' | 'html'> {
  const title = formatTitle(facts);
  const error = formatAlertError(facts).slice(0, MAX_ERROR_LENGTH);
  const rows = formatRows(facts);
  const { link } = facts;
  return {
    subject: title.slice(0, MAX_SUBJECT_LENGTH),
    text: renderText(title, error, rows, link),
    html: renderEmailHtml({
      title,
      tone: getTone(facts),
      main: html`${error !== '' && renderQuote(error)}${renderRows(rows)}`,
      link: link === null ? null : { label: 'Open the result', url: link },
      footer: html`${SENT_BY}`,
    }),
  };
}

function renderText(
  title: string,
  error: string,
  rows: ReturnType<typeof formatRows>,
  link: string | null,
): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}`);
  const result = link === null ? '' : `Open the result:\n${link}`;
  const parts = [title, error, lines.join('\n'), result].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n\n-- \n${SENT_BY}\n`;
}
