/** An alert as an e-mail: a text for those who read it so, and HTML that needs nothing from elsewhere. */
import type { EmailMessage } from '../outbox/index.ts';
import { type AlertFacts, isRecovery, rowsOf, titleOf } from './facts.ts';
import { inHtml } from './template.ts';

const LONGEST_ERROR = 4000;
const MAIN = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';

function colourOf({ kind }: AlertFacts): string {
  if (isRecovery(kind)) return '#15692f';
  return kind === 'ALERT_FAILURE' || kind === 'ALERT_FAILURE_REMAIN' || kind === 'ALERT_DEGRADED_FAILURE'
    ? '#b3261e'
    : '#8a5a00';
}

export function emailOf(facts: AlertFacts): Pick<EmailMessage, 'subject' | 'text' | 'html'> {
  const title = titleOf(facts);
  const error = facts.run && !isRecovery(facts.kind) ? facts.run.error.slice(0, LONGEST_ERROR) : '';
  const rows = rowsOf(facts);
  return {
    subject: title.slice(0, 200),
    text: textOf(title, error, rows, facts.link),
    html: htmlOf(title, error, rows, facts),
  };
}

type Rows = ReturnType<typeof rowsOf>;

function textOf(title: string, error: string, rows: Rows, link: string | null): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}`);
  const parts = [title, error, lines.join('\n'), link ?? ''].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n\n-- \nSent by sonde. Who is told is set by the alert channels of the check.\n`;
}

function htmlOf(title: string, error: string, rows: Rows, facts: AlertFacts): string {
  const colour = colourOf(facts);
  const cells = rows
    .map(
      ([name, value]) =>
        `<tr><th scope="row" style="text-align:left;vertical-align:top;padding:4px 16px 4px 0;color:#555;font-weight:normal;white-space:nowrap">${inHtml(name)}</th><td style="padding:4px 0;overflow-wrap:anywhere">${inHtml(value)}</td></tr>`,
    )
    .join('');
  const message =
    error === ''
      ? ''
      : `<pre style="margin:0 0 16px;padding:12px;background:#f4f4f5;border-radius:6px;font-size:14px;white-space:pre-wrap;overflow-wrap:anywhere">${inHtml(error)}</pre>`;
  const button =
    facts.link === null
      ? ''
      : `<p style="margin:20px 0 0"><a href="${inHtml(facts.link)}" style="display:inline-block;padding:10px 18px;background:#1f2937;color:#ffffff;border-radius:6px;text-decoration:none">Open the result</a></p>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${inHtml(title)}</title></head>
<body style="margin:0;padding:24px;background:#ffffff;color:#1a1a1a;${MAIN};font-size:16px;line-height:1.5">
<div style="max-width:600px;margin:0 auto;border-top:4px solid ${colour};padding-top:16px">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;color:${colour};overflow-wrap:anywhere">${inHtml(title)}</h1>
${message}<table role="presentation" style="border-collapse:collapse;width:100%">${cells}</table>
${button}<p style="margin:28px 0 0;color:#666;font-size:13px">Sent by sonde. Who is told is set by the alert channels of the check.</p>
</div></body></html>
`;
}
