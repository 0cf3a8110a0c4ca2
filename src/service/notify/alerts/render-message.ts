/** An alert as each kind of channel is sent it. Pure: the message is made when the alert is decided, and sent later. */

import type { AlertChannelBody } from '../../store/index.ts';
import type { KeyValue, Message, WebhookMessage } from '../outbox/index.ts';
import { oneLine } from '../rendering/text.ts';
import { type AlertFacts, formatAlertError, formatRows, formatTitle } from './alert-facts.ts';
import { renderEmail } from './render-email.ts';
import { BodyTooLarge, compileTemplate, getTemplateValues } from './template.ts';

type Config = Readonly<Record<string, unknown>>;

/** Templates name ids: of what there is not they are these. */
const NO_CHECK = '00000000-0000-0000-0000-000000000000';

/** What an alert is sent as over a channel. */
export function renderMessage(
  { type, config }: Pick<AlertChannelBody, 'type' | 'config'>,
  facts: AlertFacts,
): Message {
  switch (type) {
    case 'EMAIL':
      return { kind: 'email', to: textOf(config.address), ...renderEmail(facts) };
    case 'WEBHOOK':
      return webhookOf(config, facts);
    case 'SLACK':
      return { kind: 'slack', url: textOf(config.url), payload: slackPayload(facts) };
    case 'SMS':
      return { kind: 'sms', number: textOf(config.number), text: smsOf(facts) };
    default:
      return type satisfies never;
  }
}

/** What a channel is sent to try it: as a failure would be, and saying that nothing failed. `now`: ms since the epoch. */
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

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const DEFAULT_TYPE = 'application/json';

/** Headers or query parameters of a channel. */
export function parsePairs(value: unknown): KeyValue[] {
  if (!Array.isArray(value)) return [];
  return value.map((pair: Config | null) => ({ key: textOf(pair?.key), value: textOf(pair?.value) }));
}

/** What a channel's own headers say of the body, or JSON. */
export const getContentType = (config: Config): string =>
  parsePairs(config.headers).find(({ key }) => key.toLowerCase() === 'content-type')?.value ?? DEFAULT_TYPE;

function webhookOf(config: Config, facts: AlertFacts): WebhookMessage {
  const { template, webhookSecret: secret, method } = config;
  const contentType = getContentType(config);
  return {
    kind: 'webhook',
    url: textOf(config.url),
    method: (textOf(method) || 'POST') as NonNullable<WebhookMessage['method']>,
    headers: parsePairs(config.headers),
    queryParameters: parsePairs(config.queryParameters),
    ...bodyOf(textOf(template), contentType, facts),
    contentType,
    ...(typeof secret === 'string' && secret !== '' ? { secret } : {}),
  };
}

/** A template that no longer holds (it was judged when it was given) must not keep an alert back. One that makes too much is told. */
function bodyOf(
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

const LONGEST_SMS = 300;
function smsOf(facts: AlertFacts): string {
  const error = oneLine(formatAlertError(facts));
  const text = [formatTitle(facts), error].filter((part) => part !== '').join('. ');
  return truncate(text, LONGEST_SMS);
}

/** Cut at a whole character. */
export function truncate(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** What services of this kind would take for a link or a call of everybody. */
const inert = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '@\u200b');

const plain = (text: string, most: number) => ({
  type: 'plain_text',
  text: truncate(text, most),
  emoji: false,
});

/** Blocks of plain text alone: nothing in a name or message can format, link or call anybody. */
function slackPayload(facts: AlertFacts): Readonly<Record<string, unknown>> {
  const title = formatTitle(facts);
  const error = formatAlertError(facts);
  return {
    text: inert(title),
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
