/** What a DNS check asked and was answered. Details are read as they were stored: a field may be missing. */
import { html, type Markup, type Value } from '../../notify/rendering/markup.ts';
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
    ['Name and type', [text(request.query), text(request.recordType)].filter(Boolean).join(' ')],
    ['Name server', text(dns.resolver)],
    ['Protocol', text(dns.protocol) ?? text(request.protocol)],
    ['Response code', text(response.Status)],
    ['Name server lookup', milliseconds(timing.lookup)],
    ['Response time', milliseconds(timing.total)],
    ['CNAME chain', chain.length > 1 ? chain.join(' → ') : undefined],
    ['Truncated', dns.truncated === true ? 'Yes, retried over TCP' : undefined],
  ];
  const known = told.filter((pair): pair is readonly [string, Value] => pair[1] !== undefined);
  const answer = text(dns.text);
  return html`${section('question', 'Query', html`<div class="card">${facts(known)}</div>`)}
${answer !== undefined && section('answer', 'Answer', answer === '' ? html`<p class="card empty">The answer has no records.</p>` : html`<pre tabindex="0">${answer}</pre>`)}`;
}
