/** What a registry is asked, and which answers are believed. */
import { expect, test } from 'vitest';
import { fetchLatestVersion } from '../../src/updates/fetch-latest-version.ts';
import { rejection } from '../profiles/support/home.ts';
import { type ScriptedAnswer, serve } from '../support/http.ts';

const OURS = { name: 'sonde', repository: 'https://code.example.com/team/sonde' };
const manifest = (more: object = {}) => ({
  name: 'sonde',
  version: '9.9.9',
  repository: { type: 'git', url: 'git+https://code.example.com/team/sonde.git' },
  ...more,
});

test('one GET, which says nothing of who asks', async () => {
  const registry = await serve({ body: manifest() });
  const env = { SONDE_API_KEY: 'sk-hush', USER: 'ada' };
  expect(await fetchLatestVersion(OURS, `${registry.url}/npm/`, env)).toBe('9.9.9');
  expect(registry.requests).toEqual([
    {
      method: 'GET',
      url: '/npm/sonde/latest',
      headers: {
        host: new URL(registry.url).host,
        connection: 'keep-alive',
        accept: 'application/json',
        'user-agent': 'sonde',
      },
      body: '',
    },
  ]);
});

test('a scoped name is one segment of the path', async () => {
  const registry = await serve({ body: manifest({ name: '@team/sonde' }) });
  expect(await fetchLatestVersion({ ...OURS, name: '@team/sonde' }, registry.url, {})).toBe('9.9.9');
  expect(registry.requests[0]?.url).toBe('/@team%2fsonde/latest');
});

test('the proxy of the environment is asked instead', async () => {
  const proxy = await serve({ body: manifest() });
  expect(await fetchLatestVersion(OURS, 'http://registry.test', { HTTP_PROXY: proxy.url })).toBe('9.9.9');
  expect(proxy.requests[0]?.url).toBe('http://registry.test/sonde/latest');
});

test.each<readonly [string, ScriptedAnswer]>([
  [
    'a package of the same name from elsewhere',
    { body: manifest({ repository: 'https://evil.example.com/sonde' }) },
  ],
  ['a package without a repository', { body: manifest({ repository: undefined }) }],
  ['another package', { body: manifest({ name: 'sonde2' }) }],
  ['a pre-release', { body: manifest({ version: '10.0.0-beta.1' }) }],
  ['a version that is none', { body: manifest({ version: '9.9.9\u001b[2J; rm -rf ~' }) }],
  ['a refusal', { status: 404, body: manifest() }],
  ['a redirect', { status: 302, headers: { location: 'https://evil.example.com' }, body: manifest() }],
])('nothing is told of %s', async (_, answer) => {
  const registry = await serve(answer);
  expect(await fetchLatestVersion(OURS, registry.url, {})).toBeUndefined();
});

test('what is no registry is an error, which its process keeps to itself', async () => {
  const registry = await serve({ body: '<html>sign in</html>' }, { body: `"${'x'.repeat(1_100_000)}"` });
  expect(await rejection(fetchLatestVersion(OURS, registry.url, {}))).toBeInstanceOf(SyntaxError);
  expect(await rejection(fetchLatestVersion(OURS, registry.url, {}))).toBeInstanceOf(Error);
});
