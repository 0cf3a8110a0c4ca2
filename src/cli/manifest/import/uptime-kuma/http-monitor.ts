/** Converts monitors of Uptime Kuma that send an HTTP request: http, keyword and json-query. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { API_METHODS } from '../../../../contract/enumerations.ts';
import { MAX_REDIRECTS } from '../../../../runners/http/redirect.ts';
import { type Assertion, orderOf, statusAssertions } from '../assertions.ts';
import { timeoutOf } from '../check-parts.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { basicAuthOf, headersOf, httpCheckOf, splitUrl, withoutSecrets } from '../http-parts.ts';
import { layered } from '../tracked-source.ts';
import { flagOf, jsonOf, numberOf, type Row, textOf } from './tables.ts';

const MAX_TIMEOUT_SECONDS = 30;

/** Returns the fields of the check. Undefined: it cannot be converted, and the reason is reported. */
export function convertHttp(
  row: Row,
  name: string,
  conversion: Conversion,
  report: ReportLoss,
): JsonObject | undefined {
  const method = (textOf(row, 'method') || 'GET').toUpperCase();
  if (!(API_METHODS as readonly string[]).includes(method)) {
    report('skipped', undefined, `sonde does not send ${method} requests`);
    return undefined;
  }
  const { url, basicAuth } = splitUrl(textOf(row, 'url'), conversion, name);
  const body = bodyOf(row, name, conversion);
  const auth = authOf(row, name, conversion, report);
  const own = headersOf(ownHeaders(row, report), conversion, name);
  const has = (header: string) => own.some(({ key }) => String(key).toLowerCase() === header);
  const headers = [
    ...own,
    ...auth.headers.filter(({ key }) => !has(String(key).toLowerCase())),
    ...(body.contentType === undefined || has('content-type')
      ? []
      : [{ key: 'Content-Type', value: body.contentType }]),
  ];
  reportLostSettings(row, report);
  const seconds = numberOf(row, 'timeout') || numberOf(row, 'interval', 60) * 0.8;
  return {
    ...httpCheckOf({
      method,
      url,
      headers,
      ...body.fields,
      basicAuth: auth.basicAuth ?? basicAuth,
      followRedirects: numberOf(row, 'maxredirects', MAX_REDIRECTS) > 0,
      skipSSL: flagOf(row, 'ignore_tls'),
      ipFamily: textOf(row, 'ip_family') === 'ipv6' ? 'IPv6' : undefined,
      assertions: [...statusAssertions(acceptedCodes(row)), ...contentAssertions(row, report)],
    }),
    ...timeoutOf(seconds, MAX_TIMEOUT_SECONDS, report),
  };
}

/** Returns whether a status code is in one of the accepted ranges: `["200-299", "401"]`. */
export function acceptedCodes(row: Row): (code: number) => boolean {
  const written = jsonOf(row, 'accepted_statuscodes_json');
  const ranges = (Array.isArray(written) ? written : ['200-299']).map((text: unknown) =>
    String(text)
      .split('-')
      .map((part) => Number.parseInt(part, 10)),
  );
  return (code) => ranges.some(([from = Number.NaN, to = from]) => code >= from && code <= to);
}

function contentAssertions(row: Row, report: ReportLoss): readonly Assertion[] {
  switch (textOf(row, 'type')) {
    case 'keyword': {
      const comparison = flagOf(row, 'invert_keyword') ? 'NOT_CONTAINS' : 'CONTAINS';
      return [{ source: 'TEXT_BODY', comparison, target: textOf(row, 'keyword') }];
    }
    case 'json-query':
      return jsonAssertions(row, report);
    default:
      return [];
  }
}

/** A path of names and indexes, which means the same in JSONata and in JSONPath. */
const PLAIN_PATH = /^(?:\$\.?)?(?:[A-Za-z_][\w-]*|`[^`]+`)?(?:\.(?:[A-Za-z_]\w*|`[^`]+`)|\[\d+\])*$/;

const COMPARISONS: Readonly<Record<string, string>> = {
  '': 'EQUALS',
  '==': 'EQUALS',
  '!=': 'NOT_EQUALS',
  contains: 'CONTAINS',
};

function jsonAssertions(row: Row, report: ReportLoss): readonly Assertion[] {
  const written = textOf(row, 'json_path').trim();
  const operator = textOf(row, 'json_path_operator');
  const target = textOf(row, 'expected_value');
  const isOrder = /^[<>]=?$/.test(operator) && target.trim() !== '' && Number.isFinite(Number(target));
  const comparison = COMPARISONS[operator];
  if (!PLAIN_PATH.test(written)) {
    report(
      'paused',
      'json query',
      `the JSONata expression ${written} is more than a path; write an assertion with a JSONPath`,
    );
    return [];
  }
  if (comparison === undefined && !isOrder) {
    report('paused', 'json query', `no comparison ${operator} ${target}`);
    return [];
  }
  const path = written.replace(/^\$\.?/, '').replace(/`([^`]+)`/g, (_, name: string) => `["${name}"]`);
  const property = path === '' ? '$' : path.startsWith('[') ? `$${path}` : `$.${path}`.replaceAll('.[', '[');
  return [
    {
      source: 'JSON_BODY',
      property,
      ...(comparison === undefined ? orderOf(operator, Number(target)) : { comparison, target }),
    },
  ];
}

function bodyOf(row: Row, name: string, conversion: Conversion) {
  const body = withoutSecrets(textOf(row, 'body'), conversion, name, 'body');
  if (body.trim() === '') return { fields: {} };
  const encoding = textOf(row, 'http_body_encoding') || 'json';
  if (encoding === 'xml')
    return { fields: { body, bodyType: 'RAW' }, contentType: 'text/xml; charset=utf-8' };
  return { fields: { body, bodyType: encoding === 'form' ? 'FORM' : 'JSON' } };
}

function ownHeaders(row: Row, report: ReportLoss): readonly (readonly [string, string])[] {
  const written = textOf(row, 'headers').trim();
  if (written === '') return [];
  const headers = jsonOf(row, 'headers');
  if (isObject(headers)) return Object.entries(headers).map(([key, value]) => [key, String(value)]);
  report('paused', 'headers', 'the headers are not a JSON object');
  return [];
}

const OAUTH_COLUMNS = ['auth_method', 'client_id', 'client_secret', 'token_url', 'scopes', 'audience'].map(
  (name) => `oauth_${name}`,
);

/** Reads columns that the loss of the authentication names together. */
const readColumns = (row: Row, columns: readonly string[]): void => {
  for (const column of columns) textOf(row, column);
};

interface Authentication {
  readonly basicAuth?: JsonObject;
  readonly headers: readonly JsonObject[];
}

function authOf(row: Row, name: string, conversion: Conversion, report: ReportLoss): Authentication {
  const method = textOf(row, 'auth_method');
  switch (method) {
    case '':
    case 'null':
      // Versions before 1.18 have no method.
      return textOf(row, 'basic_auth_user') !== '' && !('auth_method' in row)
        ? authOf(layered({ auth_method: 'basic' }, row), name, conversion, report)
        : { headers: [] };
    case 'basic':
      return {
        headers: [],
        basicAuth: basicAuthOf(
          textOf(row, 'basic_auth_user'),
          textOf(row, 'basic_auth_pass'),
          conversion,
          name,
        ),
      };
    case 'bearer': {
      const token = conversion.secret(textOf(row, 'bearer_token'), name, 'token');
      return { headers: [{ key: 'Authorization', value: `Bearer ${token}`, locked: true }] };
    }
    case 'mtls':
      readColumns(row, ['tls_cert', 'tls_key', 'tls_ca']);
      report(
        'paused',
        'authentication',
        'client certificates are not part of the files; add it with: sonde client-certificates create',
      );
      return { headers: [] };
    case 'oauth2-cc':
      readColumns(row, OAUTH_COLUMNS);
      report(
        'paused',
        'authentication',
        'sonde does not request OAuth tokens; fetch the token in a setup script',
      );
      return { headers: [] };
    default:
      readColumns(row, ['basic_auth_user', 'basic_auth_pass', 'auth_domain', 'auth_workstation']);
      report('paused', 'authentication', `sonde does not support the method ${method}`);
      return { headers: [] };
  }
}

function reportLostSettings(row: Row, report: ReportLoss): void {
  if (numberOf(row, 'proxy_id') > 0)
    report('changed', 'proxy', 'the check connects without a proxy; run it in a private location behind one');
  const redirects = numberOf(row, 'maxredirects', MAX_REDIRECTS);
  if (redirects > 0 && redirects !== MAX_REDIRECTS)
    report('changed', 'maxredirects', `${redirects} became ${MAX_REDIRECTS}`);
  if (flagOf(row, 'cache_bust')) report('changed', 'cache busting', 'sonde adds no random query parameter');
}
