/** Renders alerts as e-mails. */
import { parseEmailHost } from '../../../base/addresses.ts';
import {
  type AlertFacts,
  formatAlertError,
  formatLinkLabel,
  formatRows,
  formatTitle,
  getTone,
  listAlerts,
} from '../facts/alert-facts.ts';
import type { EmailMessage } from '../facts/message.ts';
import {
  renderEmailHtml,
  renderEntry,
  renderParagraph,
  renderQuote,
  renderRows,
} from '../rendering/email-html.ts';
import { html, type Markup } from '../rendering/markup.ts';
import { asString, type ChannelType, truncate, validateSetting } from './channel-type.ts';

export const email: ChannelType = {
  render: (config, facts) => ({ kind: 'email', to: asString(config.address), ...renderEmail(facts) }),
  validate: (config) =>
    validateSetting(
      config,
      'address',
      (text) => parseEmailHost(text) !== undefined,
      'must be one e-mail address, such as ops@example.com',
    ),
};

/** Of the error message, in the text and above the button of the HTML. */
const MAX_ERROR_LENGTH = 4000;
const MAX_QUOTE_LENGTH = 600;
const MAX_SUBJECT_LENGTH = 200;
const SENT_BY = 'You receive this e-mail because an alert channel has your address. Sent by sonde.';

export function renderEmail(facts: AlertFacts): Pick<EmailMessage, 'subject' | 'text' | 'html'> {
  const title = formatTitle(facts);
  const error = truncate(formatAlertError(facts), MAX_ERROR_LENGTH);
  const rows = formatRows(facts);
  const { link } = facts;
  return {
    subject: truncate(title, MAX_SUBJECT_LENGTH),
    text: renderText(title, error, rows, link === null ? '' : `${formatLinkLabel(facts)}:\n${link}`),
    html: renderEmailHtml({
      title,
      tone: getTone(facts),
      main: renderReason(facts, error),
      link: link === null ? null : { label: formatLinkLabel(facts), url: link },
      details: renderRows(rows),
      footer: html`${SENT_BY}`,
    }),
  };
}

/** Renders the error message, or the checks of a bundle. */
function renderReason({ bundle }: AlertFacts, error: string): Markup | false {
  if (bundle === undefined) return error !== '' && renderQuote(truncate(error, MAX_QUOTE_LENGTH));
  const listed = listAlerts(bundle);
  const more = bundle.alerts.length - listed.length;
  return html`${listed.map(({ name, link, reason }) => renderEntry(name, link, reason))}${more > 0 && renderParagraph(`and ${more} more`, true)}`;
}

function renderText(
  title: string,
  error: string,
  rows: ReturnType<typeof formatRows>,
  result: string,
): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}`);
  const parts = [title, error, lines.join('\n'), result].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n\n-- \n${SENT_BY}\n`;
}
