/** Renders alerts as messages of ntfy, on the public server or another one. */
import { isUrl } from '../../../base/parse-url.ts';
import { formatAlertError, formatRows, formatTitle, getTone } from '../facts/alert-facts.ts';
import type { Tone } from '../rendering/email-html.ts';
import {
  asString,
  type ChannelType,
  textIn,
  truncate,
  validateKey,
  validateSetting,
} from './channel-type.ts';
import { validateUrl } from './webhook.ts';

const PUBLIC_SERVER = 'https://ntfy.sh';
/** Clients show these tags as emoji. */
const TAGS: Readonly<Record<Tone, string>> = {
  bad: 'rotating_light',
  warning: 'warning',
  good: 'white_check_mark',
  plain: 'information_source',
};
const DEFAULT_PRIORITY = 3;
/** ntfy turns a longer message into an attachment: https://docs.ntfy.sh/publish/#limitations. */
const MAX_BYTES = 4096;
const MAX_ERROR = 600;
/** The list of a bundle: with the rows it has at most MAX_BYTES in any script. */
const MAX_LIST = 900;
const MAX_VALUE = 200;

/** Truncates a text to a number of bytes at a whole character. */
function truncateBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  return bytes
    .subarray(0, maxBytes - 3)
    .toString()
    .replace(/\ufffd+$/, '')
    .concat('…');
}

export const ntfy: ChannelType = {
  render({ url, topic, token, priority }, facts) {
    const tone = getTone(facts);
    const chosen = Number(asString(priority) || DEFAULT_PRIORITY + 1);
    const rows = formatRows(facts).map(([name, value]) => `${name}: ${truncate(value, MAX_VALUE)}`);
    const error = formatAlertError(facts, MAX_LIST);
    const text = facts.bundle === undefined ? truncate(error, MAX_ERROR) : error;
    const lines = [...(error === '' ? [] : [text, '']), ...rows];
    return {
      kind: 'ntfy',
      url: asString(url) || PUBLIC_SERVER,
      headers: asString(token) === '' ? {} : { authorization: `Bearer ${asString(token)}` },
      payload: {
        topic: asString(topic),
        title: truncate(formatTitle(facts), 250),
        message: truncateBytes(lines.join('\n'), MAX_BYTES),
        priority: tone === 'bad' ? chosen : Math.min(chosen, DEFAULT_PRIORITY),
        tags: [TAGS[tone]],
        ...(facts.link === null ? {} : { click: facts.link }),
      },
      secrets: [asString(token), asString(topic)],
    };
  },
  validate: (config) => [
    ...validateUrl(config),
    ...validateSetting(
      config,
      'url',
      (text) => !isUrl(text) || new URL(text).pathname === '/',
      'must be the URL of the server without a path: set the topic with topic',
    ),
    ...validateSetting(
      config,
      'topic',
      /^[\w-]{1,64}$/,
      'must have 1 to 64 letters, digits, hyphens and underscores',
    ),
    ...validateKey(config, 'token'),
    ...validateSetting(config, 'priority', /^[1-5]$/, 'must be a number from 1 to 5'),
  ],
  readAnswer: (body) => ({ reason: textIn(body, 'error') }),
};
