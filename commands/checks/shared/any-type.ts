/** Merges the update endpoints of all check types, because the type is unknown until the check is read. */
import { isObject } from '../../../src/base/object.ts';
import { toPartialEndpoint } from '../../../src/cli/resource-commands/partial-update.ts';
import type { Check } from '../../../src/cli/resources/check-status.ts';
import { CHECK_TYPE_ENDPOINTS, findCheckTypeEndpoints } from '../../../src/cli/resources/check-types.ts';
import type { Validator } from '../../../src/contract/endpoint.ts';
import type {
  updateAgenticCheck,
  updateApiCheck,
  updateBrowserCheck,
  updateDnsCheck,
  updateHeartbeatCheck,
  updateIcmpCheck,
  updatePlaywrightCheck,
  updateTcpCheck,
  updateUrlCheck,
} from '../../../src/contract/index.ts';
import {
  type BodyOf,
  type Endpoint,
  type JsonSchema,
  type TypedEndpoint,
  updateCheck,
} from '../../../src/contract/index.ts';

const updates = Object.values(CHECK_TYPE_ENDPOINTS).map(({ update }) => update);
const partials = updates.map((update) => toPartialEndpoint(update));

/** Accepts what any type accepts. Otherwise reports the violations of the type with the fewest. */
const validateAnyType: Validator = (body) => {
  validateAnyType.errors = null;
  for (const { validate } of partials) {
    if (!validate.body || validate.body(body)) return true;
    const found = validate.body.errors ?? [];
    if (countErrors(found) < countErrors(validateAnyType.errors)) validateAnyType.errors = found;
  }
  return false;
};
const countErrors = (errors: Validator['errors']): number => errors?.length ?? Number.POSITIVE_INFINITY;

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

type Properties = Readonly<Record<string, JsonSchema>>;
function mergeProperties(all: readonly Properties[]): Properties {
  const found: Record<string, JsonSchema> = {};
  for (const [name, schema] of all.flatMap((parts) => Object.entries(parts))) {
    const known = found[name];
    // An object without properties is a placeholder, as in DNS checks.
    found[name] =
      known === undefined || !hasMeaning(known)
        ? schema
        : hasMeaning(schema)
          ? mergeSchemas(known, schema)
          : known;
  }
  return found;
}
const hasMeaning = ({ type, properties }: JsonSchema): boolean => type !== 'object' || isObject(properties);

type Body =
  | BodyOf<typeof updateAgenticCheck>
  | BodyOf<typeof updateApiCheck>
  | BodyOf<typeof updateBrowserCheck>
  | BodyOf<typeof updateDnsCheck>
  | BodyOf<typeof updateHeartbeatCheck>
  | BodyOf<typeof updateIcmpCheck>
  | BodyOf<typeof updatePlaywrightCheck>
  | BodyOf<typeof updateTcpCheck>
  | BodyOf<typeof updateUrlCheck>;

/** Updates a check of any type, with the fields of all types. */
export const updateAnyCheck = {
  ...updateCheck,
  body: {
    type: 'object',
    title: 'CheckChange',
    properties: mergeProperties(updates.map(({ body }) => body?.properties ?? {})),
  },
  validate: { ...updateCheck.validate, body: validateAnyType },
} as Endpoint as TypedEndpoint<{
  params: { id: string };
  query: Record<never, never>;
  body: Body;
  response: Check;
}>;

/** Returns the update endpoint for a check, with the body schema and rules of the check's type. */
export function updateEndpointOf({ checkType }: Check): Endpoint {
  const typed = findCheckTypeEndpoints(checkType)?.update;
  if (!typed) return updateAnyCheck;
  return { ...updateCheck, body: typed.body, validate: typed.validate, rules: typed.rules };
}
