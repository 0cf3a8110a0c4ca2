/** Renders alerts as events of PagerDuty (Events API v2): a recovery resolves the incident of the check. */
import { oneLine } from '../../../base/sanitize.ts';
import {
  formatAlertError,
  formatLinkLabel,
  formatRows,
  formatTitle,
  getTone,
  incidentKey,
  isRecovery,
} from '../facts/alert-facts.ts';
import type { Tone } from '../rendering/email-html.ts';
import {
  asString,
  type ChannelType,
  textIn,
  truncate,
  validateKey,
  validateSetting,
} from './channel-type.ts';

const URLS: Readonly<Record<string, string>> = {
  US: 'https://events.pagerduty.com/v2/enqueue',
  EU: 'https://events.eu.pagerduty.com/v2/enqueue',
};
const SEVERITIES: Readonly<Record<Tone, string>> = {
  bad: 'critical',
  warning: 'warning',
  good: 'info',
  plain: 'info',
};
/** Limits: https://developer.pagerduty.com/docs/send-alert-event. An event has at most 512 KB. */
const MAX_SUMMARY = 1024;
const MAX_ERROR = 16_000;

export const pagerduty: ChannelType = {
  render({ serviceKey, region }, facts) {
    const key = asString(serviceKey);
    const event = { routing_key: key, dedup_key: incidentKey(facts) };
    const { check, groupName, link, at } = facts;
    const error = formatAlertError(facts);
    const trigger = {
      event_action: 'trigger',
      payload: {
        summary: truncate(formatTitle(facts), MAX_SUMMARY),
        source: truncate(oneLine(check.name) || check.id, MAX_SUMMARY),
        severity: SEVERITIES[getTone(facts)],
        timestamp: new Date(at).toISOString(),
        class: check.type,
        ...(groupName === null ? {} : { group: oneLine(groupName) || undefined }),
        custom_details: {
          ...Object.fromEntries(formatRows(facts)),
          ...(error === '' ? {} : { Error: truncate(error, MAX_ERROR) }),
        },
      },
      client: 'sonde',
      ...(link === null ? {} : { client_url: link, links: [{ href: link, text: formatLinkLabel(facts) }] }),
    };
    return {
      kind: 'pagerduty',
      url: URLS[asString(region)] ?? asString(URLS.US),
      payload: { ...event, ...(isRecovery(facts.kind) ? { event_action: 'resolve' } : trigger) },
      secrets: [key],
    };
  },
  validate: (config) => [
    ...validateKey(config, 'serviceKey'),
    ...validateSetting(config, 'region', /^(?:US|EU)$/, 'must be US or EU'),
  ],
  readAnswer(body) {
    const { errors } = (body ?? {}) as { errors?: unknown };
    const details = Array.isArray(errors) ? errors.filter((one) => typeof one === 'string') : [];
    return { reason: details.length > 0 ? details.join(', ') : textIn(body, 'message') };
  },
};
