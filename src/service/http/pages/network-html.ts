/** Renders the results of URL, API, TCP, ICMP, DNS and heartbeat checks. */

import { formatLongDuration } from '../../../base/format-duration.ts';
import type { JsonObject } from '../../../base/object.ts';
import type { UptimeCheckType } from '../../../contract/check-type-facts.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import { isolationFacts } from './browser-html.ts';
import { renderPhaseBar } from './charts/phase-chart.ts';
import { renderBlock, renderCard, renderInstant, withoutEmpty } from './detail-components.ts';
import { formatBytes } from './format.ts';
import {
  formatCertificate,
  formatChainTrust,
  formatCountedDays,
  formatYesOrNo,
} from './format-certificate.ts';
import { renderHeartbeatDetails } from './heartbeat-html.ts';
import { renderSection } from './layout.ts';
import { phasesOf } from './phases.ts';
import {
  asCount,
  asNumber,
  asObject,
  asObjects,
  asText,
  asTexts,
  type Fact,
  formatMilliseconds,
  renderColumn,
  renderFacts,
  renderTable,
} from './run-components.ts';

/** The phases of checks that send no HTTP. */
const PHASES = [
  ['dns', 'DNS lookup'],
  ['connect', 'Connect'],
  ['tls', 'TLS'],
  ['data', 'Data'],
] as const;

function renderTiming(timing: unknown): Markup | false {
  const milliseconds = asObject(timing);
  const phases = PHASES.map(([name, label]): Fact => [label, formatMilliseconds(milliseconds[name])]);
  return (
    withoutEmpty(phases).length > 0 &&
    renderSection(
      'times',
      'Timing',
      renderCard([...phases, ['Total', formatMilliseconds(milliseconds.total)]]),
    )
  );
}

/** Renders the result of a URL or API check. */
function renderHttpDetails(details: JsonObject): Markup {
  const request = asObject(details.request);
  const response = asObject(details.response);
  const tls = asObject(details.tls);
  const redirects = asObjects(details.redirects);
  const phases = phasesOf('URL', details);
  return html`${renderSection(
    'request',
    'Request',
    renderCard([
      ['Method', asText(request.method)],
      ['URL', asText(request.url)],
      ['Connected to', asText(details.address)],
      ['Proxy', asText(details.proxy)],
      ['TLS', [asText(tls.protocol), asText(tls.cipher)].filter(Boolean).join(', ')],
      ['Certificate', formatCertificate(tls)],
      ['Status', [asNumber(response.status), asText(response.statusText)].filter(Boolean).join(' ')],
      ['Size', response.bytes === undefined ? undefined : formatBytes(asCount(response.bytes))],
    ]),
  )}
${renderBlock('request-body', 'Request body', asText(request.body))}
${phases !== undefined && renderSection('times', 'Timing', html`<div class="card">${renderPhaseBar('Phases of the request', phases, asNumber(asObject(details.timing).total))}</div>`)}
${redirects.length > 0 && renderSection('redirects', 'Redirects', renderRedirects(redirects))}
${renderHeaders('answer-headers', 'Response headers', response.headers)}
${renderBlock('answer-body', response.isBodyCut === true ? 'Response body (truncated)' : 'Response body', asText(response.body))}
${renderScripts(details)}`;
}

const renderRedirects = (redirects: readonly JsonObject[]): Markup =>
  renderTable(
    'Redirects',
    [renderColumn('URL'), renderColumn('Status', true)],
    redirects.map(
      ({ url, status }) => html`<tr><td>${asText(url)}</td><td class="num">${asNumber(status)}</td></tr>`,
    ),
  );

/** A longer name of a header may break. */
const MAX_UNBROKEN_NAME = 28;

function renderHeaders(id: string, title: string, headers: unknown): Markup | false {
  const rows = Object.entries(asObject(headers)).flatMap(([name, value]) => {
    const content = asText(value);
    return content === undefined
      ? []
      : [
          html`<tr><td${name.length <= MAX_UNBROKEN_NAME && html` class="whole"`}>${name}</td><td><code class="lines">${content}</code></td></tr>`,
        ];
  });
  return (
    rows.length > 0 &&
    renderSection(id, title, renderTable(title, [renderColumn('Name'), renderColumn('Value')], rows))
  );
}

function renderScripts(details: JsonObject): Markup | false {
  const all = asObjects(details.scripts);
  if (all.length === 0) return false;
  const lines = all.map(({ phase, names, errors, console: logLines, durationMs }) => {
    const name = phase === 'setup' ? 'Setup:' : 'Teardown:';
    const output = [
      ...asTexts(errors),
      ...asObjects(logLines).flatMap((line) => asText(line.text) ?? []),
    ].join('\n');
    const duration =
      durationMs === undefined || durationMs === null ? '' : `, ${formatLongDuration(asCount(durationMs))}`;
    return html`<div class="stack-s"><p><span class="name">${name}</span> <span class="muted">${asTexts(names).join(', ')}${duration}</span></p>${output !== '' && html`<pre tabindex="0">${output}</pre>`}</div>`;
  });
  return renderSection(
    'scripts',
    'Scripts',
    html`<div class="card stack-s">${lines}${renderFacts(isolationFacts(details))}</div>`,
  );
}

/** Renders the result of a TCP check. */
function renderTcpDetails(details: JsonObject): Markup {
  const request = asObject(details.request);
  const response = asObject(details.response);
  return html`${renderSection(
    'connection',
    'Connection',
    renderCard([
      ['Host', asText(request.hostname)],
      ['Port', asNumber(request.port)?.toString()],
      ['Connected to', asText(details.address)],
      ['Received', response.bytes === undefined ? undefined : formatBytes(asCount(response.bytes))],
      ['Closed by', response.isEnded === true ? 'the server' : undefined],
    ]),
  )}
${renderBlock('sent', 'Sent data', asText(request.data))}
${renderBlock('received', response.isCut === true ? 'Received data (truncated)' : 'Received data', asText(response.data))}
${renderTiming(details.timing)}`;
}

/** Renders the result of an SSL check. */
function renderSslDetails(details: JsonObject): Markup {
  const { hostname, port, serverName } = asObject(asObject(details.request).sslConfig);
  const response = asObject(details.response);
  const certificate = asObject(response.certificate);
  const chain = asObjects(response.chain);
  return html`${renderSection(
    'connection',
    'Connection',
    renderCard([
      ['Host', asText(hostname)],
      ['Port', asNumber(port)?.toString()],
      ['Server name', serverName === hostname ? undefined : asText(serverName)],
      ['Connected to', asText(details.address)],
      ['TLS', [asText(response.tlsVersion), asText(response.cipherSuite)].filter(Boolean).join(', ')],
      ['Name matches', formatYesOrNo(response.hostnameVerified)],
      ['Chain trusted', formatChainTrust(response)],
    ]),
  )}
${
  asText(certificate.validTo) !== undefined &&
  renderSection(
    'certificate',
    'Certificate',
    renderCard([
      ['Subject', asText(certificate.subjectCN)],
      ['Names', asTexts(certificate.sans).join(', ')],
      ['Issuer', asText(certificate.issuerCN)],
      ['Valid from', renderInstant(certificate.validFrom)],
      ['Valid until', renderInstant(certificate.validTo)],
      ['Days left', formatCountedDays(response)],
      [
        'Key',
        [asText(certificate.keyAlgorithm), asNumber(certificate.keySizeBits)].filter(Boolean).join(' '),
      ],
      ['Serial number', asText(certificate.serialNumber)],
      ['Fingerprint (SHA-256)', asText(certificate.fingerprintSha256)],
    ]),
  )
}
${
  chain.length > 0 &&
  renderSection(
    'chain',
    'Certificate chain',
    renderTable(
      'Certificate chain',
      [renderColumn('Subject'), renderColumn('Issuer'), renderColumn('Days left', true)],
      chain.map(
        (issuer) =>
          html`<tr><td>${asText(issuer.subjectCN)}</td><td>${asText(issuer.issuerCN)}</td><td class="num">${asNumber(issuer.daysUntilExpiry)}</td></tr>`,
      ),
    ),
  )
}
${renderBaseline(asObjects(details.securityBaseline))}
${renderTiming(details.timing)}`;
}

/** Renders the rules of a security baseline, each with its violation. */
const renderBaseline = (findings: readonly JsonObject[]): Markup | false =>
  findings.length > 0 &&
  renderSection(
    'baseline',
    'Security baseline',
    renderTable(
      'Security baseline',
      [renderColumn('Rule'), renderColumn('If violated'), renderColumn('Result')],
      findings.map(
        ({ rule, severity, passed, message }) =>
          html`<tr><td>${asText(rule)}</td><td>${severity === 'degrade' ? 'Degraded' : 'Fails'}</td><td>${passed === true ? 'Passed' : asText(message)}</td></tr>`,
      ),
    ),
  );

/** Renders the result of an ICMP check. */
function renderIcmpDetails(details: JsonObject): Markup {
  const request = asObject(details.request);
  const response = asObject(details.response);
  const latency = asObject(response.latency);
  const loss = asNumber(response.packetLoss);
  return html`${renderSection(
    'pings',
    'Pings',
    renderCard([
      ['Host', asText(request.hostname)],
      ['Address', asText(details.address)],
      ['Sent', asNumber(response.packetsSent)?.toString()],
      ['Received', asNumber(response.packetsReceived)?.toString()],
      ['Packet loss', loss === undefined ? undefined : `${loss}%`],
      ['Minimum', formatMilliseconds(latency.min)],
      ['Average', formatMilliseconds(latency.avg)],
      ['Maximum', formatMilliseconds(latency.max)],
      ['Standard deviation', formatMilliseconds(latency.stdDev)],
      ['Jitter', formatMilliseconds(latency.jitter)],
    ]),
  )}`;
}

const asDnsText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Renders the query and the answer of a DNS check; false if it has no details. */
function renderDnsDetails({ dns: details }: JsonObject): Markup | false {
  if (typeof details !== 'object' || details === null) return false;
  const dns = asObject(details);
  const request = asObject(dns.request);
  const timing = asObject(dns.timing);
  const response = asObject(dns.response);
  const chain = Array.isArray(dns.chain) ? dns.chain.flatMap((name) => asDnsText(name) ?? []) : [];
  const queryFacts: Fact[] = [
    ['Name', asDnsText(request.query)],
    ['Record type', asDnsText(request.recordType)],
    ['Name server', asDnsText(dns.resolver)],
    ['Protocol', asDnsText(dns.protocol) ?? asDnsText(request.protocol)],
    ['Response code', asDnsText(response.Status)],
    ['Name server lookup', formatMilliseconds(timing.lookup)],
    ['CNAME chain', chain.length > 1 ? chain.join(' → ') : undefined],
    ['Truncated', dns.truncated === true ? 'Yes, retried over TCP' : undefined],
  ];
  const answer = asDnsText(dns.text);
  return html`${renderSection('question', 'Query', html`<div class="card">${renderFacts(queryFacts)}</div>`)}
${answer !== undefined && renderSection('answer', 'Answer', answer === '' ? html`<p class="card empty">The answer has no records.</p>` : html`<pre tabindex="0">${answer}</pre>`)}`;
}

/** Renderers of details by type. */
export const NETWORK_DETAILS = {
  API: renderHttpDetails,
  DNS: renderDnsDetails,
  HEARTBEAT: renderHeartbeatDetails,
  ICMP: renderIcmpDetails,
  SSL: renderSslDetails,
  TCP: renderTcpDetails,
  URL: renderHttpDetails,
} satisfies Record<UptimeCheckType | 'API' | 'HEARTBEAT', (details: JsonObject) => Markup | false>;
