/** Converts strings of a query or a command line to the type of a schema. Other strings stay unchanged for the validator. */
import type { JsonSchema } from './endpoint.ts';

const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

export const typesOf = (schema: JsonSchema): readonly string[] =>
  schema.type === undefined ? [] : [schema.type].flat();

/** Returns the value of a text, or the text itself if it has no such value, so that the validator can report it. */
export function coerceText(text: string, schema: JsonSchema): unknown {
  const types = typesOf(schema);
  if (text === 'null' && types.includes('null')) return null;
  if ((types.includes('number') || types.includes('integer')) && NUMBER.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Converts one or more texts as `coerceText` does; for a list schema it also splits them at commas. */
export function coerceTexts(texts: readonly string[], schema: JsonSchema): unknown {
  if (!typesOf(schema).includes('array')) return coerceText(texts.at(-1) ?? '', schema);
  const items = schema.items ?? {};
  return texts.flatMap((text) => text.split(',')).map((text) => coerceText(text.trim(), items));
}
