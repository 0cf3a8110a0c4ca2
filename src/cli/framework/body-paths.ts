/** Parses paths of `--set`, such as `request.assertions[0].target`, and gets and sets values at them. */
import type { JsonSchema } from '../../contract/index.ts';

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
