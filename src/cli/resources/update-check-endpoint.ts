/** Merges the endpoints that update a check of each type, because an update reads the type later. */
import { isObject } from '../../base/object.ts';
import { CHECK_TYPE_NAMES, type CheckType, isCheckType } from '../../contract/check-type-facts.ts';
import type { Validator } from '../../contract/endpoint.ts';
import { CHECK_TYPE_ENDPOINTS } from '../../contract/generated/check-type-endpoints.js';
import {
  type BodyOf,
  type Endpoint,
  type JsonSchema,
  type TypedEndpoint,
  updateCheck,
} from '../../contract/index.ts';
import { toPartialEndpoint } from '../edit/partial-update.ts';
import type { Check } from './check-status.ts';

/** The first type with a field describes it. */
const DESCRIBING: readonly CheckType[] = ['DNS', 'URL', 'TCP', 'ICMP', 'API'];

/** Merges the schemas of a field in two types: the properties and values of both. */
function mergeSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  const values = [...new Set([...(one.enum ?? []), ...(other.enum ?? [])])];
  const items = one.items && other.items ? mergeSchemas(one.items, other.items) : (one.items ?? other.items);
  const parts =
    one.properties && other.properties ? mergeProperties([one.properties, other.properties]) : one.properties;
  return {
    ...one,
    ...(values.length > 0 ? { enum: values } : {}),
    ...(items ? { items } : {}),
    ...(parts ? { properties: parts, required: [] } : {}),
  };
}

function mergeProperties(all: readonly NonNullable<JsonSchema['properties']>[]): Record<string, JsonSchema> {
  const merged: Record<string, JsonSchema> = {};
  for (const [name, schema] of all.flatMap((parts) => Object.entries(parts))) {
    const known = merged[name];
    if (known === undefined || isPlaceholder(known)) merged[name] = schema;
    else if (!isPlaceholder(schema)) merged[name] = mergeSchemas(known, schema);
  }
  return merged;
}

/** Whether a schema is an object without properties, as in DNS checks. */
const isPlaceholder = ({ type, properties }: JsonSchema): boolean =>
  type === 'object' && !isObject(properties);

/** Returns the endpoint that updates a check of any type, with the fields of all types. */
export function updateEndpointOfAnyType() {
  const types = [...new Set([...DESCRIBING, ...CHECK_TYPE_NAMES])];
  const updates = types.map((type): Endpoint => CHECK_TYPE_ENDPOINTS[type].update);
  const partials = updates.map((update) => toPartialEndpoint(update));
  /** Accepts what any type accepts. Otherwise reports the violations of the type with the fewest. */
  const validate: Validator = (body) => {
    let fewest: Validator['errors'] = null;
    for (const { validate: partial } of partials) {
      if (!partial.body || partial.body(body)) {
        validate.errors = null;
        return true;
      }
      const found = partial.body.errors ?? [];
      if (fewest == null || found.length < fewest.length) fewest = found;
    }
    validate.errors = fewest;
    return false;
  };
  const properties = mergeProperties(updates.map(({ body }) => body?.properties ?? {}));
  const merged: Endpoint = {
    ...updateCheck,
    body: { type: 'object', title: 'CheckChange', properties },
    validate: { ...updateCheck.validate, body: validate },
  };
  return merged as TypedEndpoint<{
    params: { id: string };
    query: Record<never, never>;
    body: BodyOf<(typeof CHECK_TYPE_ENDPOINTS)[CheckType]['update']>;
    response: Check;
  }>;
}

/**
 * Returns the endpoint that updates a check: that of its type, and as its fallback the one of all types, for deployments that
 * do not offer the former.
 */
export function updateEndpointsOf({ checkType }: Check): {
  readonly endpoint: Endpoint;
  readonly fallback?: Endpoint;
} {
  if (!isCheckType(checkType)) return { endpoint: updateEndpointOfAnyType() };
  const typed: Endpoint = CHECK_TYPE_ENDPOINTS[checkType].update;
  const { body, validate, rules } = typed;
  return { endpoint: typed, fallback: { ...updateCheck, body, validate, rules } };
}
