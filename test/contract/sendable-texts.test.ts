/** Texts that no run could send or contact: refused when a check or a group is saved, with the place and the reason. */
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import {
  createApiCheck,
  createCheckGroup,
  createDnsCheck,
  createIcmpCheck,
  createSslCheck,
  createTcpCheck,
  createUrlCheck,
  updateApiCheck,
} from '../../src/contract/index.ts';
import { placeText, violationsOf } from '../../src/contract/validate.ts';
import { applyChange } from '../../src/service/http/api/document-resource.ts';

const find = (endpoint: Endpoint, body: object) =>
  violationsOf(endpoint, { body: { name: 'a', ...body } }, 0).map(
    ({ path, message }) => `${placeText(path)} ${message}`,
  );
const findInUrl = (url: string, endpoint: Endpoint = createApiCheck) => find(endpoint, { request: { url } });

describe('a URL', () => {
  it.each([
    'https://shop.example/a b?q={{Q}}#top',
    'http://[2001:db8::1]:8080/',
    'http://user:p%40ss@shop.example:65535',
    'https://bücher.example/ä',
    '{{BASE}}/health',
    'https://{{HOST}}:{{PORT}}/',
    'https://shop.{{TLD}}/',
    '/health',
    '',
  ])('of an API check may be %j', (url) => {
    expect(findInUrl(url)).toEqual([]);
  });

  it.each([
    ['http://shop.example:99999/', 'must have a port from 1 to 65535'],
    ['http://{{HOST}}:0/', 'must have a port from 1 to 65535'],
    ['http://user@[::1]:70000', 'must have a port from 1 to 65535'],
    ['http://my shop.example/', 'must not contain spaces in its host'],
    ['https://', 'must be an HTTP URL such as https://example.com/path'],
    ['https://shop<.example/', 'must be an HTTP URL such as https://example.com/path'],
    ['http://1.2.3.999/', 'must be an HTTP URL such as https://example.com/path'],
    ['ftp://shop.example/', 'must be an HTTP URL such as https://example.com/path'],
    ['https://shop.example/{{A}}\n/b', 'must not contain line breaks or other control characters'],
    ['/health\tcheck', 'must not contain line breaks or other control characters'],
  ])('must not be %j', (url, message) => {
    expect(findInUrl(url)).toEqual([`request.url ${message}`]);
  });

  it('of a URL check has no variables', () => {
    expect(findInUrl('https://{{HOST}}/', createUrlCheck)).toEqual([]);
    expect(findInUrl('https://shop.example:99999/', createUrlCheck)).toEqual([
      'request.url must have a port from 1 to 65535',
    ]);
  });
});

it('names each header that cannot be sent, of checks and of groups', () => {
  const headers = [
    { key: 'X-Good', value: 'tab\tand ümlaut {{V}}' },
    { key: '', value: '' },
    { key: 'X Bad', value: 'a' },
    { key: 'X-Split', value: 'a\r\nX-Other: b' },
    { key: 'X-Snow', value: '☃' },
    { key: 'X-Lines', value: 'ends with one\n' },
  ];
  const found = [
    'headers[2].key must be a header name, which has only letters, digits and characters such as - and _',
    'headers[3].value must not contain line breaks or other control characters',
    'headers[4].value must contain only Latin-1 characters, as HTTP requires: encode other characters',
  ];
  expect(find(createApiCheck, { request: { url: '/', headers } })).toEqual(
    found.map((one) => `request.${one}`),
  );
  expect(find(createCheckGroup, { apiCheckDefaults: { headers } })).toEqual(
    expect.arrayContaining(found.map((one) => `apiCheckDefaults.${one}`)),
  );
});

it.each([
  'mail.example',
  'bücher.example',
  '192.0.2.1',
  '2001:db8::1',
  '[2001:db8::1]',
  'my_host',
  'fe80::1%eth0',
])('accepts the host %j', (hostname) => {
  expect(find(createTcpCheck, { request: { hostname, port: 25 } })).toEqual([]);
});

it.each([
  ['mail.example:25', 'must be only the host, without a port'],
  ['-f', 'must be a host name or IP address, without scheme, path or spaces'],
  ['mail.example;id', 'must be a host name or IP address, without scheme, path or spaces'],
  ['me@mail.example', 'must be a host name or IP address, without scheme, path or spaces'],
])('refuses the host %j', (hostname, message) => {
  expect(find(createTcpCheck, { request: { hostname, port: 25 } })).toEqual([`request.hostname ${message}`]);
  expect(find(createIcmpCheck, { request: { hostname } })).toEqual([`request.hostname ${message}`]);
  const sslConfig = { hostname: 'mail.example', serverName: hostname };
  expect(find(createSslCheck, { request: { sslConfig } })).toEqual([
    `request.sslConfig.serverName ${message}`,
  ]);
});

it('refuses name servers and queries that no resolver takes', () => {
  const judge = (request: object) => find(createDnsCheck, { request, heartbeat: {}, script: '' });
  const ask = (nameServer: string) => judge({ query: 'example.com', nameServer, port: 53 });
  for (const good of ['192.0.2.53', '2001:db8::53', '[2001:db8::53]:53', 'dns.example'])
    expect(ask(good)).toEqual([]);
  for (const bad of ['https://dns.example/dns-query', 'a b', '[192.0.2.1]'])
    expect(ask(bad)).toEqual(['request.nameServer must be host, host:port or [address]:port']);
  expect(ask('dns.example:70000')).toEqual(['request.nameServer must have a port from 1 to 65535']);
  expect(judge({ query: 'a..example' })).toEqual(['request.query must not contain an empty label']);
  expect(judge({ query: `${'x'.repeat(64)}.example` })).toEqual([
    'request.query must have at most 63 characters in a label, the limit of DNS',
  ]);
  expect(judge({ query: '_dmarc.example.com.' })).toEqual([]);
});

it('lets a stored check with such a text be changed elsewhere, but not there', () => {
  const url = 'http://shop.example:99999/';
  const before = { name: 'a', request: { url }, muted: false };
  expect(applyChange(createApiCheck, before, { muted: true }, 0)).toMatchObject({ muted: true });
  expect(() => applyChange(createApiCheck, before, { request: { url: `${url}b` } }, 0)).toThrow();
  expect(violationsOf(updateApiCheck, { params: {}, body: { request: { url } } }, 0)).toHaveLength(2);
});
