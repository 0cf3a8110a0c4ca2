/** What a check over the network asked and what came back: URL, API, TCP and ICMP checks, and heartbeats. */
import { formatDuration } from '../../notify/rendering/format-duration.ts';
import { html, type Markup, type Value } from '../../notify/rendering/markup.ts';
import { isolationFacts } from './browser-html.ts';
import { count, type Fields, fields, list, milliseconds, number, text, texts } from './details.ts';
import { column, facts, section, table } from './run-parts.ts';
import { sizeWords, time } from './words.ts';

type Fact = readonly [string, Value | undefined];

const known = (told: readonly Fact[]): (readonly [string, Value])[] =>
  told.filter((pair): pair is readonly [string, Value] => pair[1] !== undefined && pair[1] !== '');
const card = (told: readonly Fact[]): Markup => html`<div class="card">${facts(known(told))}</div>`;
const block = (id: string, title: string, content: string | undefined): Markup | false =>
  content !== undefined && section(id, title, html`<pre tabindex="0">${content}</pre>`);

/** What the run noticed by the way. */
const notes = (details: Fields): Markup | false => {
  const all = texts(details.notes);
  return all.length > 0 && html`<div class="card stack-s">${all.map((note) => html`<p>${note}</p>`)}</div>`;
};

const PHASES = [
  ['dns', 'DNS lookup'],
  ['connect', 'Connect'],
  ['tls', 'TLS'],
  ['firstByte', 'First byte'],
  ['data', 'Data'],
  ['download', 'Download'],
] as const;

/** Where the time went. */
function times(timing: unknown): Markup | false {
  const of = fields(timing);
  const told = PHASES.map(([name, words]): Fact => [words, milliseconds(of[name])]);
  return (
    known(told).length > 0 && section('times', 'Timing', card([...told, ['Total', milliseconds(of.total)]]))
  );
}

/** A URL or API check. */
export function httpParts(details: Fields): Markup {
  const request = fields(details.request);
  const response = fields(details.response);
  const tls = fields(details.tls);
  const redirects = list(details.redirects);
  const days = number(tls.daysLeft);
  return html`${section(
    'request',
    'Request',
    card([
      ['Method', text(request.method)],
      ['URL', text(request.url)],
      ['Connected to', text(details.address)],
      ['Proxy', text(details.proxy)],
      ['TLS', [text(tls.protocol), text(tls.cipher)].filter(Boolean).join(', ')],
      ['Certificate', text(tls.problem) ?? (days === undefined ? undefined : `${days} days left`)],
      ['Status', [number(response.status), text(response.statusText)].filter(Boolean).join(' ')],
      ['Size', response.bytes === undefined ? undefined : sizeWords(count(response.bytes))],
    ]),
  )}
${block('request-body', 'Request body', text(request.body))}
${times(details.timing)}
${redirects.length > 0 && section('redirects', 'Redirects', redirectTable(redirects))}
${headerTable('answer-headers', 'Response headers', response.headers)}
${block('answer-body', response.isBodyCut === true ? 'Response body (truncated)' : 'Response body', text(response.body))}
${scriptParts(details)}
${notes(details)}`;
}

const redirectTable = (hops: readonly Fields[]): Markup =>
  table(
    'Redirects',
    [column('URL'), column('Status', true)],
    hops.map(({ url, status }) => html`<tr><td>${text(url)}</td><td class="num">${number(status)}</td></tr>`),
  );

function headerTable(id: string, title: string, headers: unknown): Markup | false {
  const rows = Object.entries(fields(headers)).flatMap(([name, value]) => {
    const shown = text(value);
    return shown === undefined
      ? []
      : [html`<tr><td>${name}</td><td><code class="lines">${shown}</code></td></tr>`];
  });
  return rows.length > 0 && section(id, title, table(title, [column('Name'), column('Value')], rows));
}

/** What the scripts around a request printed, and why they failed. */
function scriptParts(details: Fields): Markup | false {
  const all = list(details.scripts);
  if (all.length === 0) return false;
  const lines = all.map(({ phase, names, errors, console: printed, durationMs }) => {
    const words = phase === 'setup' ? 'Setup' : 'Teardown';
    const said = [...texts(errors), ...list(printed).flatMap((line) => text(line.text) ?? [])].join('\n');
    const took =
      durationMs === undefined || durationMs === null ? '' : `, ${formatDuration(count(durationMs))}`;
    return html`<div><p><span class="name">${words}</span> <span class="muted">${texts(names).join(', ')}${took}</span></p>${said !== '' && html`<pre tabindex="0">${said}</pre>`}</div>`;
  });
  return section(
    'scripts',
    'Scripts',
    html`<div class="card stack-s">${lines}${facts(isolationFacts(details))}</div>`,
  );
}

/** A TCP check. */
export function tcpParts(details: Fields): Markup {
  const request = fields(details.request);
  const response = fields(details.response);
  return html`${section(
    'connection',
    'Connection',
    card([
      ['Host', text(request.hostname)],
      ['Port', number(request.port)?.toString()],
      ['Connected to', text(details.address)],
      ['Received', response.bytes === undefined ? undefined : sizeWords(count(response.bytes))],
      ['Closed by', response.isEnded === true ? 'the server' : undefined],
    ]),
  )}
${block('sent', 'Sent data', text(request.data))}
${block('received', response.isCut === true ? 'Received data (truncated)' : 'Received data', text(response.data))}
${times(details.timing)}
${notes(details)}`;
}

/** An ICMP check. */
export function icmpParts(details: Fields): Markup {
  const request = fields(details.request);
  const response = fields(details.response);
  const latency = fields(response.latency);
  const loss = number(response.packetLoss);
  return html`${section(
    'pings',
    'Pings',
    card([
      ['Host', text(request.hostname)],
      ['Address', text(details.address)],
      ['Sent', number(response.packetsSent)?.toString()],
      ['Received', number(response.packetsReceived)?.toString()],
      ['Packet loss', loss === undefined ? undefined : `${loss}%`],
      ['Minimum', milliseconds(latency.min)],
      ['Average', milliseconds(latency.avg)],
      ['Maximum', milliseconds(latency.max)],
      ['Standard deviation', milliseconds(latency.stdDev)],
      ['Jitter', milliseconds(latency.jitter)],
    ]),
  )}
${notes(details)}`;
}

const instant = (value: unknown): Markup | undefined => {
  const at = Date.parse(text(value) ?? '');
  return Number.isNaN(at) ? undefined : time(at, true);
};

/** A heartbeat. */
export function heartbeatParts(details: Fields): Markup {
  const isPing = details.event === 'PING';
  return section(
    'ping',
    isPing ? 'Ping' : 'Missed ping',
    card([
      ['Time', isPing ? instant(details.pingedAt) : 'Not received'],
      ['Previous ping', instant(details.lastPingAt) ?? (isPing ? 'None' : undefined)],
      ['Due by', instant(details.dueAt)],
      [
        'Sender',
        isPing ? [text(details.method), text(details.userAgent)].filter(Boolean).join(', ') : undefined,
      ],
    ]),
  );
}
