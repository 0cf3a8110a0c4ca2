/** Builds alert channels that several sources need. URLs of webhooks are credentials. */
import type { JsonObject } from '../../../base/object.ts';
import { type Conversion, hasVariable, type ReportLoss } from './conversion.ts';
import { headersOf } from './http-parts.ts';

export interface Channel {
  readonly type: 'EMAIL' | 'SLACK' | 'SMS' | 'WEBHOOK';
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
  if (URL.canParse(url) || hasVariable(url))
    return [{ type, config: { url: conversion.secret(url, name, 'url'), ...more } }];
  report('skipped', undefined, 'it has no valid URL');
  return [];
}

export const reportMessage = ({ report }: ChannelSource): void =>
  report('changed', 'message', 'the text of the message is that of sonde');

const splitAddresses = (text: string): readonly string[] =>
  text
    .split(/[,;]/)
    .map((part) => part.match(/<([^>]+)>/)?.[1] ?? part.trim())
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

/** Returns a webhook that understands the messages of Slack. */
export function chatChannels(url: string, source: ChannelSource): readonly Channel[] {
  reportMessage(source);
  return channelAt('SLACK', url, source);
}

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

export function telegramChannels(
  server: string,
  token: string,
  chat: string,
  source: ChannelSource,
): readonly Channel[] {
  const bot = `bot${source.conversion.secret(token, source.name, 'token')}`;
  const url = `${server || 'https://api.telegram.org'}/${bot}/sendMessage?chat_id=${chat}`;
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
  /** Value of the Authorization header; empty: none. */
  readonly authorization: string;
}

export function ntfyChannels(
  { server, topic, authorization }: NtfyTopic,
  source: ChannelSource,
): readonly Channel[] {
  reportMessage(source);
  const { conversion, name } = source;
  const url = `${(server || 'https://ntfy.sh').replace(/\/$/, '')}/${topic}`;
  const headers = headersOf(
    [
      ['Content-Type', 'text/plain'],
      ...(authorization === '' ? [] : [['Authorization', authorization] as const]),
    ],
    conversion,
    name,
  );
  return channelAt('WEBHOOK', url, source, { headers, template: TEXT.replace('\\n', '\n') });
}
