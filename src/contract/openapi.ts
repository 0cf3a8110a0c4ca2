/** Generates the OpenAPI 3.1 document from the table of endpoints. Build time only: it needs the response schemas. */
import type { EndpointDefinition, JsonSchema } from './endpoint.ts';

type Json = Record<string, unknown>;

const ERROR: JsonSchema = {
  title: 'Error',
  type: 'object',
  required: ['message'],
  properties: {
    statusCode: { type: 'number', description: 'HTTP status code' },
    error: { type: 'string', description: 'Name of the HTTP status' },
    message: { type: 'string', description: 'Error message' },
    attributes: { type: 'object', description: 'Details, such as every violation of an invalid request' },
  },
};

const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; the response lists every violation',
  401: 'The API key is missing or unknown',
  404: 'The account has no such resource',
  408: 'The session is still running at the end of the wait; send the request again',
  409: 'The resource is in use or already exists',
  429: 'Too many requests; Retry-After contains the time to wait',
};

/** Annotations that are not for readers: names for people, and what the service tolerates. */
const INTERNAL: ReadonlySet<string> = new Set([
  'x-secret',
  'x-values',
  'x-unset',
  'x-absent',
  'x-sent',
  'x-sample',
  'x-set',
]);

/** The service accepts calendar dates and timestamps (formats.ts), and answers with timestamps. */
const DATES = {
  request: { anyOf: [{ format: 'date' }, { format: 'date-time' }] },
  response: { format: 'date-time' },
} as const;
type Direction = keyof typeof DATES;
/**
 * Leaves the limits of an object in the query to its description: readers of deepObject, such as Prism, count parameters that
 * are not sent.
 */
const withoutSize = ({ minProperties: _, maxProperties: __, ...schema }: JsonSchema): JsonSchema => schema;

/** Returns whether the body selects checks that must exist. */
const hasTarget = ({ body }: EndpointDefinition): boolean =>
  'target' in ((body as JsonSchema | undefined)?.properties ?? {});

/** Returns the document with every titled schema as a component. */
export function openApiDocument(table: readonly EndpointDefinition[], version: string): Json {
  // The exports of a module are unordered.
  const endpoints = table.toSorted(
    (a, b) => (a.number ?? 99) - (b.number ?? 99) || (a.name < b.name ? -1 : 1),
  );
  const components: Json = {};
  const hoist = (schema: unknown, direction: Direction): unknown => {
    if (Array.isArray(schema)) return schema.map((item) => hoist(item, direction));
    if (typeof schema !== 'object' || schema === null) return schema;
    const plain = Object.fromEntries(
      Object.entries(schema)
        // A response that has a secret, such as a new key, shows it.
        .filter(([key]) => !INTERNAL.has(key) && !(key === 'writeOnly' && direction === 'response'))
        .flatMap(([key, value]) =>
          key === 'format' && value === 'date'
            ? Object.entries(DATES[direction])
            : [[key, hoist(value, direction)]],
        ),
    );
    const { title } = schema as JsonSchema;
    if (typeof title !== 'string') return plain;
    const known = components[title];
    // A changed copy of a component, such as a nullable one, stays inline.
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(plain)) return plain;
    components[title] = plain;
    return { $ref: `#/components/schemas/${title}` };
  };
  const content = (schema: unknown, direction: Direction) => ({
    content: { 'application/json': { schema: hoist(schema, direction) } },
  });
  const failure = (status: number) =>
    [status, { description: REASONS[status], ...content(ERROR, 'response') }] as const;

  const parameters = (endpoint: EndpointDefinition) =>
    (['path', 'query'] as const).flatMap((where) => {
      const { properties = {}, required = [] } = (where === 'path'
        ? endpoint.params
        : endpoint.query) as unknown as JsonSchema;
      return Object.entries(properties).map(([name, schema]) => ({
        name,
        in: where,
        required: where === 'path' || required.includes(name),
        ...(schema.description ? { description: schema.description } : {}),
        ...(schema.type === 'object' ? { style: 'deepObject', explode: true } : {}),
        schema: hoist(schema.type === 'object' ? withoutSize(schema) : schema, 'request'),
      }));
    });

  const operation = (endpoint: EndpointDefinition) => {
    const { status, schema } = endpoint.response;
    const waits = endpoint.path.endsWith('/completion');
    const names = endpoint.path.includes('{') || hasTarget(endpoint);
    const failures = [400, 401, ...(names ? [404] : []), ...(waits ? [408] : []), 429];
    if (endpoint.method === 'POST' || endpoint.method === 'PUT' || 'force' in endpoint.query.properties)
      failures.push(409);
    return {
      operationId: endpoint.name,
      summary: endpoint.summary,
      tags: [endpoint.resource],
      ...(endpoint.number ? { 'x-specification-number': endpoint.number } : { 'x-origin': 'neighbour' }),
      ...(endpoint.deprecated
        ? { deprecated: true, description: `Use ${endpoint.deprecated} instead.` }
        : {}),
      parameters: [
        ...parameters(endpoint),
        ...(endpoint.caller === undefined ? [{ $ref: '#/components/parameters/account' }] : []),
      ],
      ...(endpoint.body ? { requestBody: { required: true, ...content(endpoint.body, 'request') } } : {}),
      ...(endpoint.uploadBytes === undefined
        ? {}
        : {
            requestBody: {
              required: true,
              content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
            },
          }),
      ...(endpoint.caller === 'agent' ? { security: [{ agentKey: [] }] } : {}),
      responses: Object.fromEntries([
        [
          status,
          {
            description: status === 204 ? 'Success' : endpoint.summary,
            ...(endpoint.file
              ? { content: { [endpoint.file]: { schema } } }
              : schema
                ? content(schema, 'response')
                : {}),
          },
        ],
        ...failures.sort((a, b) => a - b).map(failure),
      ]),
    };
  };

  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Monitoring service',
      version,
      description:
        'Checks, status pages, maintenance windows, sessions and error groups of synthetic monitoring.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:4100', description: 'sonde service start' }],
    security: [{ key: [] }],
    tags: [...new Set(endpoints.map(({ resource }) => resource))].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'API key' },
        agentKey: { type: 'http', scheme: 'bearer', description: 'Key of a private location' },
      },
      parameters: {
        account: {
          name: 'x-service-account',
          in: 'header',
          required: false,
          description: 'ID of the account, for keys with access to several accounts',
          schema: { type: 'string' },
        },
      },
      schemas: components,
    },
  };
}
