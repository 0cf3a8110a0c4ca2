/** The proxy of a URL, as the usual variables name it. */
import { expect, it } from 'vitest';
import { findProxy } from '../../src/base/proxy.ts';

const proxy = 'http://proxy.test:3128';

it.each([
  ['https://api.test', { HTTPS_PROXY: proxy }, proxy],
  ['https://api.test', { https_proxy: proxy, HTTPS_PROXY: 'http://other' }, proxy],
  ['https://api.test', { HTTP_PROXY: proxy }, undefined],
  ['https://api.test', { HTTPS_PROXY: ' ' }, undefined],
  ['http://api.test', { http_proxy: 'proxy.test:3128' }, proxy],
  ['http://api.test', { HTTP_PROXY: proxy, HTTPS_PROXY: 'http://other' }, proxy],
  ['http://api.test', {}, undefined],
])('of %s with %j is %s', (target, env, expected) => {
  expect(findProxy(new URL(target), env)).toBe(expected);
});

it.each([
  ['https://api.test', '*'],
  ['https://api.test', 'other.test, API.test'],
  ['https://api.test', 'other.test api.test'],
  ['https://api.test', 'api.test:443'],
  ['https://eu.api.test', 'api.test'],
  ['https://eu.api.test', '.api.test'],
  ['https://eu.api.test', '*.api.test'],
  ['http://localhost:8080/', 'localhost'],
  ['http://10.0.0.1:81/', '10.0.0.1:81'],
  ['http://10.1.2.3/', '10.0.0.0/8'],
  ['http://[::1]/', '[::1]'],
  ['http://[::1]/', '::1'],
  ['http://[::1]:3000/', '[::1]:3000'],
  ['http://[fd00::7]/', 'fd00::/8'],
])('of %s is none where NO_PROXY is %s', (target, NO_PROXY) => {
  expect(findProxy(new URL(target), { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY })).toBeUndefined();
});

it.each([
  ['https://myapi.test', 'api.test'],
  ['https://api.test:8443', 'api.test:443'],
  ['http://10.0.0.1/', '10.0.0.1:81'],
  ['http://11.0.0.1/', '10.0.0.0/8'],
  ['http://11.0.0.1/', '0.0.1'],
  ['http://11.0.0.1/', '11.0.0.0/99'],
  ['http://api.test/', ''],
])('of %s remains where NO_PROXY is %s', (target, NO_PROXY) => {
  expect(findProxy(new URL(target), { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY })).toBe(proxy);
});
