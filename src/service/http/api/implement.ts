/** Turns endpoints of the contract into routes: what arrives is judged by the contract before a handler sees it. */
import { Readable } from 'node:stream';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { coerceText } from '../../../contract/coerce.ts';
import { withDefaults } from '../../../contract/defaults.ts';
import type * as contract from '../../../contract/index.ts';
import type { BodyOf, Endpoint, ParamsOf, QueryOf, ResponseOf, Violation } from '../../../contract/index.ts';
import { violationsOf } from '../../../contract/validate.ts';
import type { FileDownload } from '../../engine/artifacts/artifact-files.ts';
import { DatabaseFault } from '../../store/index.ts';
import { isUnstorable } from '../server/json-body.ts';
import type { Lasting, Remembered } from '../server/response-cache.ts';
import { databaseProblem } from './errors.ts';
import { type listAnswers, Rows } from './lists.ts';
import { invalid, Problem, violation } from './problem.ts';
import { readQuery } from './query-text.ts';

/** The endpoints by name. */
export type Contract = typeof contract;
export type EndpointName = keyof Contract;

/** Query parameters that the contract gives a default, so that a handler always has them. */
type Defaulted = 'limit' | 'page' | 'autoAssignAlerts' | 'maxWaitSeconds' | 'resultType';
type Filled<Q> = Omit<Q, Defaulted> & Required<Pick<Q, Extract<keyof Q, Defaulted>>>;

/** Who asks. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  /** Of an agent: the private location that its key belongs to. */
  readonly location?: CallerLocation;
}

export interface CallerLocation {
  /** The key that was shown. */
  readonly keyId: string;
  readonly accountId: string;
  readonly locationId: string;
  readonly slugName: string;
  readonly name: string;
  readonly proxyUrl: string | null;
}

/** A file, or a part of one, that is being sent. */
export interface Upload {
  /** How long it says that it is. */
  readonly bytes: number | undefined;
  /** How much its endpoint takes at once, in bytes. */
  readonly most: number;
  /** Read once. Throws `Problem` 413 where there is more than its endpoint takes. */
  readonly parts: AsyncIterable<Uint8Array>;
}

async function* partsOf(sent: Readable, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    // Who stops reading answers all the same.
    for await (const part of sent.iterator({ destroyOnReturn: false })) {
      bytes += (part as Buffer).length;
      if (bytes > most) throw new Problem(413, `The upload is too large: at most ${most} bytes per request`);
      yield part as Buffer;
    }
  } finally {
    // The next request comes behind what is left of this one.
    sent.resume();
  }
}

/** A request as a handler sees it: judged, and its query with defaults. The body is exactly as it was sent. */
interface Call<E extends Endpoint> {
  readonly endpoint: E;
  readonly accountId: string;
  readonly params: ParamsOf<E>;
  readonly query: Filled<QueryOf<E>>;
  readonly body: BodyOf<E>;
  /** Of an endpoint for agents: the private location that asks. Throws where an account does. */
  readonly location: CallerLocation;
  /** Of an endpoint that takes a file: what was sent. Throws where nothing was. */
  readonly upload: Upload;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Adds a header to the answer. */
  readonly header: (name: string, value: string) => void;
}

/** The rows of an answer, where it is a list or a page of one. */
type RowsOf<R> = R extends readonly (infer Row)[]
  ? Rows<Row>
  : R extends { entries: readonly (infer Row)[] }
    ? Rows<Row>
    : never;

/** What a handler answers with: a file goes as it lies there, rows may be read while they are sent. */
type Answered<E> = ResponseOf<E> extends Uint8Array ? FileDownload : ResponseOf<E> | RowsOf<ResponseOf<E>>;

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Answered<E>>;
/** One handler for every endpoint of the contract: leaving one out does not compile. */
export type Handlers = { readonly [N in EndpointName]: Handler<Contract[N]> };

/** The endpoints whose answers may be kept while what they are read from stands. */
export const LASTING: { readonly [N in EndpointName]?: Lasting<ResponseOf<Contract[N]>> } = {
  getCheck: { tables: ['checks', 'alert_subscriptions', 'alert_channels', 'heartbeats'] },
  // An open one tells how long it has taken so far.
  getCheckSession: {
    tables: ['check_sessions', 'results'],
    isSettled: ({ stoppedAt }) => stoppedAt !== null,
  },
};

export interface RouteOptions {
  readonly clock: Clock;
  readonly remembered: Remembered | undefined;
  readonly answerList: ReturnType<typeof listAnswers>;
  /** Throws where the database is full. */
  readonly assertRoom: () => void;
  /** How many writes this process has stored. */
  readonly writes: () => number;
  readonly callerOf: (request: FastifyRequest) => Caller;
  /** Finds out who asks, and refuses who may not. */
  readonly letIn: onRequestHookHandler;
}

function readParams(request: FastifyRequest, endpoint: Endpoint) {
  const violations: Violation[] = [];
  const entries = Object.entries(request.params as Record<string, string>).map(([name, text]) => {
    if (isUnstorable(text))
      violations.push(violation('path', [name], 'nul', 'must not contain a NUL character'));
    const schema = endpoint.params.properties?.[name] ?? {};
    // A UUID is the same in any case; the store knows it in lower case.
    return [name, coerceText(schema.format === 'uuid' ? text.toLowerCase() : text, schema)] as const;
  });
  return { params: Object.fromEntries(entries), violations };
}

const JSON_TYPE = 'application/json; charset=utf-8';

const queryText = (url: string): string => {
  const at = url.indexOf('?');
  return at < 0 ? '' : (url.slice(at + 1).split('#')[0] ?? '');
};

const isNothing = (body: unknown): boolean =>
  body === undefined ||
  body === null ||
  (typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0);

/** The parts of a request, or `Problem` 400 with all that is wrong with them. */
function judged(request: FastifyRequest, endpoint: Endpoint, now: number) {
  const path = readParams(request, endpoint);
  const { query, violations } = readQuery(queryText(request.raw.url ?? ''), endpoint.query);
  const found = [...path.violations, ...violations];
  const { params } = path;
  // What is sent as a file is no body.
  const body: unknown = request.body instanceof Readable ? undefined : request.body;
  if (endpoint.body === undefined && !isNothing(body)) {
    found.push(violation('body', [], 'body', 'is not accepted by this endpoint'));
  }
  found.push(...violationsOf(endpoint, { params, query, ...(endpoint.body ? { body } : {}) }, now));
  if (found.length > 0) throw invalid(found);
  return { params, query: withDefaults(endpoint.query, query), body };
}

/** Aborts when the connection is gone. (Fastify's own signal never aborts once a body has been read.) */
function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

/** What is taken although the database is full: it starts what runs, or tells people of an outage. */
const ALWAYS_TAKEN: readonly string[] = ['check sessions', 'test sessions', 'incidents'];
/** A change of this size, in bytes, is taken although the database is full: so that something can be switched off. */
const SMALL_CHANGE = 64 * 1024;

/** What these store is one transaction: where that failed, nothing was stored. Of others a part may have been. */
const ONE_WRITE: readonly string[] = ['triggerCheckSessions', 'runCheckGroup', 'triggerTestSessions'];

/** Whether what an account asks for makes the database larger. */
const isGrowth = ({ caller, method, success, resource }: Endpoint, { headers }: FastifyRequest): boolean =>
  caller !== 'agent' &&
  method !== 'GET' &&
  method !== 'DELETE' &&
  !ALWAYS_TAKEN.includes(resource) &&
  (success === 201 || !(Number(headers['content-length'] ?? 0) <= SMALL_CHANGE));

/** Registers the route of one endpoint. */
export function implement<E extends Endpoint>(
  app: FastifyInstance,
  endpoint: E,
  handler: Handler<E>,
  options: RouteOptions,
): void {
  const { callerOf, remembered } = options;
  const answer = async (request: FastifyRequest, reply: FastifyReply, key: string) => {
    if (isGrowth(endpoint, request)) options.assertRoom();
    const state = remembered?.state() ?? 0;
    const parts = judged(request, endpoint, options.clock.now());
    const writes = options.writes();
    const response: unknown = await handler({
      endpoint,
      accountId: callerOf(request).accountId,
      // The contract has judged them: from here on they are what their types say.
      params: parts.params as ParamsOf<E>,
      query: parts.query as Filled<QueryOf<E>>,
      body: parts.body as BodyOf<E>,
      // Made where it is asked for: few handlers wait.
      get signal() {
        return whenGone(reply);
      },
      get location() {
        const { location } = callerOf(request);
        if (!location) throw new Error(`${endpoint.name} is for agents, and an account asked`);
        return location;
      },
      get upload() {
        if (!(request.body instanceof Readable)) throw new Problem(400, 'A file is required');
        const length = request.headers['content-length'];
        const { uploadBytes: most = 0 } = endpoint;
        return {
          bytes: length === undefined ? undefined : Number(length),
          most,
          parts: partsOf(request.body, most),
        };
      },
      header: (name, value) => reply.header(name, value),
    }).catch((error: unknown) => {
      if (!(error instanceof DatabaseFault)) throw error;
      const isAlone = endpoint.method === 'GET' || ONE_WRITE.includes(endpoint.name);
      throw databaseProblem(error, !error.mayHaveActed && (isAlone || writes === options.writes()));
    });
    reply.code(endpoint.success);
    // Written here: Fastify would send a text as it stands, and nothing for null.
    if (endpoint.success === 204) return reply.send();
    // Of the type that its handler says; whoever reads it slowly, or goes away, is waited for, or not.
    if (endpoint.file) {
      const { bytes, stream } = response as FileDownload;
      return reply.header('content-length', bytes).send(stream);
    }
    if (response instanceof Rows) {
      const isGone = () => reply.raw.destroyed || reply.raw.writableEnded;
      const answered = await options.answerList(callerOf(request).accountId, response, isGone);
      return reply.type(JSON_TYPE).send(answered);
    }
    const text = JSON.stringify(response);
    remembered?.learn(key, response, text, state);
    return reply.type(JSON_TYPE).send(text);
  };
  const answerAtOnce: RouteHandlerMethod = (request: FastifyRequest, reply: FastifyReply) => {
    if (remembered === undefined) return answer(request, reply, '');
    // What was judged and found for this account under this very address; a body is refused as ever.
    const key = `${callerOf(request).accountId} ${request.raw.url}`;
    const text = isNothing(request.body) ? remembered.get(key) : undefined;
    if (text === undefined) return answer(request, reply, key);
    reply.code(endpoint.success).type(JSON_TYPE).send(text);
    return undefined;
  };
  const bodyLimit = endpoint.bodyBytes;
  app.route({
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: options.letIn,
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    handler: answerAtOnce,
  });
}
