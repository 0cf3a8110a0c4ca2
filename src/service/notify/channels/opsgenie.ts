/** Renders alerts for Opsgenie: a failure creates an alert, and a recovery closes it. */
import { oneLine } from '../../../base/sanitize.ts';
import {
  type AlertFacts,
  formatAlertError,
  formatLinkLabel,
  formatRows,
  formatTitle,
  getTone,
  incidentKey,
  isRecovery,
} from '../facts/alert-facts.ts';
import {
  asString,
  type ChannelType,
  textIn,
  truncate,
  validateKey,
  validateSetting,
} from './channel-type.ts';

/** Jira Service Management, the successor of Opsgenie, has the same alert API. */
const APIS: Readonly<Record<string, string>> = {
  US: 'https://api.opsgenie.com/v2',
  EU: 'https://api.eu.opsgenie.com/v2',
  JSM: 'https://api.atlassian.com/jsm/ops/integration/v2',
};
const SOURCE = 'sonde';
/** Limits of all fields: https://docs.opsgenie.com/docs/alert-api. */
const MAX_TAGS = 20;

/** Opsgenie renders HTML in texts: a zero-width space makes each tag plain text. */
const escapeTags = (text: string): string => text.replaceAll('<', '<\u200b');

/** Returns the priority: that of the channel for failures, the next lower one for degradations. */
function getPriority(priority: string, facts: AlertFacts): string {
  const level = Number((priority || 'P3').slice(1));
  return `P${getTone(facts) === 'bad' ? level : Math.min(level + 1, 5)}`;
}

function renderAlert(priority: string, facts: AlertFacts): Readonly<Record<string, unknown>> {
  const { check, tags, link } = facts;
  const parts = [
    formatTitle(facts),
    formatAlertError(facts),
    link === null ? '' : `${formatLinkLabel(facts)}: ${link}`,
  ];
  return {
    message: truncate(escapeTags(formatTitle(facts)), 130),
    alias: incidentKey(facts),
    description: truncate(escapeTags(parts.filter((part) => part !== '').join('\n\n')), 15_000),
    tags: tags
      .slice(0, MAX_TAGS)
      .map((tag) => truncate(escapeTags(oneLine(tag)), 50))
      .filter((tag) => tag !== ''),
    // All details together have at most 8,000 characters.
    details: Object.fromEntries(
      formatRows(facts).map(([name, value]) => [name, truncate(escapeTags(value), 300)]),
    ),
    entity: truncate(escapeTags(oneLine(check.name)), 512) || check.id,
    source: SOURCE,
    priority: getPriority(priority, facts),
  };
}

export const opsgenie: ChannelType = {
  render({ apiKey, region, priority }, facts) {
    const alerts = `${APIS[asString(region)] ?? APIS.US}/alerts`;
    const alias = encodeURIComponent(incidentKey(facts));
    const message = isRecovery(facts.kind)
      ? {
          url: `${alerts}/${alias}/close?identifierType=alias`,
          payload: { source: SOURCE, note: truncate(escapeTags(formatTitle(facts)), 25_000) },
        }
      : { url: alerts, payload: renderAlert(asString(priority), facts) };
    return {
      kind: 'opsgenie',
      ...message,
      headers: { authorization: `GenieKey ${asString(apiKey)}` },
      secrets: [asString(apiKey)],
    };
  },
  validate: (config) => [
    ...validateKey(config, 'apiKey'),
    ...validateSetting(config, 'region', /^(?:US|EU|JSM)$/, 'must be US, EU or JSM'),
    ...validateSetting(config, 'priority', /^P[1-5]$/, 'must be P1, P2, P3, P4 or P5'),
  ],
  readAnswer: (body) => ({ reason: textIn(body, 'message') }),
};
