/** Converts the alerting of Gatus: providers become alert channels, and thresholds become alert settings. */
import type { JsonObject } from '../../../../base/object.ts';
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
import { alertSettingsOf } from '../check-parts.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { mapOf, mapsOf, secondsOf, textOf } from '../values.ts';

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
      telegramChannels(textOf(config['api-url']), textOf(config.token), textOf(config.id), source),
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

const DEFAULT_FAILURES = 3;
const DEFAULT_SUCCESSES = 2;

/** Returns a function that converts the alerts of an endpoint to fields of its check. Channels are added when needed. */
export function createAlerts(alerting: JsonObject, conversion: Conversion) {
  const addChannels = createChannelList(conversion);
  const channels = new Map<string, readonly string[]>();

  /** Returns the channels of a provider for a group. A channel either sends recoveries or does not. */
  const channelsOf = (type: string, group: string, sendRecovery: boolean): readonly string[] => {
    const provider = mapOf(alerting[type]);
    const override = mapsOf(provider.overrides).find((one) => textOf(one.group) === group && group !== '');
    const scope = override === undefined ? '' : ` ${group}`;
    const name = `${type}${scope}${sendRecovery ? '' : ' without recoveries'}`;
    const known = channels.get(name);
    if (known !== undefined) return known;
    const report = conversion.lossesOf('alerting provider', `${type}${scope}`);
    const convert = PROVIDERS.get(type);
    if (convert === undefined)
      report(
        'skipped',
        undefined,
        'sonde has no alert channel for it; use a webhook, Slack, e-mail or SMS channel',
      );
    else if (!(type in alerting)) report('skipped', undefined, 'the configuration has no such provider');
    const added =
      convert === undefined || !(type in alerting)
        ? []
        : addChannels(
            name,
            convert({ ...provider, ...override }, { name, conversion, report }),
            sendRecovery ? {} : { sendRecovery },
          );
    channels.set(name, added);
    return added;
  };

  return (endpoint: JsonObject, report: ReportLoss): JsonObject => {
    const alerts = mapsOf(endpoint.alerts)
      .map((alert) => ({ ...mapOf(mapOf(alerting[textOf(alert.type)])['default-alert']), ...alert }))
      .filter(({ enabled }) => enabled !== false);
    if (alerts.length === 0) return {};
    const numbers = (field: string, fallback: number) =>
      alerts.map((alert) => Number(alert[field as keyof typeof alert] ?? fallback) || fallback);
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
    if (alerts.some((alert) => 'provider-override' in alert))
      report('changed', 'provider-override', 'all checks share the settings of the channel');
    const reminders = alerts.flatMap(
      (alert) => secondsOf((alert as JsonObject)['minimum-reminder-interval']) ?? [],
    );
    const names = alerts.flatMap((alert: JsonObject) =>
      channelsOf(textOf(alert.type), textOf(endpoint.group), alert['send-on-resolved'] === true),
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
  };
}
