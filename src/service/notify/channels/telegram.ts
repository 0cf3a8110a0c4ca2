/** Renders alerts as messages of a Telegram bot. */
import { formatAlertError, formatLinkLabel, formatRows, formatTitle, getTone } from '../facts/alert-facts.ts';
import type { Tone } from '../rendering/email-html.ts';
import { escapeMarkup } from '../rendering/markup.ts';
import { asString, type ChannelType, textIn, truncate, validateSetting } from './channel-type.ts';

const SIGNS: Readonly<Record<Tone, string>> = { bad: '🔴', warning: '🟡', good: '🟢', plain: '⚪' };
/** A message has at most 4,096 characters without its tags: https://core.telegram.org/bots/api#sendmessage. */
const MAX_TITLE = 300;
const MAX_ERROR = 1500;
const MAX_ROWS = 14;
const MAX_VALUE = 120;

/** Telegram neither links nor mentions inside of code. */
const code = (tag: 'code' | 'pre', text: string, maxLength: number): string =>
  `<${tag}>${escapeMarkup(truncate(text, maxLength))}</${tag}>`;

export const telegram: ChannelType = {
  render({ apiKey, chatId, messageThreadId }, facts) {
    const error = formatAlertError(facts, MAX_ERROR);
    const topic = asString(messageThreadId);
    const lines = [
      `${SIGNS[getTone(facts)]} ${code('code', formatTitle(facts), MAX_TITLE)}`,
      ...(error === '' ? [] : [code('pre', error, MAX_ERROR)]),
      ...formatRows(facts)
        .slice(0, MAX_ROWS)
        .map(([name, value]) => `<b>${escapeMarkup(name)}</b>: ${code('code', value, MAX_VALUE)}`),
      ...(facts.link === null ? [] : [`<a href="${escapeMarkup(facts.link)}">${formatLinkLabel(facts)}</a>`]),
    ];
    return {
      kind: 'telegram',
      url: `https://api.telegram.org/bot${asString(apiKey)}/sendMessage`,
      payload: {
        chat_id: asString(chatId),
        ...(topic === '' ? {} : { message_thread_id: Number(topic) }),
        text: lines.join('\n'),
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
      },
      secrets: [asString(apiKey)],
    };
  },
  validate: (config) => [
    ...validateSetting(
      config,
      'apiKey',
      /^[\w:-]{1,255}$/,
      'must be the token of a bot, such as 123456:ABC-DEF',
    ),
    ...validateSetting(
      config,
      'chatId',
      /^(?:-?\d{1,20}|@\w{1,64})$/,
      'must be the ID of a chat, such as -1001234567890, or the name of a public channel, such as @alerts',
    ),
    ...validateSetting(config, 'messageThreadId', /^[1-9]\d{0,14}$/, 'must be a positive integer'),
  ],
  readAnswer(body) {
    const { parameters } = (body ?? {}) as {
      parameters?: { retry_after?: unknown; migrate_to_chat_id?: unknown };
    };
    const { retry_after: seconds, migrate_to_chat_id: newId } = parameters ?? {};
    const reason = textIn(body, 'description');
    return {
      // A group that becomes a supergroup gets another ID: https://core.telegram.org/bots/api#responseparameters.
      reason: typeof newId === 'number' ? `${reason}: change chatId to ${newId}` : reason,
      retryAfterMs: typeof seconds === 'number' ? Math.ceil(seconds * 1000) : undefined,
    };
  },
};
