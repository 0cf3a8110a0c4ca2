/** Lists the settings of a check that matter to who looks at it. */
import { nextCronTimes } from '../../../../base/cron.ts';
import { formatLongDuration } from '../../../../base/format-duration.ts';
import { secondsOf } from '../../../../contract/rules.ts';
import { html, type Markup } from '../../../notify/rendering/markup.ts';
import type { CheckRecord } from '../../../store/index.ts';
import { renderTime } from '../format.ts';
import {
  asNumber,
  asObject,
  asText,
  checkTypeTitle,
  type Fact,
  formatMilliseconds,
} from '../run-components.ts';
import type { CheckView } from './load-check.ts';

/** Returns what a check connects to: a URL, a host with its port, or a name; undefined for scripts. */
function targetOf({ body }: CheckRecord): string | undefined {
  const request = asObject(asObject(body).request);
  const host = { ...request, ...asObject(request.sslConfig) };
  const name = asText(host.hostname);
  const port = asNumber(host.port);
  const endpoint = name !== undefined && port !== undefined ? `${name}:${port}` : name;
  return asText(request.url) ?? asText(request.query) ?? endpoint;
}

/** Formats how often a check runs or expects a ping. */
function formatInterval({ type, body, frequency, frequencyOffset }: CheckRecord): string {
  if (type === 'HEARTBEAT') {
    const { period = 1, periodUnit = 'days', cron, timezone } = body.heartbeat;
    return cron ? `${cron} (${timezone || 'UTC'})` : formatLongDuration(secondsOf(period, periodUnit) * 1000);
  }
  return formatLongDuration(frequency > 0 ? frequency * 60_000 : (frequencyOffset ?? 0) * 1000);
}

function intervalLabel({ type, body }: CheckRecord): string {
  if (type !== 'HEARTBEAT') return 'Runs every';
  return body.heartbeat.cron ? 'Expects pings at' : 'Expects a ping every';
}

/** Returns the next times of a cron expression; `now` in ms. */
function nextPings({ type, body }: CheckRecord, now: number): readonly Markup[] | undefined {
  if (type !== 'HEARTBEAT' || !body.heartbeat.cron) return undefined;
  const { cron, timezone } = body.heartbeat;
  const times = nextCronTimes(cron, timezone || 'UTC', now, 5);
  return times.map((time, index) => html`${index > 0 && ', '}${renderTime(time)}`);
}

export function settingFacts({ check, settings, group, channels, now }: CheckView): readonly Fact[] {
  const { degradedResponseTime, maxResponseTime } = asObject(check.body);
  const { locations, tags } = settings;
  const list = (texts: readonly string[]) =>
    texts.length === 0 ? undefined : texts.map((text, index) => html`${index > 0 && ', '}<bdi>${text}</bdi>`);
  return [
    ['Type', checkTypeTitle(check.type)],
    ['Target', targetOf(check)],
    [intervalLabel(check), formatInterval(check)],
    ['Next pings expected', nextPings(check, now)],
    ['Next run', check.nextRunAt === null ? undefined : renderTime(check.nextRunAt)],
    ['Locations', list(locations)],
    ['Degraded at', formatMilliseconds(degradedResponseTime)],
    ['Fails at', formatMilliseconds(maxResponseTime)],
    ['Group', group?.body.name],
    ['Tags', list(tags)],
    [
      'Alerts',
      check.muted
        ? 'Muted'
        : (list(channels.map(({ type, label }) => `${label} (${type.toLowerCase()})`)) ??
          'No channel: nobody is alerted'),
    ],
  ];
}
