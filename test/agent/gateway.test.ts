/** What stands between an agent and its service may answer for it: that costs no result, and ends no agent. */
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { leave } from '../support/left-files.ts';
import { stage } from './scene.ts';
import { PASSED } from './support.ts';

const { service, scene, until } = stage();

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Forwards to the service, but answers the given number of requests to these paths itself. */
async function gateway(answer: Answer, path: RegExp, times: number): Promise<string> {
  let left = times;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (path.test(request.url ?? '') && left > 0) {
      left -= 1;
      response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
      return;
    }
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const own = new AbortController();
    response.on('close', () => own.abort());
    const forwarded = await fetch(`${service().url}${request.url}`, {
      ...{ method: request.method ?? 'GET', signal: own.signal },
      headers: { authorization, 'content-type': type },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    }).catch(() => undefined);
    if (forwarded === undefined) return void response.destroy();
    response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await forwarded.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = (status: number, message: string): Answer => ({
  ...{ status, type: 'application/json' },
  body: JSON.stringify({ message }),
});

it.each([
  [{ status: 404, type: 'text/plain', body: 'default backend - 404' }],
  [json(404, 'no Route matched with those values')],
  [{ status: 405, type: 'text/html', body: '<h1>Method Not Allowed</h1>' }],
  [{ status: 403, type: 'text/html', body: '<h1>Forbidden</h1>' }],
  [{ status: 400, type: 'text/html', body: '<h1>Bad Request</h1>' }],
])('a result is handed in whole after a gateway has said %o of it', async (answer) => {
  const { start, agent, spool, recorded } = await scene();
  await agent({ url: await gateway(answer, /\/report$/, 3) });
  await until(await start(), 'PASSED');
  expect((await recorded())?.errors).toBe('[]');
  await eventually(async () => expect(await readdir(spool)).toEqual([]));
});

it('what a gateway takes no more of is handed in as its verdict alone', async () => {
  const { start, agent, recorded } = await scene();
  await agent({
    url: await gateway({ status: 413, type: 'text/html', body: '<h1>Too large</h1>' }, /\/report$/, 1),
  });
  await until(await start(), 'PASSED');
  expect((await recorded())?.errors).toContain('the service rejected the result details');
});

it.each([
  [{ status: 404, type: 'text/plain', body: 'default backend - 404' }],
  [{ status: 403, type: 'text/html', body: '<h1>Forbidden</h1>' }],
])(
  'an agent that is started before its service stands behind the gateway waits for it: %o',
  async (answer) => {
    const { start, agent } = await scene();
    await agent({ url: await gateway(answer, /\/announce$/, 3) });
    await until(await start(), 'PASSED');
  },
);

it('a file that never comes together in the service costs its result no more than that', async () => {
  const { start, agent, recorded } = await scene();
  const contents = Buffer.alloc(1_500_000, 'trace');
  const left = { kind: 'trace', name: 'trace.zip', contentType: 'application/zip', contents } as const;
  await agent({
    run: async (_, context) => ({ ...PASSED, artifacts: await leave(context, [left]) }),
    // As where another service is asked each time, which has none of it.
    url: await gateway(
      { status: 200, type: 'application/json', body: '{"bytes":0}' },
      /\/v1\/agents\/artifacts\//,
      1000,
    ),
  });
  await until(await start(), 'PASSED');
  expect((await recorded())?.details).toContain('several instances run without a shared folder');
});
