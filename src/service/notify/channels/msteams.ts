/** Renders alerts as Adaptive Cards for Microsoft Teams, over the webhook of a workflow. */
import { formatAlertError, formatLinkLabel, formatRows, formatTitle, getTone } from '../facts/alert-facts.ts';
import type { Tone } from '../rendering/email-html.ts';
import { asString, type ChannelType, textIn, truncate } from './channel-type.ts';
import { validateUrl } from './webhook.ts';

const STYLES: Readonly<Record<Tone, string>> = {
  bad: 'attention',
  warning: 'warning',
  good: 'good',
  plain: 'default',
};
/**
 * Lengths that keep the message below 28 KB in any script, the limit of Teams:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook.
 */
const MAX_ERROR = 2000;
const MAX_VALUE = 250;

/** What a connector answers with status 200 when Teams did not take the message; otherwise it answers 1. */
const REFUSAL = /message delivery failed|returned HTTP error/i;
const TEMPORARY_STATUS = /HTTP error (?:408|429|5\d\d)\b/i;

/** Returns a block of texts without Markdown: names and messages cannot format, link or mention. */
const block = (...inlines: readonly object[]) => ({
  type: 'RichTextBlock',
  inlines: inlines.map((run) => ({ type: 'TextRun', ...run })),
});

export const msteams: ChannelType = {
  render({ url }, facts) {
    const error = formatAlertError(facts);
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [
        {
          type: 'Container',
          style: STYLES[getTone(facts)],
          bleed: true,
          items: [block({ text: truncate(formatTitle(facts), 300), size: 'Large', weight: 'Bolder' })],
        },
        ...(error === '' ? [] : [block({ text: truncate(error, MAX_ERROR), fontType: 'Monospace' })]),
        ...formatRows(facts).map(([name, value]) =>
          block({ text: `${name}: `, weight: 'Bolder' }, { text: truncate(value, MAX_VALUE) }),
        ),
      ],
      actions:
        facts.link === null
          ? []
          : [{ type: 'Action.OpenUrl', title: formatLinkLabel(facts), url: facts.link }],
    };
    const attachment = {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content,
    };
    return {
      kind: 'msteams',
      url: asString(url),
      payload: { type: 'message', attachments: [attachment] },
    };
  },
  validate: validateUrl,
  readAnswer(body) {
    const text = asString(body);
    const isRefused = REFUSAL.test(text);
    return {
      reason: isRefused ? text : textIn((body as { error?: unknown } | null)?.error, 'message'),
      isRefused,
      isTemporary: isRefused && TEMPORARY_STATUS.test(text),
    };
  },
};
