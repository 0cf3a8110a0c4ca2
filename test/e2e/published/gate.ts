/** A gate before the service, which stands for a deployment: it lets requests through, or answers them itself. */
import type { ServerResponse } from 'node:http';
import {
  answer,
  type ScriptedAnswer,
  type SeenRequest,
  serveWith,
  type TestServer,
} from '../../support/http.ts';
import type { World } from '../world.ts';

/** Passes a request on to the service, and its answer back. */
async function pass(
  { service }: World,
  { method, url, headers, body }: SeenRequest,
  response: ServerResponse,
): Promise<void> {
  const { authorization = '' } = headers;
  const type = headers['content-type'];
  const reply = await fetch(`${service.url}${url}`, {
    method,
    headers: { authorization, ...(type === undefined ? {} : { 'content-type': type }) },
    ...(body === '' ? {} : { body }),
  });
  const sent = Buffer.from(await reply.arrayBuffer());
  response
    .writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'text/plain' })
    .end(sent);
}

/** Starts a gate; it ends with the test. `refuse`: the gate's own answer, or undefined to let the request through. */
export const startGate = (
  world: World,
  refuse: (request: SeenRequest) => ScriptedAnswer | undefined,
): Promise<TestServer> =>
  serveWith((request, response) => {
    const refusal = refuse(request);
    if (refusal === undefined) void pass(world, request, response);
    else answer(response, refusal);
  });

/** The environment of a command that uses the gate. */
export const envAt = ({ service }: World, { url }: TestServer): Readonly<Record<string, string>> => ({
  ...service.env,
  ...{ SONDE_BASE_URL: url, SONDE_API_KEY: service.key },
});
