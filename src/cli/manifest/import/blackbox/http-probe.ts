/** Converts probes of blackbox_exporter that send an HTTP request. */
import type { JsonObject } from '../../../../base/object.ts';
import { API_METHODS } from '../../../../contract/enumerations.ts';
import { type Assertion, statusAssertions } from '../assertions.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { basicAuthOf, headersOf, httpCheckOf, splitUrl, withoutSecrets } from '../http-parts.ts';
import { flagOf, mapOf, mapsOf, textOf } from '../values.ts';
import { ipFamilyOf, limitsOf, listOf, loseFields, type Probe, patternAssertions } from './probe.ts';

export function convertHttp(probe: Probe): JsonObject | undefined {
  const { module, name, conversion, report } = probe;
  const http = mapOf(module.http);
  const method = (textOf(http.method) || 'GET').toUpperCase();
  if (!(API_METHODS as readonly string[]).includes(method)) {
    report('skipped', undefined, `sonde does not send ${method} requests`);
    return undefined;
  }
  const target = /^https?:\/\//i.test(probe.target) ? probe.target : `http://${probe.target}`;
  const { url, basicAuth: ownAuth } = splitUrl(target, conversion, name);
  const codes = listOf(http.valid_status_codes).map(Number);
  const headers = [
    ...headersOf(headerPairs(http, report), conversion, name),
    ...authorizationOf(http, name, conversion),
  ];
  const isJson = headers.some(
    ({ key, value }) => /^content-type$/i.test(String(key)) && /json/i.test(String(value)),
  );
  const basic = mapOf(http.basic_auth);
  const follows =
    flagOf(http, 'follow_redirects', report, { fallback: true, path: 'http.follow_redirects' }) &&
    !flagOf(http, 'no_follow_redirects', report, { path: 'http.no_follow_redirects' });
  reportHttp(http, report);
  reportTransport(http, target, follows, report);
  return {
    ...httpCheckOf({
      method,
      url,
      headers,
      body: withoutSecrets(textOf(http.body), conversion, name, 'body'),
      bodyType: isJson ? 'JSON' : 'RAW',
      basicAuth:
        'username' in basic
          ? basicAuthOf(textOf(basic.username), textOf(basic.password), conversion, name)
          : ownAuth,
      followRedirects: follows,
      skipSSL: flagOf(mapOf(http.tls_config), 'insecure_skip_verify', report, {
        path: 'http.tls_config.insecure_skip_verify',
      }),
      ipFamily: ipFamilyOf(http, 'http', report),
      assertions: [
        ...statusAssertions((code) =>
          codes.length === 0 ? code >= 200 && code < 300 : codes.includes(code),
        ),
        ...bodyAssertions(http, report),
        ...headerAssertions(http, report),
      ],
    }),
    ...limitsOf(probe, 30),
  };
}

const FILES = 'sonde does not read the file; write the value';

function reportHttp(http: JsonObject, report: ReportLoss): void {
  const client = [
    'paused',
    'client certificates and authorities are not part of the files; add them with: sonde client-certificates create',
  ] as const;
  loseFields(mapOf(http.tls_config), 'http.tls_config', report, {
    ca_file: client,
    cert_file: client,
    server_name: ['paused', 'the check verifies the name of the URL'],
    min_version: ['changed', 'the check accepts every version of TLS that Node.js accepts'],
  });
  loseFields(mapOf(http.basic_auth), 'http.basic_auth', report, {
    username_file: ['paused', FILES],
    password_file: ['paused', FILES],
  });
  loseFields(mapOf(http.authorization), 'http.authorization', report, {
    credentials_file: ['paused', FILES],
  });
  loseFields(http, 'http', report, {
    oauth2: ['paused', 'sonde does not request OAuth tokens; fetch the token in a setup script'],
    body_file: ['paused', FILES],
    bearer_token_file: ['paused', FILES],
    fail_if_body_json_matches_cel: ['paused', 'write an assertion with a JSONPath'],
    fail_if_body_json_not_matches_cel: ['paused', 'write an assertion with a JSONPath'],
    proxy_url: ['changed', 'the check connects without a proxy; run it in a private location behind one'],
    body_size_limit: ['changed', 'sonde has its own limit'],
    enable_http3: ['changed', 'the check uses HTTP/1.1'],
  });
}

/** Reports conditions on the protocol, unless the check meets them anyway. */
function reportTransport(http: JsonObject, target: string, follows: boolean, report: ReportLoss): void {
  const versions = listOf(http.valid_http_versions);
  const isSecure = /^https:/i.test(target);
  const isFixed = !follows;
  if (versions.length > 0 && !versions.includes('HTTP/1.1'))
    report('paused', 'http.valid_http_versions', 'the check uses HTTP/1.1');
  if (flagOf(http, 'fail_if_ssl', report, { path: 'http.fail_if_ssl' }) && (isSecure || !isFixed))
    report('paused', 'http.fail_if_ssl', 'a check cannot fail because of TLS');
  if (!flagOf(http, 'fail_if_not_ssl', report, { path: 'http.fail_if_not_ssl' })) return;
  if (!isSecure) report('paused', 'http.fail_if_not_ssl', 'use a URL with https');
  else if (!isFixed)
    report('changed', 'http.fail_if_not_ssl', 'the check also passes after a redirect to a URL without TLS');
}

function headerPairs(http: JsonObject, report: ReportLoss): readonly (readonly [string, string])[] {
  const others = Object.entries(mapOf(http.http_headers)).flatMap(([name, header]) => {
    const { values, secrets, files } = mapOf(header);
    if (files !== undefined) report('paused', `http.http_headers.${name}`, FILES);
    return [...listOf(values), ...listOf(secrets)].slice(-1).map((value) => [name, value] as const);
  });
  return [
    ...Object.entries(mapOf(http.headers)).map(([name, value]) => [name, textOf(value)] as const),
    ...others,
  ];
}

function authorizationOf(http: JsonObject, name: string, conversion: Conversion): readonly JsonObject[] {
  const { type, credentials } = mapOf(http.authorization);
  const token = textOf(credentials ?? http.bearer_token);
  if (token === '') return [];
  const value = `${textOf(type) || 'Bearer'} ${conversion.secret(token, name, 'token')}`;
  return [{ key: 'Authorization', value, locked: true }];
}

const BODY = { source: 'TEXT_BODY' };

const bodyAssertions = (http: JsonObject, report: ReportLoss): readonly Assertion[] => [
  ...patternAssertions(listOf(http.fail_if_body_matches_regexp ?? http.fail_if_matches_regexp), BODY, false, {
    field: 'http.fail_if_body_matches_regexp',
    report,
  }),
  ...patternAssertions(
    listOf(http.fail_if_body_not_matches_regexp ?? http.fail_if_not_matches_regexp),
    BODY,
    true,
    {
      field: 'http.fail_if_body_not_matches_regexp',
      report,
    },
  ),
];

/** A header that must not match is missing or does not match; without `allow_missing` it must exist. */
function headerAssertions(http: JsonObject, report: ReportLoss): readonly Assertion[] {
  const matching = mapsOf(http.fail_if_header_matches ?? http.fail_if_header_matches_regexp).flatMap(
    (spec) => {
      const base = { source: 'HEADERS', property: textOf(spec.header) };
      const exists = flagOf(spec, 'allow_missing', report) ? [] : [{ ...base, comparison: 'NOT_NULL' }];
      const field = 'http.fail_if_header_matches';
      return [...exists, ...patternAssertions([textOf(spec.regexp)], base, false, { field, report })];
    },
  );
  const required = mapsOf(http.fail_if_header_not_matches ?? http.fail_if_header_not_matches_regexp).flatMap(
    (spec) => {
      const base = { source: 'HEADERS', property: textOf(spec.header) };
      const field = 'http.fail_if_header_not_matches';
      if (!flagOf(spec, 'allow_missing', report))
        return patternAssertions([textOf(spec.regexp)], base, true, { field, report });
      report('paused', field, `the header ${base.property} may be missing, which an assertion cannot say`);
      return [];
    },
  );
  return [...matching, ...required];
}
