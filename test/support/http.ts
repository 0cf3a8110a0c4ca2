/** Loopback servers for tests: a script of answers over HTTP, or bare sockets for what no HTTP server would do. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An answer: an object or a list is sent as JSON, a text as it is. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
}
/** One step of a script: an answer, or what to do with the request. */
export type Step = ScriptedAnswer | ((request: SeenRequest, response: ServerResponse) => void);

export interface TestServer {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
}

async function listen(server: Server): Promise<AddressInfo> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address() as AddressInfo;
}

/** Writes an answer of a script. */
export function answer(response: ServerResponse, { status = 200, headers = {}, body }: ScriptedAnswer): void {
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  const type = typeof body === 'object' ? { 'content-type': 'application/json; charset=utf-8' } : {};
  response.writeHead(status, { ...type, ...headers }).end(text);
}

async function read(message: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const { method = '', url = '', headers } = message;
  return { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
}

/** Starts a server that hands each request to `respond`. It ends with the test. */
export async function serveWith(
  respond: (request: SeenRequest, response: ServerResponse) => void,
  make: (listener: RequestListener) => Server & { closeAllConnections(): void } = createServer,
): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const server = make((message, response) => {
    read(message).then(
      (request) => {
        requests.push(request);
        respond(request, response);
      },
      () => response.destroy(),
    );
  });
  const { port } = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, port, requests };
}

/**
 * Starts a server that answers by a script, one step a request. A request beyond the script fails the test, and so does a
 * step that nobody asked for.
 */
export async function serve(...script: readonly Step[]): Promise<TestServer> {
  let used = 0;
  onTestFinished(() => expect(used, 'requests of the script').toBe(script.length));
  return serveWith((request, response) => {
    const step = script[used++];
    if (!step) answer(response, { status: 501, body: 'beyond the script' });
    else if (typeof step === 'function') step(request, response);
    else answer(response, step);
  });
}

/** Starts a server of bare sockets. It ends with the test. */
export async function serveSockets(
  onSocket: (socket: Socket, number: number) => void,
): Promise<{ readonly url: string; readonly port: number; readonly sockets: readonly Socket[] }> {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onSocket(socket, sockets.length);
  });
  const { port } = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, port, sockets };
}
