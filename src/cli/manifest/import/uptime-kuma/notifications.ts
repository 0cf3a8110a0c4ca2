/** Converts the notifications of Uptime Kuma to alert channels. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { headersOf } from '../http-parts.ts';
import { flagOf, jsonOf, type KumaTables, textOf } from './tables.ts';

interface Channel {
  readonly type: 'EMAIL' | 'SLACK' | 'SMS' | 'WEBHOOK';
  readonly config: JsonObject;
}

interface Source {
  readonly name: string;
  readonly config: JsonObject;
  readonly conversion: Conversion;
  readonly report: ReportLoss;
}

/** Names of the channels by the ID of their notification. */
export type ChannelNames = ReadonlyMap<unknown, readonly string[]>;

/** Adds a channel for each notification. `sendDegraded`: certificates that expire soon make checks degraded. */
export function addChannels(
  { notification }: KumaTables,
  conversion: Conversion,
  sendDegraded: boolean,
): ChannelNames {
  const names = new Map<unknown, readonly string[]>();
  for (const row of notification) {
    const name = textOf(row, 'name').trim() || 'Notification';
    const report = conversion.lossesOf('notification', name);
    const config = jsonOf(row, 'config');
    if (!flagOf(row, 'active', true)) {
      report('skipped', undefined, 'it is not active');
      continue;
    }
    const type = isObject(config) ? String(config.type) : '';
    const convert = CONVERTERS.get(type);
    if (!isObject(config) || convert === undefined) {
      report(
        'skipped',
        undefined,
        `sonde has no alert channel for ${type || 'it'}; use a webhook, Slack, e-mail or SMS channel`,
      );
      continue;
    }
    const added: string[] = [];
    for (const { type: channelType, config: channel } of convert({ name, config, conversion, report })) {
      const isMail = channelType === 'EMAIL';
      const wanted = String(isMail ? channel.address : name);
      const known = isMail ? [...names.values()].flat().find((one) => one === wanted) : undefined;
      const unique = known ?? conversion.uniqueName('alertChannels', wanted);
      added.push(unique);
      if (known !== undefined) continue;
      conversion.add('alertChannels', {
        type: channelType,
        ...(sendDegraded ? { sendDegraded } : {}),
        config: isMail ? channel : { name: unique, ...channel },
      });
    }
    names.set(row.id, added);
  }
  return names;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const splitAddresses = (value: unknown): readonly string[] =>
  asText(value)
    .split(/[,;]/)
    .map((part) => part.match(/<([^>]+)>/)?.[1] ?? part.trim())
    .filter((address) => address.includes('@'));

function convertMail({ config, report }: Source): readonly Channel[] {
  report('changed', 'SMTP server', 'the service has one SMTP server for all channels: SONDE_SMTP_URL');
  if (asText(config.customSubject) + asText(config.customBody) !== '') reportText(report);
  const addresses = [config.smtpTo, config.smtpCC, config.smtpBCC].flatMap(splitAddresses);
  return [...new Set(addresses)].map((address) => ({ type: 'EMAIL', config: { address } }));
}

const reportText = (report: ReportLoss): void =>
  report('changed', 'message', 'the text of the message is that of sonde');

/** Returns the channel with a URL, which is a credential; none if it has no URL. */
function channelAt(
  type: Channel['type'],
  url: string,
  { name, conversion, report }: Source,
  more: JsonObject = {},
): readonly Channel[] {
  if (URL.canParse(url)) return [{ type, config: { url: conversion.secret(url, name, 'url'), ...more } }];
  report('skipped', undefined, 'it has no valid URL');
  return [];
}

/** Returns a converter to a webhook that understands the messages of Slack. */
const slackAt =
  (field: string, suffix = '') =>
  (source: Source): readonly Channel[] => {
    reportText(source.report);
    return channelAt('SLACK', asText(source.config[field]) + suffix, source);
  };

function convertWebhook(source: Source): readonly Channel[] {
  const { name, config, conversion, report } = source;
  report('changed', 'body', 'the request body is that of sonde; set a template for another one');
  const written = jsonOf(config, 'webhookAdditionalHeaders');
  const headers = isObject(written)
    ? headersOf(
        Object.entries(written).map(([key, value]) => [key, String(value)]),
        conversion,
        name,
      )
    : [];
  return channelAt('WEBHOOK', asText(config.webhookURL), source, {
    ...(asText(config.httpMethod).toLowerCase() === 'get' ? { method: 'GET' } : {}),
    ...(headers.length > 0 ? { headers } : {}),
  });
}

const TEXT = '{{ALERT_TITLE}}\\n{{CHECK_ERROR_MESSAGE}}';

/** Returns a converter to a webhook with a template, for services that take a text as JSON. */
const webhookWith =
  (urlOf: (config: JsonObject) => string, bodyOf: (config: JsonObject) => JsonObject) =>
  (source: Source): readonly Channel[] => {
    reportText(source.report);
    const template = JSON.stringify(bodyOf(source.config)).replaceAll('"TEXT"', `"${TEXT}"`);
    return channelAt('WEBHOOK', urlOf(source.config), source, { template });
  };

const convertSms =
  (field: string) =>
  ({ config, report }: Source): readonly Channel[] => {
    report('changed', 'SMS gateway', 'the service has one SMS gateway for all channels: SONDE_SMS_URL');
    return [{ type: 'SMS', config: { number: asText(config[field]) } }];
  };

const CONVERTERS: ReadonlyMap<string, (source: Source) => readonly Channel[]> = new Map([
  ['smtp', convertMail],
  ['webhook', convertWebhook],
  ['slack', slackAt('slackwebhookURL')],
  ['mattermost', slackAt('mattermostWebhookUrl')],
  ['rocket.chat', slackAt('rocketwebhookURL')],
  ['discord', slackAt('discordWebhookUrl', '/slack')],
  [
    'telegram',
    webhookWith(
      ({ telegramServerUrl, telegramBotToken }) =>
        `${asText(telegramServerUrl) || 'https://api.telegram.org'}/bot${asText(telegramBotToken)}/sendMessage`,
      ({ telegramChatID }) => ({ chat_id: String(telegramChatID), text: 'TEXT' }),
    ),
  ],
  [
    'gotify',
    webhookWith(
      ({ gotifyserverurl, gotifyapplicationToken }) =>
        `${asText(gotifyserverurl).replace(/\/$/, '')}/message?token=${asText(gotifyapplicationToken)}`,
      ({ gotifyPriority }) => ({ title: 'sonde', message: 'TEXT', priority: Number(gotifyPriority ?? 8) }),
    ),
  ],
  [
    'GoogleChat',
    webhookWith(
      ({ googleChatWebhookURL }) => asText(googleChatWebhookURL),
      () => ({ text: 'TEXT' }),
    ),
  ],
  ['twilio', convertSms('twilioToNumber')],
]);
