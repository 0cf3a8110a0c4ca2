/** Renders alerts as e-mails. */
import { parseEmailHost } from '../../../base/addresses.ts';
import {
  type AlertFacts,
  formatAlertError,
  formatRows,
  formatTitle,
  getTone,
} from '../alerts/alert-facts.ts';
import type { EmailMessage } from '../outbox/message.ts';
import { renderEmailHtml, renderQuote, renderRows } from '../rendering/email-html.ts';
import { html } from '../rendering/markup.ts';
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

const MAX_ERROR_LENGTH = 4000;
const MAX_SUBJECT_LENGTH = 200;
const SENT_BY =
  'You receive this e-mail because your address is an alert channel of the check. Sent by sonde.';

export function renderEmail(facts: AlertFacts): Pick<EmailMessage, 'subject' | 'text' | 'html'> {
  const title = formatTitle(facts);
  const error = truncate(formatAlertError(facts), MAX_ERROR_LENGTH);
  const rows = formatRows(facts);
  const { link } = facts;
  return {
    subject: truncate(title, MAX_SUBJECT_LENGTH),
    text: renderText(title, error, rows, link),
    html: renderEmailHtml({
      title,
      tone: getTone(facts),
      main: html`${error !== '' && renderQuote(error)}${renderRows(rows)}`,
      link: link === null ? null : { label: 'Open the result', url: link },
      footer: html`${SENT_BY}`,
    }),
  };
}

function renderText(
  title: string,
  error: string,
  rows: ReturnType<typeof formatRows>,
  link: string | null,
): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}`);
  const result = link === null ? '' : `Open the result:\n${link}`;
  const parts = [title, error, lines.join('\n'), result].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n\n-- \n${SENT_BY}\n`;
}
