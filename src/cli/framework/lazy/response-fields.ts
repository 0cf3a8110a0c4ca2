/** Removes fields that only responses have from a file, so that `-f` takes the output of `get`. Loaded only for `-f`. */
import { isObject, type JsonObject } from '../../../base/object.ts';
import { findNearest } from '../../../base/suggest.ts';
import type { AnswerShape } from '../../../contract/answer-shape.ts';
import { answers } from '../../../contract/generated/answers.js';
import type { JsonSchema } from '../../../contract/index.ts';

/** The field that people also write. */
const TYPE_FIELD = 'checkType';

export interface PrintedBody {
  /** The fields that the request has. */
  readonly body: JsonObject;
  /** The fields at the root that only responses have. */
  readonly responseOnly: JsonObject;
  /** The ignored fields by path, each once: `id`, `cards[].services[].name`. */
  readonly ignored: readonly string[];
}

/**
 * Returns the body of a file without the fields that the responses of these endpoints have and the request does not. If the
 * file is a response, it also loses the nulls that the request does not allow, and fields that the contract does not know
 * unless they resemble a known field: validation then reports the typo.
 */
export function withoutResponseFields(
  schema: JsonSchema,
  body: JsonObject,
  endpoints: readonly string[],
): PrintedBody {
  const shapes = endpoints.flatMap((name) => (Object.hasOwn(answers, name) ? [answers[name]] : []));
  const ofRoot = shapesOf(shapes, 'properties');
  const isOnlyIn = (known: JsonSchema['properties'], fields: readonly Fields[], name: string): boolean =>
    !Object.hasOwn(known ?? {}, name) && fields.some((each) => Object.hasOwn(each, name));
  const responseOnly = Object.fromEntries(
    Object.entries(body).filter(([name]) => schema.properties && isOnlyIn(schema.properties, ofRoot, name)),
  );
  // A type alone may be written by hand.
  const isPrinted = Object.keys(responseOnly).some((name) => name !== TYPE_FIELD);
  const ignored = new Set<string>();
  const cut = (here: JsonSchema | undefined, printed: Shapes, value: unknown, place: string): unknown => {
    if (Array.isArray(value)) {
      const items = shapesOf(printed, 'items');
      return value.map((item) => cut(here?.items, items, item, `${place}[]`));
    }
    const known = here?.properties;
    if (!isObject(value) || !known) return value;
    const fields = shapesOf(printed, 'properties');
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, item]) => {
        const at = place === '' ? name : `${place}.${name}`;
        const field = Object.hasOwn(known, name) ? known[name] : undefined;
        if (field) {
          if (isPrinted && item === null && ![field.type].flat().includes('null')) return [];
          const shapesOfField = fields.flatMap((each) => (Object.hasOwn(each, name) ? [each[name]] : []));
          return [[name, cut(field, shapesOfField, item, at)]];
        }
        const isUnknown = !isOnlyIn(known, fields, name);
        if (isUnknown && (!isPrinted || findNearest(name, Object.keys(known)) !== undefined))
          return [[name, item]];
        ignored.add(at);
        return [];
      }),
    );
  };
  return { body: cut(schema, shapes, body, '') as JsonObject, responseOnly, ignored: [...ignored] };
}

type Fields = Readonly<Record<string, AnswerShape>>;
type Shapes = readonly (AnswerShape | undefined)[];

/** Returns a part of each shape and of its alternatives. */
function shapesOf<P extends 'properties' | 'items'>(
  shapes: Shapes,
  part: P,
): readonly NonNullable<AnswerShape[P]>[] {
  return shapes.flatMap((shape): readonly NonNullable<AnswerShape[P]>[] => {
    const found = shape?.[part];
    return [...(found ? [found] : []), ...shapesOf(shape?.anyOf ?? [], part)];
  });
}
