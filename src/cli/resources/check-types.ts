/** Lists the endpoints of each check type, and merges those that update, because an update reads the type later. */
import { isObject } from '../../base/object.ts';
import type { Validator } from '../../contract/endpoint.ts';
import type { CheckType } from '../../contract/enumerations.ts';
import {
  type BodyOf,
  createAgenticCheck,
  createApiCheck,
  createBrowserCheck,
  createDnsCheck,
  createHeartbeatCheck,
  createIcmpCheck,
  createMultiStepCheck,
  createPlaywrightCheck,
  createTcpCheck,
  createUrlCheck,
  type Endpoint,
  type JsonSchema,
  type TypedEndpoint,
  updateAgenticCheck,
  updateApiCheck,
  updateBrowserCheck,
  updateCheck,
  updateDnsCheck,
  updateHeartbeatCheck,
  updateIcmpCheck,
  updateMultiStepCheck,
  updatePlaywrightCheck,
  updateTcpCheck,
  updateUrlCheck,
} from '../../contract/index.ts';
import { toPartialEndpoint } from '../edit/partial-update.ts';
import type { Check } from './check-status.ts';

interface CheckTypeEndpoints {
  readonly create: Endpoint;
  readonly update: Endpoint;
  /** Values of required fields that have no meaning for this type. */
  readonly fill?: Readonly<Record<string, unknown>>;
}

export const CHECK_TYPE_ENDPOINTS = {
  DNS: { create: createDnsCheck, update: updateDnsCheck, fill: { heartbeat: {}, script: '' } },
  URL: { create: createUrlCheck, update: updateUrlCheck },
  TCP: { create: createTcpCheck, update: updateTcpCheck },
  ICMP: { create: createIcmpCheck, update: updateIcmpCheck },
  API: { create: createApiCheck, update: updateApiCheck },
  BROWSER: { create: createBrowserCheck, update: updateBrowserCheck },
  MULTI_STEP: { create: createMultiStepCheck, update: updateMultiStepCheck },
  PLAYWRIGHT: { create: createPlaywrightCheck, update: updatePlaywrightCheck },
  HEARTBEAT: { create: createHeartbeatCheck, update: updateHeartbeatCheck },
  AGENTIC: { create: createAgenticCheck, update: updateAgenticCheck },
} satisfies Record<CheckType, CheckTypeEndpoints>;

/** Returns the endpoints for a `checkType`. Undefined: this version does not know the type. */
export const findCheckTypeEndpoints = (checkType: unknown): CheckTypeEndpoints | undefined =>
  new Map<unknown, CheckTypeEndpoints>(Object.entries(CHECK_TYPE_ENDPOINTS)).get(checkType);

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
  const updates = Object.values(CHECK_TYPE_ENDPOINTS).map(({ update }): Endpoint => update);
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

/** Returns the update endpoint for a check, with the body schema and rules of the check's type. */
export function updateEndpointOf({ checkType }: Check): Endpoint {
  const typed = findCheckTypeEndpoints(checkType)?.update;
  if (!typed) return updateEndpointOfAnyType();
  return { ...updateCheck, body: typed.body, validate: typed.validate, rules: typed.rules };
}
