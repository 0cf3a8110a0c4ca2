/** Converts the notifications of Uptime Kuma to alert channels. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { formatBasicAuth } from '../../../../runners/http/basic-auth.ts';
import {
  type Channel,
  type ChannelSource,
  chatChannels,
  createChannelList,
  googleChatChannels,
  gotifyChannels,
  mailChannels,
  ntfyChannels,
  opsgenieChannels,
  pagerdutyChannels,
  reportMessage,
  smsChannels,
  telegramChannels,
  webhookChannels,
} from '../channels.ts';
import type { Conversion } from '../conversion.ts';
import { convertItem, reportUnread } from '../convert-item.ts';
import { readWhole, trackSource } from '../tracked-source.ts';
import { isDefault, NOTIFICATION_FALLBACK, NOTIFICATION_RULES } from './columns.ts';
import { flagOf, jsonOf, type KumaTables, textOf } from './tables.ts';

/** Names of the channels by the ID of their notification. */
export type ChannelNames = ReadonlyMap<unknown, readonly string[]>;

/** Adds a channel for each notification. `sendDegraded`: certificates that expire soon make checks degraded. */
export function addNotifications(
  { notification }: KumaTables,
  conversion: Conversion,
  sendDegraded: boolean,
): ChannelNames {
  const names = new Map<unknown, readonly string[]>();
  const addChannels = createChannelList(conversion);
  for (const row of notification) {
    const name = textOf(row, 'name').trim() || 'Notification';
    const written = readWhole(jsonOf(row, 'config'));
    const source = trackSource(isObject(written) ? written : {});
    const item = {
      kind: 'notification',
      name,
      source,
      rules: NOTIFICATION_RULES,
      fallback: NOTIFICATION_FALLBACK,
      isDefault,
    };
    const { value } = convertItem(conversion, item, (report) => {
      if (!flagOf(row, 'active', true)) {
        report('skipped', undefined, 'it is not active');
        return undefined;
      }
      const type = textOf(source, 'type');
      const convert = CONVERTERS.get(type);
      if (convert !== undefined) return convert(source, { name, conversion, report });
      report(
        'skipped',
        undefined,
        `sonde has no alert channel for ${type || 'it'}; use a webhook, Slack, e-mail or SMS channel`,
      );
      return undefined;
    });
    if (value === undefined) continue;
    reportUnread(conversion, { ...item, source: row });
    names.set(row.id, addChannels(name, value, sendDegraded ? { sendDegraded } : {}));
  }
  return names;
}

type Convert = (config: JsonObject, source: ChannelSource) => readonly Channel[];

const chat =
  (field: string, type?: Parameters<typeof chatChannels>[2]): Convert =>
  (config, source) =>
    chatChannels(textOf(config, field), source, type);

const mail: Convert = (config, source) => {
  if (textOf(config, 'customSubject') + textOf(config, 'customBody') !== '') reportMessage(source);
  return mailChannels(
    ['smtpTo', 'smtpCC', 'smtpBCC'].map((field) => textOf(config, field)),
    source,
  );
};

const webhook: Convert = (config, source) => {
  const headers = jsonOf(config, 'webhookAdditionalHeaders');
  return webhookChannels(
    {
      url: textOf(config, 'webhookURL'),
      method: textOf(config, 'httpMethod'),
      headers: isObject(headers) ? headers : {},
    },
    source,
  );
};

function ntfyAuthorization(config: JsonObject): string {
  const [user, token] = [textOf(config, 'ntfyusername'), textOf(config, 'ntfyaccesstoken')];
  return token !== '' || user === '' ? '' : formatBasicAuth(user, textOf(config, 'ntfypassword'));
}

const CONVERTERS: ReadonlyMap<string, Convert> = new Map([
  ['smtp', mail],
  ['webhook', webhook],
  ['slack', chat('slackwebhookURL')],
  ['mattermost', chat('mattermostWebhookUrl')],
  ['rocket.chat', chat('rocketwebhookURL')],
  ['discord', chat('discordWebhookUrl', 'DISCORD')],
  ['teams', chat('webhookUrl', 'MSTEAMS')],
  ['PagerDuty', (config, source) => pagerdutyChannels(textOf(config, 'pagerdutyIntegrationKey'), source)],
  [
    'Opsgenie',
    (config, source) =>
      opsgenieChannels(
        textOf(config, 'opsgenieApiKey'),
        { region: textOf(config, 'opsgenieRegion'), priority: String(config.opsgeniePriority ?? '') },
        source,
      ),
  ],
  [
    'telegram',
    (config, source) =>
      telegramChannels(
        {
          server: textOf(config, 'telegramServerUrl'),
          token: textOf(config, 'telegramBotToken'),
          chat: textOf(config, 'telegramChatID'),
          topic: textOf(config, 'telegramMessageThreadID'),
        },
        source,
      ),
  ],
  [
    'gotify',
    (config, source) =>
      gotifyChannels(
        textOf(config, 'gotifyserverurl'),
        textOf(config, 'gotifyapplicationToken'),
        Number(config.gotifyPriority ?? 8),
        source,
      ),
  ],
  [
    'ntfy',
    (config, source) =>
      ntfyChannels(
        {
          server: textOf(config, 'ntfyserverurl'),
          topic: textOf(config, 'ntfytopic'),
          token: textOf(config, 'ntfyaccesstoken'),
          priority: String(config.ntfyPriority ?? ''),
          authorization: ntfyAuthorization(config),
        },
        source,
      ),
  ],
  ['GoogleChat', (config, source) => googleChatChannels(textOf(config, 'googleChatWebhookURL'), source)],
  ['twilio', (config, source) => smsChannels(textOf(config, 'twilioToNumber'), source)],
]);
