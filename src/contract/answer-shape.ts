/** Compares the types in a response with the schema of its endpoint. Loaded when a response could not be displayed. */
import { answers } from './generated/answers.js';

/** The parts of JSON Schema that describe types. */
export interface AnswerShape {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, AnswerShape>>;
  readonly items?: AnswerShape;
  readonly additionalProperties?: AnswerShape;
  readonly anyOf?: readonly AnswerShape[];
}

/** A field with an unexpected type: `entries[0].name`, `is a number instead of a string`. */
export interface Mismatch {
  /** Path of the field; empty for the whole response. */
  readonly place: string;
  readonly message: string;
}

/** Returns the first field with an unexpected type; undefined if there is none, or the endpoint is unknown. */
export function mismatchOf(endpoint: string, body: unknown): Mismatch | undefined {
  const shape = Object.hasOwn(answers, endpoint) ? answers[endpoint] : undefined;
  return shape && mismatchIn(body, shape, '');
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
const NAMES: Readonly<Record<string, string>> = { array: 'a list', object: 'an object', null: 'null' };
const named = (type: string): string => NAMES[type] ?? `a ${type}`;

function mismatchIn(value: unknown, shape: AnswerShape, place: string): Mismatch | undefined {
  if (shape.anyOf) {
    const found = shape.anyOf.map((each) => mismatchIn(value, each, place));
    return found.includes(undefined) ? undefined : found[0];
  }
  const found = typeOf(value);
  const types = [shape.type ?? found].flat().map((type) => (type === 'integer' ? 'number' : type));
  if (!types.includes(found))
    return { place, message: `is ${named(found)} instead of ${types.map(named).join(' or ')}` };
  if (typeof value === 'string' && /^date/.test(shape.format ?? '') && Number.isNaN(Date.parse(value)))
    return { place, message: 'is not a date' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value))
    return firstOf(
      value.entries(),
      (index) => `${place}[${index}]`,
      () => shape.items,
    );
  const missing = shape.required?.find((name) => !Object.hasOwn(value, name));
  const below = (name: string) => (place === '' ? name : `${place}.${name}`);
  if (missing !== undefined) return { place: below(missing), message: 'is missing' };
  const { properties = {} } = shape;
  return firstOf(Object.entries(value), below, (name) =>
    Object.hasOwn(properties, name) ? properties[name] : shape.additionalProperties,
  );
}

function firstOf<K>(
  entries: Iterable<readonly [K, unknown]>,
  placeOf: (key: K) => string,
  shapeOf: (key: K) => AnswerShape | undefined,
): Mismatch | undefined {
  for (const [key, value] of entries) {
    const shape = shapeOf(key);
    const found = shape && mismatchIn(value, shape, placeOf(key));
    if (found) return found;
  }
  return undefined;
}
