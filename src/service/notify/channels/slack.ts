/** Renders alerts for Slack: over an incoming webhook, or over an app, which replies in a thread. */
import type { JsonObject } from '../../../base/object.ts';
import {
  type AlertFacts,
  formatAlertError,
  formatLinkLabel,
  formatRows,
  formatTitle,
} from '../facts/alert-facts.ts';
import {
  asString,
  type ChannelType,
  type ConfigProblem,
  textIn,
  truncate,
  validateKey,
} from './channel-type.ts';
import { validateUrl } from './webhook.ts';

export const slack: ChannelType = {
  render: ({ url }, facts) => ({ kind: 'slack', url: asString(url), payload: renderPayload(facts) }),
  validate: validateUrl,
  readAnswer: readWord,
};

/** Refusals after which the same message may succeed: https://docs.slack.dev/reference/methods/chat.postMessage. */
const TEMPORARY = new Set([
  'fatal_error',
  'internal_error',
  'org_login_required',
  'rate_limited',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

const STARTS: ReadonlySet<string> = new Set(['ALERT_FAILURE', 'ALERT_DEGRADED', 'ALERT_LOCATION']);

const channelsOf = ({ slackChannels }: JsonObject): readonly string[] =>
  Array.isArray(slackChannels) ? slackChannels.map(asString) : [];

/** Each Slack channel counts as a separate recipient, because a thread belongs to one channel. */
const MAX_CHANNELS = 20;

function validateChannels(config: JsonObject): readonly ConfigProblem[] {
  const channels = channelsOf(config);
  if (channels.length > MAX_CHANNELS)
    return [{ path: ['slackChannels'], message: `must contain at most ${MAX_CHANNELS} channels` }];
  return channels.flatMap((name, index): readonly ConfigProblem[] => {
    const path = ['slackChannels', index];
    if (channels.indexOf(name) < index) return [{ path, message: `must not contain ${name} twice` }];
    if (name.startsWith('@')) return [{ path, message: NO_HANDLE }];
    return name.trim() === '' ? [{ path, message: 'must be a channel such as #ops' }] : [];
  });
}
const NO_HANDLE =
  'must not be a handle, which Slack does not accept: give the member ID (U…) from the profile, or a channel';

export const slackApp: ChannelType = {
  split: (config) => channelsOf(config).map((name) => [name, { ...config, slackChannels: [name] }] as const),
  // A channel without a token uses the token of the service, which is added when the message is sent.
  render: ({ token, slackChannels }, facts) => ({
    kind: 'slack_app',
    url: 'https://slack.com/api/chat.postMessage',
    ...(token ? { headers: { authorization: `Bearer ${asString(token)}` }, secrets: [asString(token)] } : {}),
    payload: {
      channel: asString((slackChannels as readonly unknown[] | undefined)?.[0]),
      ...renderPayload(facts),
      unfurl_links: false,
      unfurl_media: false,
    },
    // A new failure is a message of its own.
    ...(STARTS.has(facts.kind) ? {} : { threadSince: facts.since }),
  }),
  validate: (config) => [
    ...(config.token === '' ? [] : validateKey(config, 'token')),
    ...validateChannels(config),
  ],
  readAnswer(body) {
    const reason = textIn(body, 'error');
    const isRefused = (body as { ok?: unknown } | null)?.ok !== true;
    return {
      reason,
      isRefused,
      isTemporary: reason === undefined || TEMPORARY.has(reason),
      receipt: isRefused ? undefined : textIn(body, 'ts'),
    };
  },
};

/** Incoming webhooks answer one word: `invalid_payload`. */
function readWord(body: unknown) {
  return { reason: typeof body === 'string' && /^[a-z_]{1,60}$/.test(body) ? body : undefined };
}

/** Escapes links and mentions. */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '@\u200b');

const plain = (text: string, maxLength: number) => ({
  type: 'plain_text',
  text: truncate(text, maxLength),
  emoji: false,
});

/** A section has at most this many fields. Limits: https://docs.slack.dev/reference/block-kit/blocks. */
const MAX_FIELDS = 10;

/** Renders plain-text blocks only: names and messages cannot format, link or mention. */
function renderPayload(facts: AlertFacts): Readonly<Record<string, unknown>> {
  const title = formatTitle(facts);
  const error = formatAlertError(facts);
  const fields = formatRows(facts).map(([name, value]) => plain(`${name}\n${value}`, 500));
  const sections = Array.from({ length: Math.ceil(fields.length / MAX_FIELDS) }, (_, index) => ({
    type: 'section',
    fields: fields.slice(index * MAX_FIELDS, (index + 1) * MAX_FIELDS),
  }));
  return {
    text: escapeText(title),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(title, 150) },
      ...(error === '' ? [] : [{ type: 'section', text: plain(error, 2800) }]),
      ...sections,
      ...(facts.link === null
        ? []
        : [
            {
              type: 'actions',
              elements: [{ type: 'button', text: plain(formatLinkLabel(facts), 75), url: facts.link }],
            },
          ]),
    ],
  };
}
