/** Sends every error in one format. Internal details go only to the log. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UsageError } from '../../../base/errors.ts';
import type { Endpoint } from '../../../contract/index.ts';
import { StorageFull } from '../../store/budgets.ts';
import { DatabaseFault, StoreConflict, UnknownCursor } from '../../store/index.ts';
import { endWithLinger, stopReading } from '../server/close-socket.ts';
import { missingFeature } from './missing-features.ts';
import { capitalize, conflict, invalid, Problem, problemBody, violation } from './problem.ts';

/** Messages for errors of Fastify. Its other 4xx errors keep their status, but not their message. */
const FASTIFY_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The path contains an invalid percent-encoding',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be sent as application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body does not match its content-length',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large',
};

const INSUFFICIENT_STORAGE = 507;

/** Returns the `Problem` for an error: 500 for an unexpected one. */
export function toProblem(error: Error & Partial<FastifyError>): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnknownCursor) {
    return invalid([violation('query', ['nextId'], 'cursor', 'must be the nextId of a previous page')]);
  }
  if (error instanceof UsageError) return new Problem(400, error.message, { cause: error });
  // Two concurrent requests conflicted: one changed or deleted a resource that the other uses.
  if (error instanceof StoreConflict)
    return conflict('The resource was changed by another request. Read it again and retry');
  if (error instanceof DatabaseFault) return databaseProblem(error, !error.mayHaveActed);
  if (error instanceof StorageFull) return new Problem(INSUFFICIENT_STORAGE, error.message);
  if (error.code === 'ENOSPC')
    return new Problem(INSUFFICIENT_STORAGE, 'The disk of the service is full: free disk space', {
      cause: error,
    });
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) {
    return new Problem(500, 'Internal error: see the log of the service', { cause: error });
  }
  return new Problem(status, FASTIFY_MESSAGES[error.code ?? ''] ?? 'The request is malformed', {
    cause: error,
  });
}

/** Time after which a client may retry while the database is unavailable, in seconds. */
const RETRY_AFTER_S = '1';

/**
 * Returns a 503 for a database fault. It suggests a retry only if certainly nothing was stored, because another attempt
 * could start a session twice.
 */
export const databaseProblem = (fault: DatabaseFault, isSurelyNotStored: boolean): Problem =>
  new Problem(
    503,
    isSurelyNotStored
      ? `${capitalize(fault.message)}. Nothing was stored. Try again`
      : `${capitalize(fault.message)}. The change may have been stored. Check before you retry`,
    { cause: fault, ...(isSurelyNotStored ? { headers: { 'retry-after': RETRY_AFTER_S } } : {}) },
  );

const JSON_TYPE = 'application/json; charset=utf-8';

function sendProblem(problem: Problem, reply: FastifyReply): FastifyReply {
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .type(JSON_TYPE)
    .send(
      JSON.stringify({
        ...problemBody(problem.status, problem.message, problem.attributes),
        ...(problem.code === undefined ? {} : { errorCode: problem.code }),
      }),
    );
}

export function handleError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  // Full storage is logged once, when it begins.
  if (problem.status >= 500 && problem.status !== INSUFFICIENT_STORAGE) {
    request.log.error({ err: error }, 'request failed');
  }
  return sendProblem(problem, reply);
}

/** Returns the methods of each path of the contract, to tell 405 from 404. */
function createPathTable(endpoints: readonly Endpoint[]) {
  const rows = new Map<string, { readonly matches: RegExp; readonly methods: string[] }>();
  for (const { path, method } of endpoints) {
    const row = rows.get(path) ?? {
      matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
      methods: [],
    };
    row.methods.push(method);
    rows.set(path, row);
  }
  return [...rows.values()];
}

/**
 * Handles unknown routes, before their body is read: 501 for a feature that this service lacks, 405 with `Allow` if the
 * path has other methods, else 404.
 */
export function registerNotFoundHandler(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const table = createPathTable(endpoints);
  const unknownRoute = ({ raw, method }: FastifyRequest): Problem => {
    const path = (raw.url ?? '').split('?')[0] ?? '';
    const missing = missingFeature(path);
    if (missing !== undefined) return new Problem(501, missing);
    const methods = table.filter(({ matches }) => matches.test(path)).flatMap((row) => row.methods);
    return methods.length > 0
      ? new Problem(405, `This path does not support ${method}`, {
          headers: { allow: [...new Set(methods)].sort().join(', ') },
        })
      : new Problem(404, 'Route not found');
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) sendProblem(unknownRoute(request), reply);
    else done();
  });
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the body are too large'],
};

/** Handles invalid HTTP, which never reaches Fastify: sends an error on the bare socket and closes it. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? [400, 'The request is not valid HTTP'];
  // Node would leave the connection half-open until the client closes it, and read what the client still sends.
  stopReading(socket);
  endWithLinger(socket, formatBareResponse(status, message));
}

/** Refuses a request that never reaches Fastify, after the responses before it. */
export function refuseRequest(response: ServerResponse, status: number, message: string): void {
  const text = JSON.stringify(problemBody(status, message));
  const headers = { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}

/** Formats the response for a connection whose request never reaches Fastify. */
export function formatBareResponse(status: number, message: string, headers: readonly string[] = []): string {
  const body = problemBody(status, message);
  const text = JSON.stringify(body);
  return [
    `HTTP/1.1 ${status} ${body.error}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers,
    'connection: close',
    '',
    text,
  ].join('\r\n');
}
