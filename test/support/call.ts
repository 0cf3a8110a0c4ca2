/** Calls endpoints of a service in a test, and holds every answer against the contract's own response schema. */
import { Ajv, type ValidateFunction } from 'ajv';
import type { EndpointDefinition } from '../../src/contract/endpoint.ts';
import { table } from '../../src/contract/endpoints/index.ts';
import { formats } from '../../src/contract/formats.ts';
import type { Endpoint, Input, ResponseOf } from '../../src/contract/index.ts';
import { type Answer, send } from './send.ts';

type Schema = { [keyword: string]: unknown };

/** The schema, but every object that knows its fields has no others: a test service answers exactly what is documented. */
function exact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(exact);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Schema = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, exact(value)]));
  // A check of any type, and its result, have what the type adds besides what all have.
  const isOpen = copy.title === 'Check' || copy.title === 'CheckResult';
  return typeof copy.properties === 'object' && !isOpen && [copy.type].flat().includes('object')
    ? { additionalProperties: false, ...copy }
    : copy;
}

const ajv = new Ajv({ allErrors: true, strict: false, formats });
const rows: readonly EndpointDefinition[] = Object.values(table);
const validators = new Map<string, ValidateFunction>();

function validatorOf(name: string): ValidateFunction | undefined {
  const known = validators.get(name);
  if (known) return known;
  const { schema } = rows.find((row) => row.name === name)?.response ?? {};
  if (!schema) return undefined;
  const compiled = ajv.compile(exact(schema) as Schema);
  validators.set(name, compiled);
  return compiled;
}

/** Throws where a body is not what the contract says of the endpoint's answer. */
export function assertAnswer(endpoint: Endpoint, body: unknown): void {
  const validate = validatorOf(endpoint.name);
  if (!validate) {
    if (body !== undefined) throw new Error(`${endpoint.name} answered a body: ${JSON.stringify(body)}`);
    return;
  }
  if (!validate(body)) {
    throw new Error(
      `${endpoint.name} answered outside the contract: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
    );
  }
}

/** `/v1/snippets/7?limit=5` */
function pathOf(endpoint: Endpoint, input: { params?: object; query?: object }): string {
  const params = (input.params ?? {}) as Record<string, unknown>;
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const query = Object.entries(input.query ?? {}).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([member, inner]) => [`${name}[${member}]`, String(inner)])
      : [[name, String(value)]],
  );
  return query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`;
}

/** Sends a request as it stands, whatever it holds; nothing is expected of the answer. */
export function ask(
  service: { readonly url: string; readonly apiKey: string },
  endpoint: Endpoint,
  input: { params?: object; query?: object; body?: unknown } = {},
): Promise<Answer> {
  return send(service, `${endpoint.method} ${pathOf(endpoint, input)}`, input.body);
}

/** Calls an endpoint that must succeed, and returns its body. A long poll that times out is repeated: a slow machine may need longer. */
export async function call<E extends Endpoint>(
  service: { readonly url: string; readonly apiKey: string },
  endpoint: E,
  input: Input<E>,
): Promise<ResponseOf<E>> {
  let answer = await ask(service, endpoint, input);
  while (answer.status === 408) answer = await ask(service, endpoint, input);
  const { status, body } = answer;
  if (status !== endpoint.success) {
    throw new Error(`${endpoint.name} answered ${status}: ${JSON.stringify(body)}`);
  }
  assertAnswer(endpoint, body);
  return body as ResponseOf<E>;
}
