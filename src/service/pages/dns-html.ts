/** What a DNS check asked and was answered. Details are read as they were stored: a field may be missing. */
import { html, type Markup, type Value } from '../markup/markup.ts';
import { fields, milliseconds } from './details.ts';
import { facts, section } from './run-parts.ts';

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Nothing where the result is of no DNS check. */
export function dnsParts(details: unknown): Markup | false {
  if (typeof details !== 'object' || details === null) return false;
  const dns = fields(details);
  const request = fields(dns.request);
  const timing = fields(dns.timing);
  const response = fields(dns.response);
  const chain = Array.isArray(dns.chain) ? dns.chain.flatMap((name) => text(name) ?? []) : [];
  const told: (readonly [string, Value | undefined])[] = [
    ['Question', [text(request.query), text(request.recordType)].filter(Boolean).join(' ')],
    ['Asked', text(dns.resolver)],
    ['By', text(dns.protocol) ?? text(request.protocol)],
    ['Response code', text(response.Status)],
    ['Lookup of the server', milliseconds(timing.lookup)],
    ['Time of the answer', milliseconds(timing.total)],
    ['Aliases', chain.length > 1 ? chain.join(' → ') : undefined],
    ['Truncated', dns.truncated === true ? 'Yes, asked again over TCP' : undefined],
  ];
  const known = told.filter((pair): pair is readonly [string, Value] => pair[1] !== undefined);
  const answer = text(dns.text);
  return html`${section('question', 'Question', html`<div class="card">${facts(known)}</div>`)}
${answer !== undefined && section('answer', 'Answer', answer === '' ? html`<p class="card empty">The answer holds no record.</p>` : html`<pre tabindex="0">${answer}</pre>`)}`;
}
