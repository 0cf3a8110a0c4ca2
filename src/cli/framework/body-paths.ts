/** Paths into a request body as `--set` writes them, `request.assertions[0].target`, and values put at them. */
import type { JsonSchema } from '../../contract/index.ts';

export type Path = readonly (string | number)[];

/** Names that lead out of plain data. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** A path from its text; undefined where it is none. */
export function parsePath(text: string): Path | undefined {
  if (!/^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/.test(text)) return undefined;
  const steps = [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );
  return steps.some((step) => FORBIDDEN.has(String(step))) ? undefined : steps;
}

/** The schema of what stands at a path; undefined where the contract knows nothing there. */
export function schemaAtPath(root: JsonSchema | undefined, path: Path): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((schema, step) => {
    if (typeof step === 'number') return schema?.items;
    const further = schema?.additionalProperties;
    return schema?.properties?.[step] ?? (typeof further === 'object' ? further : undefined);
  }, root);
}

type Container = Record<string | number, unknown>;
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** Puts a value at a path; what is missing on the way is made, and what is no object or list gives way. */
export function setAt(root: Container, path: Path, value: unknown): void {
  let here = root;
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) {
      here[step] = value;
      return;
    }
    const next = here[step];
    const wantsList = typeof path[index + 1] === 'number';
    const container = isContainer(next) && Array.isArray(next) === wantsList ? next : wantsList ? [] : {};
    here[step] = container;
    here = container as Container;
  }
}

/** The value at a path; undefined where there is none. */
export function getAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (here, step) => (isContainer(here) && Object.hasOwn(here, step) ? here[step] : undefined),
    root,
  );
}
