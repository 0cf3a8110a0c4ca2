/** Builds alert channels that several sources need. URLs of webhooks are credentials. */

import type { JsonObject } from '../../../base/object.ts';
import { isUrl } from '../../../base/parse-url.ts';
import type { AlertChannelType } from '../../../contract/alert-channel-types.ts';
import { type Conversion, hasVariable, type ReportLoss } from './conversion.ts';
import { headersOf } from './http-parts.ts';

export interface Channel {
  readonly type: AlertChannelType;
  readonly config: JsonObject;
}

/** What the source calls a notification, and where its secrets and losses go. */
export interface ChannelSource {
  readonly name: string;
  readonly conversion: Conversion;
  readonly report: ReportLoss;
}

/** Returns a function that adds channels and returns their names. Several notifications can share an address. */
export function createChannelList(conversion: Conversion) {
  const known = new Map<string, string>();
  return (name: string, channels: readonly Channel[], switches: JsonObject): readonly string[] =>
    channels.map(({ type, config }) => {
      const isMail = type === 'EMAIL';
      const identity = JSON.stringify([type, config, switches]);
      const wanted = isMail ? String(config.address) : name;
      const unique =
        (isMail ? known.get(identity) : undefined) ?? conversion.uniqueName('alertChannels', wanted);
      if (isMail && known.has(identity)) return unique;
      known.set(identity, unique);
      conversion.add('alertChannels', {
        type,
        ...switches,
        config: isMail && unique === wanted ? config : { name: unique, ...config },
      });
      return unique;
    });
}

/** Returns the channel with a URL; none if it has no valid URL. */
function channelAt(
  type: Channel['type'],
  url: string,
  { name, conversion, report }: ChannelSource,
  more: JsonObject = {},
): readonly Channel[] {
  if (isUrl(url) || hasVariable(url))
    return [{ type, config: { url: conversion.secret(url, name, 'url'), ...more } }];
  report('skipped', undefined, 'it has no valid URL');
  return [];
}

export const reportMessage = ({ report }: ChannelSource): void =>
  report('changed', 'message', 'the text of the message is that of sonde');

const splitAddresses = (text: string): readonly string[] =>
  text
    .split(/[,;]/)
    .map((part) => part.match(/<([^<>]+)>/)?.[1] ?? part.trim())
    .filter((address) => address.includes('@') || hasVariable(address));

export function mailChannels(recipients: readonly string[], { report }: ChannelSource): readonly Channel[] {
  report('changed', 'SMTP server', 'the service has one SMTP server for all channels: SONDE_SMTP_URL');
  const addresses = [...new Set(recipients.flatMap(splitAddresses))];
  if (addresses.length === 0) report('skipped', undefined, 'it has no e-mail address');
  return addresses.map((address) => ({ type: 'EMAIL', config: { address } }));
}

export function smsChannels(number: string, { report }: ChannelSource): readonly Channel[] {
  report('changed', 'SMS gateway', 'the service has one SMS gateway for all channels: SONDE_SMS_URL');
  return [{ type: 'SMS', config: { number } }];
}

/** Returns a channel with the URL of an incoming webhook. Several chat servers understand the messages of Slack. */
export function chatChannels(
  url: string,
  source: ChannelSource,
  type: 'SLACK' | 'DISCORD' | 'MSTEAMS' = 'SLACK',
): readonly Channel[] {
  reportMessage(source);
  return channelAt(type, url, source);
}

/** Returns a channel with a key. `more`: its other settings; empty ones are left out. */
function keyChannels(
  type: Channel['type'],
  [field, key]: readonly [field: string, key: string],
  more: Readonly<Record<string, string>>,
  source: ChannelSource,
): readonly Channel[] {
  reportMessage(source);
  if (key === '') {
    source.report('skipped', undefined, 'it has no key');
    return [];
  }
  const settings = Object.entries(more).filter(([, value]) => value !== '');
  const secret = source.conversion.secret(key, source.name, field);
  return [{ type, config: { ...Object.fromEntries(settings), [field]: secret } }];
}

export const pagerdutyChannels = (key: string, source: ChannelSource): readonly Channel[] =>
  keyChannels('PAGERDUTY', ['serviceKey', key], {}, source);

export const opsgenieChannels = (
  key: string,
  { region, priority }: { readonly region: string; readonly priority: string },
  source: ChannelSource,
): readonly Channel[] =>
  keyChannels(
    'OPSGENIE',
    ['apiKey', key],
    {
      region: region.toUpperCase() === 'EU' ? 'EU' : '',
      priority: /^P?[1-5]$/.test(priority) ? `P${priority.slice(-1)}` : '',
    },
    source,
  );

interface WebhookRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: JsonObject;
}

export function webhookChannels(
  { url, method, headers }: WebhookRequest,
  source: ChannelSource,
): readonly Channel[] {
  source.report('changed', 'body', 'the request body is that of sonde; set a template for another one');
  const pairs = Object.entries(headers).map(([key, value]) => [key, String(value)] as const);
  return channelAt('WEBHOOK', url, source, {
    ...(method === '' || method.toUpperCase() === 'POST' ? {} : { method: method.toUpperCase() }),
    ...(pairs.length > 0 ? { headers: headersOf(pairs, source.conversion, source.name) } : {}),
  });
}

const TEXT = '{{ALERT_TITLE}}\\n{{CHECK_ERROR_MESSAGE}}';

/** Returns a webhook of a service that takes a text in JSON. `${NAME}` has no meaning in the template. */
function templateChannels(url: string, template: string, source: ChannelSource): readonly Channel[] {
  reportMessage(source);
  return channelAt('WEBHOOK', url, source, { template });
}

interface TelegramChat {
  readonly server: string;
  readonly token: string;
  readonly chat: string;
  /** ID of the topic in a forum; empty: none. */
  readonly topic: string;
}

export function telegramChannels(
  { server, token, chat, topic }: TelegramChat,
  source: ChannelSource,
): readonly Channel[] {
  if (server === '')
    return keyChannels('TELEGRAM', ['apiKey', token], { chatId: chat, messageThreadId: topic }, source);
  const bot = `bot${source.conversion.secret(token, source.name, 'token')}`;
  const url = `${server}/${bot}/sendMessage?chat_id=${chat}${topic === '' ? '' : `&message_thread_id=${topic}`}`;
  return templateChannels(url, `{"text": "${TEXT}"}`, source);
}

export function gotifyChannels(
  server: string,
  token: string,
  priority: number,
  source: ChannelSource,
): readonly Channel[] {
  const key = source.conversion.secret(token, source.name, 'token');
  const url = `${server.replace(/\/$/, '')}/message?token=${key}`;
  return templateChannels(url, `{"title": "sonde", "message": "${TEXT}", "priority": ${priority}}`, source);
}

export const googleChatChannels = (url: string, source: ChannelSource): readonly Channel[] =>
  templateChannels(url, `{"text": "${TEXT}"}`, source);

interface NtfyTopic {
  readonly server: string;
  readonly topic: string;
  readonly token: string;
  readonly priority: string;
  /** Value of the Authorization header for a user and a password; empty: none. */
  readonly authorization: string;
}

export function ntfyChannels(
  { server, topic, token, priority, authorization }: NtfyTopic,
  source: ChannelSource,
): readonly Channel[] {
  const { conversion, name } = source;
  if (authorization === '') {
    const url = server === 'https://ntfy.sh' ? '' : server;
    const settings = { url, priority, token: token && conversion.secret(token, name, 'token') };
    return keyChannels('NTFY', ['topic', topic], settings, source);
  }
  reportMessage(source);
  const url = `${(server || 'https://ntfy.sh').replace(/\/$/, '')}/${topic}`;
  const headers = headersOf(
    [
      ['Content-Type', 'text/plain'],
      ['Authorization', authorization],
    ],
    conversion,
    name,
  );
  return channelAt('WEBHOOK', url, source, { headers, template: TEXT.replace('\\n', '\n') });
}
