/** One request over sockets that never get as far as a request. */
import { expect, it, onTestFinished } from 'vitest';
import { describeFault } from '../../src/client/describe-fault.ts';
import { openDispatcher } from '../../src/client/dispatcher.ts';
import { exchange } from '../../src/client/exchange.ts';
import { serveSockets, serveWith } from '../support/http.ts';

const request = (origin: string) => ({
  method: 'GET',
  url: new URL('/v1/x', origin),
  headers: {},
  body: undefined,
});

it.each(['a service that never shakes hands', 'a proxy that never answers'])(
  'gives up on %s after the connect time-out, sure that nothing was sent',
  async (which) => {
    const silent = await serveSockets(() => {});
    const origin = which.includes('proxy') ? 'https://api.test' : `https://localhost:${silent.port}`;
    const env = which.includes('proxy') ? { HTTPS_PROXY: silent.url } : {};
    const dispatcher = await openDispatcher(new URL(origin), env);
    onTestFinished(() => dispatcher.destroy());
    const limits = { connectTimeoutMs: 60, answerTimeoutMs: 60_000, maxBytes: 1000 };
    const result = await exchange(dispatcher, request(origin), limits);
    expect(result).toMatchObject({ kind: 'fault', reason: 'connect-timeout', sent: false });
    if (result.kind === 'fault')
      expect(describeFault(result, { origin, proxy: undefined }, limits)).toMatchObject({
        message: `cannot connect to ${origin}: no connection within 10 s`,
        neverSent: true,
        permanent: false,
      });
  },
);

it('reads on past an interim answer', async () => {
  const server = await serveWith((_request, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</x>; rel=preload' });
    response.end('{}');
  });
  const dispatcher = await openDispatcher(new URL(server.url), {});
  onTestFinished(() => dispatcher.destroy());
  const limits = { connectTimeoutMs: 10_000, answerTimeoutMs: 10_000, maxBytes: 1000 };
  const result = await exchange(dispatcher, request(server.url), limits);
  expect(result).toMatchObject({ kind: 'answer', status: 200 });
});
