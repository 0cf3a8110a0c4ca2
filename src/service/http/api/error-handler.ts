/** Answers everything that goes wrong at the door in one shape; what is internal goes to the log alone. */
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UsageError } from '../../../base/errors.ts';
import type { Endpoint } from '../../../contract/index.ts';
import { StorageFull } from '../../store/budgets.ts';
import { DatabaseFault, StoreConflict, UnknownCursor } from '../../store/index.ts';
import { capitalize, conflict, invalid, Problem, problemBody, violation } from './problem.ts';

/** What Fastify refuses by itself, in our words. Anything else of its 4xx keeps its status and loses its text. */
const FASTIFY_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The path contains an invalid percent-encoding',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be sent as application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body does not match its content-length',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large',
};

const INSUFFICIENT_STORAGE = 507;

/** The refusal that an error stands for; 500 where it is none. */
export function toProblem(error: Error & Partial<FastifyError>): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnknownCursor) {
    return invalid([violation('query', ['nextId'], 'cursor', 'must be the nextId of a previous page')]);
  }
  if (error instanceof UsageError) return new Problem(400, error.message, { cause: error });
  // Two requests met: what one named, the other took or deleted.
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

/** A client that waits for the database asks again after so long, in seconds. */
const RETRY_AFTER_S = '1';

/**
 * 503 for a fault of the database. Only where nothing was stored, for sure, a client is invited to ask again: one that cannot
 * know may start twice what it wants once.
 */
export const databaseProblem = (fault: DatabaseFault, isSurelyNotStored: boolean): Problem =>
  new Problem(
    503,
    isSurelyNotStored
      ? `${capitalize(fault.message)}. Nothing was stored. Try again`
      : `${capitalize(fault.message)}. The change may have been stored. Check before you retry`,
    { cause: fault, ...(isSurelyNotStored ? { headers: { 'retry-after': RETRY_AFTER_S } } : {}) },
  );

function sendProblem(problem: Problem, reply: FastifyReply): FastifyReply {
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(problemBody(problem.status, problem.message, problem.attributes)));
}

/** Fastify's error handler. */
export function handleError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  // That there is no room is said once, as it begins.
  if (problem.status >= 500 && problem.status !== INSUFFICIENT_STORAGE) {
    request.log.error({ err: error }, 'request failed');
  }
  return sendProblem(problem, reply);
}

/** The methods of each path of the contract, to tell 405 from 404. */
function createPathTable(endpoints: readonly Endpoint[]) {
  const rows = new Map<string, { readonly matches: RegExp; readonly methods: string[] }>();
  for (const { path, method } of endpoints) {
    const row = rows.get(path) ?? {
      matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      methods: [],
    };
    row.methods.push(method);
    rows.set(path, row);
  }
  return [...rows.values()];
}

/** Unknown routes: 405 with `Allow` where the path is known under other methods, else 404. */
export function registerNotFoundHandler(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const table = createPathTable(endpoints);
  app.setNotFoundHandler((request, reply) => {
    const path = (request.raw.url ?? '').split('?')[0] ?? '';
    const methods = table.filter(({ matches }) => matches.test(path)).flatMap((row) => row.methods);
    const problem =
      methods.length > 0
        ? new Problem(405, `This path does not support ${request.method}`, {
            headers: { allow: [...new Set(methods)].sort().join(', ') },
          })
        : new Problem(404, 'Route not found');
    return sendProblem(problem, reply);
  });
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
};

/** A client that was refused may read why for so long, in ms. Longer it need not stay: it takes the place of others. */
const LINGER_MS = 1000;

/** What is no HTTP never reaches Fastify: answered on the bare socket, in the same shape, and hung up on. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? [400, 'The request is not valid HTTP'];
  const body = problemBody(status, message);
  const text = JSON.stringify(body);
  // Node leaves a connection half-open until the client closes it, too.
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(lingering));
  socket.end(
    [
      `HTTP/1.1 ${status} ${body.error}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(text)}`,
      'connection: close',
      '',
      text,
    ].join('\r\n'),
  );
}
