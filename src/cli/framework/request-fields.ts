/** Derives the request fields that have a flag from an endpoint's schemas: top-level fields, and nested paths that a command names. */
import { typesOf } from '../../contract/coerce.ts';
import type { Endpoint, JsonSchema } from '../../contract/index.ts';
import type { UntypedFlagOverrides } from './types.ts';

/**
 * How sonde parses the texts of a flag; `placeholderOf` shows the syntax of each. `objects` adds an item for each text. `ids` makes
 * an object of each ID. `variables` may read the value from the environment.
 */
export type FieldKind =
  | 'switch'
  | 'scalar'
  | 'list'
  | 'object'
  | 'objects'
  | 'ids'
  | 'variables'
  | 'pairs'
  | 'assertions';

/** A field of the request that has a flag. */
export interface RequestField {
  readonly flag: string;
  readonly in: 'query' | 'body';
  readonly path: FieldPath;
  readonly schema: JsonSchema;
  readonly kind: FieldKind;
  /** Required if its parent is set. */
  readonly isRequired: boolean;
  /** Required in every request, because its parents are required too. */
  readonly isAlwaysRequired: boolean;
  /** Set without its flag: by the command, or by flags of nested fields. */
  readonly isFilled: boolean;
  /** Has a second flag `--…-file` that reads the text from a file. */
  readonly hasFileFlag: boolean;
}

/** Converts `degradedResponseTime` to `degraded-response-time`, and `created_at` to `created-at`. */
export const kebabCase = (name: string): string =>
  name
    .replaceAll('_', '-')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();

/** Converts `degraded-response-time` to `degradedResponseTime`. */
export const camelCase = (flag: string): string =>
  flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function kindOf(schema: JsonSchema): FieldKind {
  const types = typesOf(schema);
  if (types.includes('array')) {
    const fields = schema.items?.properties;
    if (!fields) return 'list';
    if ('comparison' in fields) return 'assertions';
    if (schema.items?.required?.join() === 'id' && 'name' in fields) return 'ids';
    if (Object.keys(fields).join() === 'id') return 'ids';
    if (!('key' in fields && 'value' in fields)) return 'objects';
    return 'secret' in fields ? 'variables' : 'pairs';
  }
  if (types.includes('object')) return 'object';
  return types.includes('boolean') ? 'switch' : 'scalar';
}

/** Returns the schema at a path, and whether its parent and all of its parents require it. */
function schemaAt(
  root: JsonSchema,
  path: FieldPath,
): Pick<RequestField, 'schema' | 'isRequired' | 'isAlwaysRequired'> | undefined {
  let [schema, isRequired, isAlwaysRequired] = [root, false, true];
  for (const step of path) {
    const next = typeof step === 'number' ? schema.items : schema.properties?.[step];
    if (!next) return undefined;
    isRequired = typeof step === 'string' && (schema.required?.includes(step) ?? false);
    isAlwaysRequired &&= isRequired || typeof step === 'number';
    schema = next;
  }
  return { schema, isRequired, isAlwaysRequired };
}

function defaultFlag(name: string, kind: FieldKind): string {
  if (kind === 'variables' && name === 'environmentVariables') return 'env';
  return kind === 'assertions' ? 'assert' : kebabCase(name);
}

/** Fields that are long, or secrets that must not appear in a process list. */
const LONG_OR_SECRET = /(script|template|secret|password|\.token|serviceKey|apiKey)$/i;

/** Returns all fields of an endpoint that have a flag, in the contract's order. */
export function requestFieldsOf(
  endpoint: Endpoint,
  overrides: UntypedFlagOverrides = {},
): readonly RequestField[] {
  const names: Readonly<Record<string, string | undefined>> = overrides.names ?? {};
  const without: readonly string[] = overrides.without ?? [];
  return (['query', 'body'] as const).flatMap((part) => {
    const root = endpoint[part];
    if (!root || (part === 'body' && overrides.body === 'own')) return [];
    const paths = [
      ...Object.keys(root.properties ?? {}),
      ...Object.keys(names).filter((path) => path.includes('.')),
    ];
    return paths
      .filter((path) => !without.includes(path))
      .flatMap((path): RequestField[] => {
        const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
        const at = schemaAt(root, steps);
        if (!at) return [];
        const kind = kindOf(at.schema);
        const flag = names[path] ?? defaultFlag(String(steps.at(-1)), kind);
        const hasFileFlag = kind === 'scalar' && LONG_OR_SECRET.test(path);
        const hasNestedFlags = Object.keys(names).some((name) => name.startsWith(`${path}.`));
        const isFilled = hasNestedFlags || (part === 'body' && path in (overrides.fill ?? {}));
        return [{ flag, in: part, path: steps, kind, isFilled, hasFileFlag, ...at }];
      });
  });
}

/** Returns the fields of several endpoints of one command, each flag once. */
export function requestFieldsOfAll(
  endpoints: readonly Endpoint[],
  overrides: UntypedFlagOverrides = {},
): readonly RequestField[] {
  const byFlag = new Map<string, RequestField>();
  for (const field of endpoints.flatMap((endpoint) => requestFieldsOf(endpoint, overrides))) {
    if (!byFlag.has(field.flag)) byFlag.set(field.flag, field);
  }
  return [...byFlag.values()];
}

export type FieldPath = readonly (string | number)[];

/** Names that would reach a prototype. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Parses a path; returns undefined if the text is not a path. */
export function parsePath(text: string): FieldPath | undefined {
  if (!/^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/.test(text)) return undefined;
  const steps = [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );
  return steps.some((step) => FORBIDDEN.has(String(step))) ? undefined : steps;
}

/** Returns the schema at a path; undefined if the contract defines none. */
export function schemaAtPath(root: JsonSchema | undefined, path: FieldPath): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((schema, step) => {
    if (typeof step === 'number') return schema?.items;
    const further = schema?.additionalProperties;
    return schema?.properties?.[step] ?? (typeof further === 'object' ? further : undefined);
  }, root);
}

type Container = Record<string | number, unknown>;
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** Sets the value at a path; creates missing parents, and replaces parents that are not objects or lists. */
export function setAtPath(root: Container, path: FieldPath, value: unknown): void {
  let here = root;
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) {
      here[step] = value;
      return;
    }
    const next = here[step];
    const isList = typeof path[index + 1] === 'number';
    const container = isContainer(next) && Array.isArray(next) === isList ? next : isList ? [] : {};
    here[step] = container;
    here = container as Container;
  }
}

/** Returns the value at a path. */
export function getAtPath(root: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (here, step) => (isContainer(here) && Object.hasOwn(here, step) ? here[step] : undefined),
    root,
  );
}
