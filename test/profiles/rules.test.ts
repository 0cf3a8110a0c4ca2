/** What a base URL, a header and a name may be. */
import { expect, test } from 'vitest';
import { findNearest } from '../../src/base/suggest.ts';
import { dataFolders } from '../../src/profiles/folders.ts';
import { isExposed, parseBaseUrl, validateHeaderName, validateName } from '../../src/profiles/rules.ts';

test.each([
  ['https://API.Example.COM', 'https://api.example.com'],
  ['https://api.example.com:443/', 'https://api.example.com'],
  ['https://api.example.com/base//', 'https://api.example.com/base'],
  ['HTTP://127.1:4100', 'http://127.0.0.1:4100'],
  ['https://api.example.com/a/../b', 'https://api.example.com/b'],
])('the base URL %s is kept as %s', (text, value) => {
  expect(parseBaseUrl(text)).toEqual({ value });
});

test.each([
  'api.example.com',
  'localhost:4100',
  'ftp://example.com',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://',
  'https://user:hunter2@example.com',
  'https://hunter2@example.com',
  'https://@example.com',
  'https:///hunter2@example.com',
  'https://example.com?key=hunter2',
  'https://example.com/#hunter2',
  'https://example.com?',
  'https://good.example.com\\@evil.example.com',
  'https://exa mple.com',
  'https://example.com\n',
])('the base URL %j is refused without being repeated', (text) => {
  const judged = parseBaseUrl(text);
  expect(judged).toHaveProperty('problem');
  expect(JSON.stringify(judged)).not.toContain('hunter2');
});

test.each([
  ['http://127.0.0.1:4100', false],
  ['http://127.8.9.10', false],
  ['http://[::1]:4100', false],
  ['http://localhost', false],
  ['https://example.com', false],
  ['http://example.com', true],
  ['http://10.0.0.1', true],
  ['http://0.0.0.0', true],
  ['http://127.0.0.1.example.com', true],
  ['http://localhost.example.com', true],
  ['http://[::ffff:10.0.0.1]', true],
])('that %s would expose a key is %s', (url, exposed) => {
  expect(isExposed(url)).toBe(exposed);
});

test.each(['x-service-account', 'X-Other', 'account'])('the account may travel in %s', (name) => {
  expect(validateHeaderName(name)).toBeUndefined();
});

test.each([
  'Authorization',
  'HOST',
  'content-length',
  'transfer-encoding',
  'a b',
  'a:b',
  'a\r\nb',
  '',
  ':path',
])('the account must not travel in %j', (name) => {
  expect(validateHeaderName(name)).toBeDefined();
});

test.each(['', 'a b', 'a/b', '../x', 'é', 'x'.repeat(65), 'a\n'])('%j is no profile name', (name) => {
  expect(validateName(name)).toBeDefined();
});

test('the nearest name is told only where it is near', () => {
  expect(findNearest('prodution', ['production', 'staging'])).toBe('production');
  expect(findNearest('apikey', ['apiKey', 'baseUrl'])).toBe('apiKey');
  expect(findNearest('zzzz', ['production', 'staging'])).toBeUndefined();
  expect(findNearest('x', [])).toBeUndefined();
});

test('folders follow the XDG variables where those are absolute', () => {
  const env = { XDG_CONFIG_HOME: '/etc/mine', XDG_STATE_HOME: 'relative', XDG_CACHE_HOME: '' };
  expect(dataFolders(env, '/home/ada')).toEqual({
    config: '/etc/mine/sonde',
    state: '/home/ada/.local/state/sonde',
    data: '/home/ada/.local/share/sonde',
    cache: '/home/ada/.cache/sonde',
  });
});
