/**
 * Follows which fields of a source the converters read. A converter gets a view that looks like the source. A field that
 * no converter read, and that no loss names, is a loss.
 */
import type { JsonObject } from '../../../base/object.ts';

interface Node {
  readonly value: JsonObject | readonly unknown[];
  readonly view: JsonObject;
  /** Fields that were read: values as `true`, lists and maps as their node. */
  readonly read: Map<string, Node | true>;
  /** Whether everything in it is converted or named. */
  isSettled: boolean;
}

const NODES = new WeakMap<object, Node>();

function createNode(value: Node['value']): Node {
  const read: Node['read'] = new Map();
  const view = new Proxy(value, {
    get(target, key) {
      const item: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return item;
      if (Array.isArray(target) && key === 'length') return item;
      if (!isContainer(item)) {
        read.set(key, true);
        return item;
      }
      const known = read.get(key);
      const node = known === undefined || known === true ? createNode(item) : known;
      read.set(key, node);
      return node.view;
    },
  }) as JsonObject;
  const node = { value, view, read, isSettled: false };
  NODES.set(view, node);
  return node;
}

const isContainer = (value: unknown): value is Node['value'] => typeof value === 'object' && value !== null;

/** Returns a proxy of a source that records which fields are read. Returns a proxy unchanged. */
export const trackSource = (source: JsonObject): JsonObject =>
  NODES.has(source) ? source : createNode(source).view;

/** Returns the value behind a view, all of which counts as read. */
export function readWhole<T>(value: T): T {
  const node = isContainer(value) ? NODES.get(value) : undefined;
  if (node === undefined) return value;
  node.isSettled = true;
  return node.value as T;
}

/** Returns a value whose views are replaced by what they show, which counts as read. */
export function withoutViews<T>(value: T): T {
  if (!isContainer(value)) return value;
  if (NODES.has(value)) return readWhole(value);
  if (Array.isArray(value)) return value.map(withoutViews) as T;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutViews(item)])) as T;
}

const stepsOf = (path: string): readonly string[] => path.match(/[^.[\]]+/g) ?? [];

/** Marks a field as named by a loss. A text that is no path has no effect. */
export function settleField(source: JsonObject, path: string): void {
  const steps = stepsOf(path);
  let container: unknown = source;
  for (const step of steps.slice(0, -1))
    container = isContainer(container) ? child(container, step) : undefined;
  const last = steps.at(-1);
  if (last === undefined || !isContainer(container)) return;
  readWhole(child(container, last));
}

const child = (container: object, name: string): unknown =>
  Object.hasOwn(container, name) ? (container as JsonObject)[name] : undefined;

/** Returns a view of several maps as one: the first map that has a field decides, and the field is read in all. */
export const layered = (...maps: readonly JsonObject[]): JsonObject =>
  new Proxy({} as JsonObject, {
    get: (_, key) =>
      typeof key === 'symbol'
        ? undefined
        : maps.map((map) => child(map, key)).find((value) => value !== undefined && value !== null),
    has: (_, key) => maps.some((map) => key in map),
  });

export interface UnreadField {
  /** Relative to the source: `client.oauth2.scopes[0]`. */
  readonly path: string;
  readonly value: unknown;
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (isContainer(value) && Object.values(value).every(isNothing));

const wasTouched = (node: Node | true): boolean =>
  node === true || node.isSettled || [...node.read.values()].some(wasTouched);

/**
 * Returns the fields that nobody read. A map or list without a read field is one field, unless `divides` says that its
 * fields have different meanings.
 */
export function listUnread(
  source: JsonObject,
  divides: (path: string) => boolean = () => false,
): readonly UnreadField[] {
  const visit = (node: Node | true | undefined, value: unknown, path: string): readonly UnreadField[] => {
    if (isNothing(value) || node === true || node?.isSettled === true) return [];
    const isWhole = node === undefined || !wasTouched(node);
    if (isWhole && path !== '' && !(isContainer(value) && divides(path))) return [{ path, value }];
    if (!isContainer(value)) return [];
    return Object.entries(value).flatMap(([name, item]) => {
      const step = Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
      return visit(node?.read.get(name), item, `${path}${step}`);
    });
  };
  const node = NODES.get(source);
  return node === undefined ? [] : visit(node, node.value, '');
}
