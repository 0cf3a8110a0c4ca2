/** Converts the alerting of Gatus: providers become alert channels, and thresholds become alert settings. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
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
  smsChannels,
  telegramChannels,
  webhookChannels,
} from '../channels.ts';
import { alertSettingsOf, formatSeconds } from '../check-parts.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { convertItem, type FieldRule } from '../convert-item.ts';
import { layered, readWhole } from '../tracked-source.ts';
import { durationOf, flagOf, mapOf, mapsOf, textOf } from '../values.ts';
import { COMMON_PROVIDER_RULES, PROVIDER_RULES } from './rules.ts';

type Convert = (config: JsonObject, source: ChannelSource) => readonly Channel[];

const chat =
  (type?: Parameters<typeof chatChannels>[2]): Convert =>
  (config, source) =>
    chatChannels(textOf(config['webhook-url']), source, type);

const PROVIDERS: ReadonlyMap<string, Convert> = new Map([
  ['slack', chat()],
  ['mattermost', chat()],
  ['rocketchat', chat()],
  ['discord', chat('DISCORD')],
  ['teams-workflows', chat('MSTEAMS')],
  ['pagerduty', (config, source) => pagerdutyChannels(textOf(config['integration-key']), source)],
  [
    'opsgenie',
    (config, source) =>
      opsgenieChannels(textOf(config['api-key']), { region: '', priority: textOf(config.priority) }, source),
  ],
  ['email', (config, source) => mailChannels([textOf(config.to)], source)],
  ['googlechat', (config, source) => googleChatChannels(textOf(config['webhook-url']), source)],
  ['twilio', (config, source) => smsChannels(textOf(config.to), source)],
  [
    'telegram',
    (config, source) =>
      telegramChannels(
        {
          server: textOf(config['api-url']),
          token: textOf(config.token),
          chat: textOf(config.id),
          topic: textOf(config['topic-id']),
        },
        source,
      ),
  ],
  [
    'gotify',
    (config, source) =>
      gotifyChannels(
        textOf(config['server-url']),
        textOf(config.token),
        Number(config.priority ?? 5),
        source,
      ),
  ],
  [
    'ntfy',
    (config, source) =>
      ntfyChannels(
        {
          server: textOf(config.url),
          topic: textOf(config.topic),
          token: textOf(config.token),
          priority: String(config.priority ?? ''),
          authorization: '',
        },
        source,
      ),
  ],
  [
    'custom',
    (config, source) =>
      webhookChannels(
        { url: textOf(config.url), method: textOf(config.method), headers: mapOf(config.headers) },
        source,
      ),
  ],
]);

const NO_CHANNEL = 'sonde has no alert channel for it; use a webhook, Slack, e-mail or SMS channel';

/** Alerts decide about no result. */
const ALERT_FLAG = { outcome: 'changed' } as const;
const DEFAULT_FAILURES = 3;
const DEFAULT_SUCCESSES = 2;

export interface Alerts {
  /** Converts the alerts of an endpoint to fields of its check. Channels are added when needed. */
  readonly of: (endpoint: JsonObject, report: ReportLoss) => JsonObject;
  /** Reports the providers and settings that no endpoint uses. */
  readonly finish: () => void;
}

/** `alerting`: a view of the providers. */
export function createAlerts(alerting: JsonObject, conversion: Conversion): Alerts {
  const addChannels = createChannelList(conversion);
  const channels = new Map<string, readonly string[]>();
  const used = new Set<string>();

  /** Returns the channels of a provider for a group. A channel either sends recoveries or does not. */
  const channelsOf = (type: string, group: string, sendRecovery: boolean): readonly string[] => {
    used.add(type);
    const provider = mapOf(alerting[type]);
    const override = mapsOf(provider.overrides).find((one) => textOf(one.group) === group && group !== '');
    const scope = override === undefined ? '' : ` ${group}`;
    const name = `${type}${scope}${sendRecovery ? '' : ' without recoveries'}`;
    const known = channels.get(name);
    if (known !== undefined) return known;
    const convert = PROVIDERS.get(type);
    const isKnown = convert !== undefined && isObject(alerting[type]);
    const report = conversion.lossesOf('alerting provider', `${type}${scope}`);
    if (convert === undefined) report('skipped', undefined, NO_CHANNEL);
    else if (!isKnown) report('skipped', undefined, 'the configuration has no such provider');
    const added = isKnown
      ? addChannels(
          name,
          convert(layered(...(override ? [override] : []), provider), { name, conversion, report }),
          sendRecovery ? {} : { sendRecovery },
        )
      : [];
    channels.set(name, added);
    return added;
  };

  return {
    of(endpoint, report) {
      const alerts = mapsOf(endpoint.alerts).flatMap((alert) => {
        const type = textOf(alert.type);
        const settings = layered(alert, mapOf(mapOf(alerting[type])['default-alert']));
        if (flagOf(settings, 'enabled', report, { fallback: true, ...ALERT_FLAG })) return [settings];
        // An alert that is not enabled has no effect.
        readWhole(alert);
        return [];
      });
      return alerts.length === 0 ? {} : alertFields(endpoint, alerts, channelsOf, report);
    },
    finish() {
      for (const [type, provider] of Object.entries(alerting)) {
        if (!isObject(provider)) continue;
        const rules = { ...COMMON_PROVIDER_RULES, ...PROVIDER_RULES[type] };
        const fallback: FieldRule = ['changed', 'the channel has no such setting'];
        convertItem(
          conversion,
          { kind: 'alerting provider', name: type, source: provider, rules, fallback },
          (report) => {
            if (!used.has(type)) report('skipped', undefined, 'no alert of an endpoint uses it');
            // The loss of a provider without a channel names all of it.
            if (!PROVIDERS.has(type)) readWhole(provider);
            return used.has(type) ? {} : undefined;
          },
        );
      }
    },
  };
}

/** `alerts`: those that are enabled, with the defaults of their providers. */
function alertFields(
  endpoint: JsonObject,
  alerts: readonly JsonObject[],
  channelsOf: (type: string, group: string, sendRecovery: boolean) => readonly string[],
  report: ReportLoss,
): JsonObject {
  const numbers = (field: string, fallback: number): readonly number[] =>
    alerts.map((alert) => {
      const written = textOf(alert[field]);
      const number = Number(written);
      if (written !== '' && !(number > 0))
        report('changed', field, `${written} is not a number above 0; it became ${fallback}`);
      return number > 0 ? number : fallback;
    });
  const failures = numbers('failure-threshold', DEFAULT_FAILURES);
  const successes = Math.max(...numbers('success-threshold', DEFAULT_SUCCESSES));
  if (new Set(failures).size > 1)
    report(
      'changed',
      'failure-threshold',
      `a check has one threshold for all channels: ${Math.min(...failures)}`,
    );
  if (successes > 1)
    report(
      'changed',
      'success-threshold',
      `a check recovers with the first passing run, not after ${successes}`,
    );
  const reminders = alerts
    .map((alert) => durationOf(alert, 'minimum-reminder-interval', 0, report))
    .filter((seconds) => seconds > 0);
  if (new Set(reminders).size > 1 || (reminders.length > 0 && reminders.length < alerts.length))
    report(
      'changed',
      'minimum-reminder-interval',
      `a check has one interval for all channels: ${formatSeconds(Math.min(...reminders))}`,
    );
  const names = alerts.flatMap((alert) =>
    channelsOf(
      textOf(alert.type),
      textOf(endpoint.group),
      flagOf(alert, 'send-on-resolved', report, ALERT_FLAG),
    ),
  );
  return {
    ...alertSettingsOf(Math.min(...failures), reminders.length > 0 ? Math.min(...reminders) : 0, report),
    ...(names.length > 0
      ? {
          alertChannelSubscriptions: [...new Set(names)].map((alertChannel) => ({
            alertChannel,
            activated: true,
          })),
        }
      : {}),
  };
}
