/** Converts probes of blackbox_exporter without an HTTP request: tcp, dns and icmp. */
import { isIP } from 'node:net';
import type { JsonObject } from '../../../../base/object.ts';
import { DNS_RECORD_TYPES } from '../../../../contract/enumerations.ts';
import { type Assertion, latencyAssertion } from '../assertions.ts';
import { certificateCheck } from '../check-parts.ts';
import type { ReportLoss } from '../conversion.ts';
import { readWhole } from '../tracked-source.ts';
import { flagOf, mapOf, mapsOf, splitAddress, textOf } from '../values.ts';
import {
  DEFAULT_TIMEOUT,
  ipFamilyOf,
  limitsOf,
  listOf,
  loseFields,
  type Probe,
  patternAssertions,
  TIMEOUT_MARGIN,
} from './probe.ts';

export function convertTcp(probe: Probe): JsonObject | undefined {
  const { module, target, report } = probe;
  const tcp = mapOf(module.tcp);
  const { hostname, port } = splitAddress(target.replace(/^tcp:\/\//, ''));
  if (port === undefined || Number.isNaN(port)) {
    report('skipped', undefined, `its target has no valid port: ${target}`);
    return undefined;
  }
  loseFields(tcp, 'tcp', report, { source_ip_address: ['changed', 'the location decides the address'] });
  const steps = mapsOf(tcp.query_response);
  if (flagOf(tcp, 'tls', report, { path: 'tcp.tls' })) return convertTls({ hostname, port }, tcp, probe);
  // Without TLS, its settings have no effect; a conversation that starts TLS is reported.
  readWhole(tcp.tls_config);
  const { data, assertions } = conversationOf(steps, report);
  const ipFamily = ipFamilyOf(tcp, 'tcp', report);
  return {
    checkType: 'TCP',
    request: {
      hostname,
      port,
      ...(data === '' ? {} : { data }),
      ...(ipFamily === undefined ? {} : { ipFamily }),
      ...(assertions.length > 0 ? { assertions } : {}),
    },
    ...limitsOf(probe, 5),
  };
}

function convertTls(
  host: { readonly hostname: string; readonly port: number | string },
  tcp: JsonObject,
  probe: Probe,
): JsonObject {
  const { report } = probe;
  const tls = mapOf(tcp.tls_config);
  if (mapsOf(tcp.query_response).length > 0)
    report('paused', 'tcp.query_response', 'a TLS check completes the handshake and exchanges no data');
  const client = ['paused', 'a check has no settings for an authority or a client certificate'] as const;
  loseFields(tls, 'tcp.tls_config', report, { ca_file: client, cert_file: client });
  const serverName = textOf(tls.server_name);
  const ipFamily = ipFamilyOf(tcp, 'tcp', report);
  const { request } = certificateCheck(
    {
      ...host,
      skipsChain: flagOf(tls, 'insecure_skip_verify', report, {
        path: 'tcp.tls_config.insecure_skip_verify',
      }),
    },
    0,
    'fails',
  );
  const { sslConfig } = request as { readonly sslConfig: JsonObject };
  return {
    checkType: 'SSL',
    request: {
      sslConfig: { ...sslConfig, ...(serverName === '' ? {} : { serverName }) },
      ...(ipFamily === undefined ? {} : { ipFamily }),
    },
    ...limitsOf(probe, 30),
  };
}

/** Returns what to send at first, and what the answer must contain. A check does not answer what it received. */
function conversationOf(
  steps: readonly JsonObject[],
  report: ReportLoss,
): { readonly data: string; readonly assertions: readonly Assertion[] } {
  const startsTls = (step: JsonObject) => flagOf(step, 'starttls', report);
  const lastExpected = steps.findLastIndex(
    (step) => 'expect' in step || 'expect_bytes' in step || startsTls(step),
  );
  const relevant = steps.slice(0, lastExpected + 1);
  const firstExpected = relevant.findIndex((step) => 'expect' in step || 'expect_bytes' in step);
  const isConversation = relevant.some(
    (step, at) =>
      startsTls(step) ||
      (at > firstExpected && 'send' in step) ||
      (at === firstExpected && at < lastExpected && 'send' in step),
  );
  if (isConversation) {
    report(
      'paused',
      'tcp.query_response',
      'a TCP check sends data once, and does not answer or start TLS; write a multi-step check',
    );
    return { data: '', assertions: [] };
  }
  const sent = relevant.slice(0, Math.max(firstExpected, 0)).map((step) => `${textOf(step.send)}\n`);
  return {
    data: sent.join(''),
    assertions: relevant.flatMap((step): readonly Assertion[] => {
      if ('expect_bytes' in step)
        return [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target: textOf(step.expect_bytes) }];
      if (!('expect' in step)) return [];
      const options = { field: 'tcp.query_response', report, isLine: true };
      return patternAssertions([textOf(step.expect)], { source: 'RESPONSE_DATA' }, true, options);
    }),
  };
}

export function convertDns(probe: Probe): JsonObject | undefined {
  const { module, target, report } = probe;
  const dns = mapOf(module.dns);
  const recordType = (textOf(dns.query_type) || 'ANY').toUpperCase();
  if (!(DNS_RECORD_TYPES as readonly string[]).includes(recordType)) {
    report('skipped', undefined, `sonde does not query ${recordType} records`);
    return undefined;
  }
  loseFields(dns, 'dns', report, {
    dns_over_tls: ['paused', 'sonde queries over UDP and TCP'],
    validate_authority_rrs: ['paused', 'assertions see the answer section'],
    validate_additional_rrs: ['paused', 'assertions see the answer section'],
    source_ip_address: ['changed', 'the location decides the address'],
  });
  if (!flagOf(dns, 'recursion_desired', report, { fallback: true, path: 'dns.recursion_desired' }))
    report('paused', 'dns.recursion_desired', 'sonde always asks for recursion');
  if (!['', 'IN'].includes(textOf(dns.query_class)))
    report('paused', 'dns.query_class', 'sonde queries the class IN');
  readWhole(dns.tls_config);
  const { hostname, port = 53 } = splitAddress(target.replace(/^dns:\/\//, ''));
  if (hostname === '' || Number.isNaN(port)) {
    report('skipped', undefined, `its target has no valid host and port: ${target}`);
    return undefined;
  }
  const fallsBack = flagOf(dns, 'ip_protocol_fallback', report, {
    fallback: true,
    path: 'dns.ip_protocol_fallback',
  });
  const prefersIp6 = textOf(dns.preferred_ip_protocol) === 'ip6';
  if (isIP(hostname) === 0 && (prefersIp6 || !fallsBack))
    report('changed', 'dns.preferred_ip_protocol', 'the location decides the IP version of the name server');
  return {
    checkType: 'DNS',
    request: {
      query: textOf(dns.query_name).replace(/(?<=.)\.$/, ''),
      recordType,
      nameServer: hostname,
      port,
      ...(textOf(dns.transport_protocol) === 'tcp' ? { protocol: 'TCP' } : {}),
      assertions: [...codeAssertions(dns), ...recordAssertions(mapOf(dns.validate_answer_rrs), report)],
    },
    ...limitsOf(probe, 5),
  };
}

function codeAssertions(dns: JsonObject): readonly Assertion[] {
  const [code = 'NOERROR', ...others] = listOf(dns.valid_rcodes);
  const source = 'RESPONSE_CODE';
  if (others.length === 0) return [{ source, comparison: 'EQUALS', target: code }];
  return [{ source, comparison: 'NOT_NULL', regex: `^(?:${[code, ...others].join('|')})$` }];
}

function recordAssertions(rules: JsonObject, report: ReportLoss): readonly Assertion[] {
  const base = { source: 'TEXT_ANSWER' };
  const options = (field: string) => ({ field: `dns.validate_answer_rrs.${field}`, report, isLine: true });
  const any = listOf(rules.fail_if_none_matches_regexp);
  const every = patternAssertions(
    listOf(rules.fail_if_not_matches_regexp),
    base,
    true,
    options('fail_if_not_matches_regexp'),
  );
  loseFields(rules, 'dns.validate_answer_rrs', report, {
    fail_if_all_match_regexp: ['paused', 'versions of blackbox_exporter disagree about its meaning'],
  });
  return [
    ...patternAssertions(
      listOf(rules.fail_if_matches_regexp),
      base,
      false,
      options('fail_if_matches_regexp'),
    ),
    // Every line has a match.
    ...every.map((assertion) => ({
      ...assertion,
      regex: `\\A(?:[^\\n]*(?:${assertion.regex})[^\\n]*(?:\\n|\\z))*\\z`,
    })),
    ...(any.length === 0
      ? []
      : patternAssertions(
          [any.map((pattern) => `(?:${pattern})`).join('|')],
          base,
          true,
          options('fail_if_none_matches_regexp'),
        )),
  ];
}

/** A probe sends one packet, and waits for it until the timeout. */
export function convertIcmp({ module, target, timeoutSeconds, report }: Probe): JsonObject {
  const icmp = mapOf(module.icmp);
  loseFields(icmp, 'icmp', report, {
    ttl: ['paused', 'sonde does not limit the number of hops'],
    payload_size: ['changed', 'sonde decides the size'],
    dont_fragment: ['changed', 'packets may be fragmented'],
    source_ip_address: ['changed', 'the location decides the address'],
  });
  const ipFamily = ipFamilyOf(icmp, 'icmp', report);
  const isDefault = timeoutSeconds === DEFAULT_TIMEOUT - TIMEOUT_MARGIN;
  return {
    checkType: 'ICMP',
    request: {
      hostname: target,
      pingCount: 1,
      ...(ipFamily === undefined ? {} : { ipFamily }),
      ...(isDefault ? {} : { assertions: [latencyAssertion(Math.round(timeoutSeconds * 1000))] }),
    },
    degradedPacketLossThreshold: 100,
    maxPacketLossThreshold: 100,
  };
}
