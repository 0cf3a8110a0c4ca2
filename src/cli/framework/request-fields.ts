/** Reads the flags of a command off its endpoint's schemas: one a top-level field, and one a nested path that it names. */

import { typesOf } from '../../contract/coerce.ts';
import type { Endpoint, JsonSchema } from '../../contract/index.ts';
import type { Path } from './body-paths.ts';
import type { LooseFlagNotes } from './types.ts';

/** How the text of a flag becomes a value. */
export type FieldKind =
  /** `--x`, `--no-x`. */
  | 'switch'
  /** One text. */
  | 'scalar'
  /** Texts, repeated or with commas between them. */
  | 'list'
  /** `name=value,…` or JSON. */
  | 'object'
  /** As `object`, each adding an item. */
  | 'objects'
  /** Ids, repeated or with commas between them; each becomes an object that holds it alone. */
  | 'ids'
  /** `KEY=VALUE`, or `KEY` alone: its value from the environment. */
  | 'variables'
  /** `KEY=VALUE`. */
  | 'pairs'
  /** `SOURCE COMPARISON target`. */
  | 'assertions';

/** A flag that fills a field of the request. */
export interface Field {
  readonly flag: string;
  readonly in: 'query' | 'body';
  readonly path: Path;
  readonly schema: JsonSchema;
  readonly kind: FieldKind;
  /** Required wherever its parent is there. */
  readonly required: boolean;
  /** Required in every request: its parents are required, too. */
  readonly always: boolean;
  /** Whether it is there without its flag: the command fills it in, or flags of its parts do. */
  readonly filled: boolean;
  /** Whether the text may come from a file, by `--…-file`. */
  readonly fromFile: boolean;
}

/** `degradedResponseTime` → `degraded-response-time`; `created_at` → `created-at`. */
export const kebab = (name: string): string =>
  name
    .replaceAll('_', '-')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();

/** `degraded-response-time` → `degradedResponseTime`. */
export const camel = (flag: string): string =>
  flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function kindOf(schema: JsonSchema): FieldKind {
  const types = typesOf(schema);
  if (types.includes('array')) {
    const fields = schema.items?.properties;
    if (!fields) return 'list';
    if ('comparison' in fields) return 'assertions';
    if (Object.keys(fields).join() === 'id') return 'ids';
    if (!('key' in fields && 'value' in fields)) return 'objects';
    return 'secret' in fields ? 'variables' : 'pairs';
  }
  if (types.includes('object')) return 'object';
  return types.includes('boolean') ? 'switch' : 'scalar';
}

/** The schema at a path, whether its parent requires it, and whether all of its parents do. */
function schemaAt(root: JsonSchema, path: Path): Pick<Field, 'schema' | 'required' | 'always'> | undefined {
  let [schema, required, always] = [root, false, true];
  for (const step of path) {
    const next = typeof step === 'number' ? schema.items : schema.properties?.[step];
    if (!next) return undefined;
    required = typeof step === 'string' && (schema.required?.includes(step) ?? false);
    always &&= required || typeof step === 'number';
    schema = next;
  }
  return { schema, required, always };
}

/** The flag that a field has by itself. */
function ownFlag(name: string, kind: FieldKind): string {
  if (kind === 'variables' && name === 'environmentVariables') return 'env';
  return kind === 'assertions' ? 'assert' : kebab(name);
}

/** What is long, or a secret that must not stand in a process list. */
const FROM_FILE = /(script|template|secret|password)$/i;

/** All fields of an endpoint that have a flag, in the contract's order. */
export function fieldsOf(endpoint: Endpoint, notes: LooseFlagNotes = {}): readonly Field[] {
  const names: Readonly<Record<string, string | undefined>> = notes.names ?? {};
  const without: readonly string[] = notes.without ?? [];
  const found = (['query', 'body'] as const).flatMap((part) => {
    const root = endpoint[part];
    if (!root || (part === 'body' && notes.body === 'own')) return [];
    const paths = [
      ...Object.keys(root.properties ?? {}),
      ...Object.keys(names).filter((path) => path.includes('.')),
    ];
    return paths
      .filter((path) => !without.includes(path))
      .flatMap((path): Field[] => {
        const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
        const at = schemaAt(root, steps);
        if (!at) return [];
        const kind = kindOf(at.schema);
        const flag = names[path] ?? ownFlag(String(steps.at(-1)), kind);
        const fromFile = kind === 'scalar' && FROM_FILE.test(path);
        const inParts = Object.keys(names).some((name) => name.startsWith(`${path}.`));
        const filled = inParts || (part === 'body' && path in (notes.fill ?? {}));
        return [{ flag, in: part, path: steps, kind, filled, fromFile, ...at }];
      });
  });
  return found;
}

/** The fields of several endpoints between which an option chooses: each flag once. */
export function fieldsOfAll(endpoints: readonly Endpoint[], notes: LooseFlagNotes = {}): readonly Field[] {
  const byFlag = new Map<string, Field>();
  for (const field of endpoints.flatMap((endpoint) => fieldsOf(endpoint, notes))) {
    if (!byFlag.has(field.flag)) byFlag.set(field.flag, field);
  }
  return [...byFlag.values()];
}
