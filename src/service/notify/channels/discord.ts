/** Renders alerts as embeds for a Discord webhook. */
import { isUrl } from '../../../base/parse-url.ts';
import { formatAlertError, formatLinkLabel, formatRows, formatTitle, getTone } from '../facts/alert-facts.ts';
import type { Tone } from '../rendering/email-html.ts';
import { asString, type ChannelType, textIn, truncate } from './channel-type.ts';
import { validateUrl } from './webhook.ts';

const COLOURS: Readonly<Record<Tone, number>> = {
  bad: 0xd3_2f_2f,
  warning: 0xf9_a8_25,
  good: 0x2e_7d_32,
  plain: 0x60_64_6c,
};
/**
 * An embed has at most 25 fields with values of 1,024 characters, and 6,000 characters in all of its texts:
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits.
 */
const MAX_TITLE = 256;
const MAX_ERROR = 1800;
const MAX_FIELDS = 16;
const MAX_VALUE = 200;

/** Characters of Discord's Markdown, mentions and emoji, and what begins a heading, list or quotation. */
const MARKDOWN = /[\\`*_~|[\]<@]|:(?=\/\/)|^[#>+-]|^\d+(?=\.)/g;

/** Escapes text so that it cannot format, link or mention, and truncates it between two characters. */
function escapeText(text: string, maxLength: number): string {
  const escapeAll = (part: string) =>
    part.replace(MARKDOWN, (match) => (/\d/.test(match) ? `${match}\\` : `\\${match}`));
  const escaped = escapeAll(text);
  return escaped.length <= maxLength ? escaped : escapeAll(truncate(text, Math.floor(maxLength / 2)));
}

/** Returns text as a code block, which it cannot close: each backtick becomes another character of the same length. */
const codeBlock = (text: string): string => `\`\`\`\n${text.replaceAll('`', '\u02cb')}\n\`\`\``;

/**
 * Adds the parameter that makes Discord report messages that it could not save:
 * https://discord.com/developers/docs/resources/webhook#execute-webhook.
 */
function awaitMessage(text: string): string {
  if (!isUrl(text)) return text;
  const url = new URL(text);
  url.searchParams.set('wait', 'true');
  return url.href;
}

/** Discord refuses an embed with the address of a host without a dot, such as localhost: then the text contains it. */
const isLinkable = (link: string): boolean => isUrl(link) && /[^.]\.[^.]/.test(new URL(link).hostname);

export const discord: ChannelType = {
  render({ url }, facts) {
    const { link, at } = facts;
    const error = formatAlertError(facts);
    const description = [
      ...(error === '' ? [] : [codeBlock(truncate(error, MAX_ERROR))]),
      ...(link === null || isLinkable(link) ? [] : [`${formatLinkLabel(facts)}: ${link}`]),
    ].join('\n');
    const embed = {
      title: escapeText(formatTitle(facts), MAX_TITLE),
      color: COLOURS[getTone(facts)],
      ...(description === '' ? {} : { description }),
      ...(link !== null && isLinkable(link) ? { url: link } : {}),
      fields: formatRows(facts)
        .slice(0, MAX_FIELDS)
        .map(([name, value]) => ({ name, value: escapeText(value, MAX_VALUE), inline: value.length < 40 })),
      timestamp: new Date(at).toISOString(),
    };
    return {
      kind: 'discord',
      url: awaitMessage(asString(url)),
      payload: { embeds: [embed], allowed_mentions: { parse: [] } },
    };
  },
  validate: validateUrl,
  readAnswer(body) {
    const { retry_after: seconds } = (body ?? {}) as { retry_after?: unknown };
    return {
      reason: textIn(body, 'message'),
      retryAfterMs: typeof seconds === 'number' ? Math.ceil(seconds * 1000) : undefined,
    };
  },
};
