/** Renders the results of heartbeat checks: what a job reported, or that it did not. */
import type { JsonObject } from '../../../base/object.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import { renderBlock, renderCard, renderInstant } from './detail-components.ts';
import { renderSection } from './layout.ts';
import { asNumber, asText, formatMilliseconds } from './run-components.ts';

const HEARTBEAT_TITLES = new Map<unknown, string>([
  ['PING', 'Ping'],
  ['FAILED', 'Failed run'],
  ['UNFINISHED', 'Unfinished run'],
]);

/** Renders what a job reported, or a missed ping. */
export function renderHeartbeatDetails(details: JsonObject): Markup {
  const isReceived = details.event === 'PING' || details.event === 'FAILED';
  const { exitCode, output, log, isOutputCut } = details;
  return html`${renderSection(
    'ping',
    HEARTBEAT_TITLES.get(details.event) ?? 'Missed ping',
    renderCard([
      ['Time', isReceived ? renderInstant(details.pingedAt) : 'Not received'],
      ['Run started', renderInstant(details.runStartedAt)],
      ['Duration', formatMilliseconds(details.duration)],
      ['Exit code', asNumber(exitCode)?.toString()],
      ['Message', asText(details.message)],
      ['Run ID', asText(details.runId)],
      ['Previous ping', renderInstant(details.lastPingAt) ?? (isReceived ? 'None' : undefined)],
      ['Due by', renderInstant(details.dueAt)],
      [
        'Sender',
        isReceived
          ? [asText(details.method), asText(details.userAgent)].filter(Boolean).join(', ')
          : undefined,
      ],
    ]),
  )}
${renderBlock('log', 'Log', asText(log))}
${renderBlock('output', isOutputCut === true ? 'Output (only its first 10 kB)' : 'Output', asText(output))}`;
}
