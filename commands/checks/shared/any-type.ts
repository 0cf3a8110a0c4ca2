/** Merges the update endpoints of all check types, because the type is unknown until the check is read. */
import { isObject } from '../../../src/base/object.ts';
import { toPartialEndpoint } from '../../../src/cli/resource-commands/partial-update.ts';
import type { Check } from '../../../src/cli/resources/check-status.ts';
import { CHECK_TYPE_NAMES, type CheckType, isCheckType } from '../../../src/contract/check-type-facts.ts';
import type { Validator } from '../../../src/contract/endpoint.ts';
import { CHECK_TYPE_ENDPOINTS } from '../../../src/contract/generated/check-types.js';
import {
  type BodyOf,
  type Endpoint,
  type JsonSchema,
  type TypedEndpoint,
  updateCheck,
} from '../../../src/contract/index.ts';

/** The first type with a field describes it. */
const DESCRIBING: readonly CheckType[] = ['DNS', 'URL', 'TCP', 'ICMP', 'API'];
const updates = [...new Set([...DESCRIBING, ...CHECK_TYPE_NAMES])].map(
  (type): Endpoint => CHECK_TYPE_ENDPOINTS[type].update,
);
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

type Body = BodyOf<(typeof CHECK_TYPE_ENDPOINTS)[CheckType]['update']>;

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
  if (!isCheckType(checkType)) return updateAnyCheck;
  const typed: Endpoint = CHECK_TYPE_ENDPOINTS[checkType].update;
  return { ...updateCheck, body: typed.body, validate: typed.validate, rules: typed.rules };
}
