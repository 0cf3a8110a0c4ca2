/** From the strings of a query or a command line to the values a schema asks for. What does not fit is left for the validator. */
import type { JsonSchema } from './endpoint.ts';

const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

export const typesOf = (schema: JsonSchema): readonly string[] =>
  schema.type === undefined ? [] : [schema.type].flat();

/** The value that a text stands for; the text itself where it stands for none, so that the validator can name it. */
export function coerceText(text: string, schema: JsonSchema): unknown {
  const types = typesOf(schema);
  if (text === 'null' && types.includes('null')) return null;
  if ((types.includes('number') || types.includes('integer')) && NUMBER.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** As `coerceText`, for one or more texts where the schema is a list (also split at commas). */
export function coerceTexts(texts: readonly string[], schema: JsonSchema): unknown {
  if (!typesOf(schema).includes('array')) return coerceText(texts.at(-1) ?? '', schema);
  const items = schema.items ?? {};
  return texts.flatMap((text) => text.split(',')).map((text) => coerceText(text.trim(), items));
}
