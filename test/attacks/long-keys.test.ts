/** Wrong keys as long as headers may be: the service refuses them before it hashes them and queries the database. */
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { authenticateRequest } from '../../src/service/http/api/authentication.ts';

it.each([
  ['sk_', 'account'],
  ['pl_', 'agent'],
  ['', 'account'],
] as const)('looks up no key that is longer than any: %s, %s', async (prefix, kind) => {
  const lookedUp: string[] = [];
  const authenticate = async (key: string) => void lookedUp.push(key);
  const app = fastify().get('/', (request) => authenticateRequest(request, authenticate, kind));
  const send = (key: string) => app.inject({ url: '/', headers: { authorization: `Bearer ${key}` } });
  const wrong = `${prefix}${'a'.repeat(43)}`;
  const messages: string[] = [];
  for (const key of [wrong, wrong.padEnd(129, 'a'), wrong.padEnd(12_000, 'a')])
    messages.push((await send(key)).json<{ message: string }>().message);
  expect(messages).toEqual(Array.from({ length: 3 }, () => 'The API key is not valid'));
  expect(lookedUp).toEqual([wrong]);
});
