/** From the texts of a flag to the value of its field. What does not fit the schema is left for the contract to judge. */
import { coerceText, coerceTexts, typesOf } from '../../contract/coerce.ts';
import type { JsonSchema } from '../../contract/index.ts';
import type { Field } from './request-fields.ts';
import type { Complain } from './options.ts';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly complain: Complain;
}

/** The value of a field from the texts that its flag was given. */
export function readField(field: Field, texts: readonly string[], around: Surroundings): unknown {
  const { schema, kind } = field;
  if (texts.at(-1) === 'null' && typesOf(schema).includes('null')) return null;
  const items = schema.items ?? {};
  switch (kind) {
    case 'switch':
    case 'scalar':
      return coerceText(texts.at(-1) ?? '', schema);
    case 'list':
      return texts.at(-1) === '[]' ? [] : coerceTexts(texts, schema);
    case 'object':
      return readObject(texts, schema, around.complain);
    case 'objects':
      return readItems(texts, (text) => readObject([text], items, around.complain));
    case 'ids':
      return readIds(texts, schema);
    case 'variables':
      return readItems(texts, (text) => variable(text, around));
    case 'pairs':
      return readItems(texts, (text) => pair(text, around.complain));
    case 'assertions':
      return readItems(texts, (text) => assertion(text, items, around.complain));
    default:
      return kind satisfies never;
  }
}

function readItems(texts: readonly string[], read: (text: string) => unknown): unknown {
  if (texts.length === 1 && texts[0]?.trimStart().startsWith('[')) return parseJson(texts[0]) ?? texts[0];
  return texts.map(read).filter((item) => item !== undefined);
}

/** `a,b` → `[{id: a}, {id: b}]`. */
function readIds(texts: readonly string[], schema: JsonSchema): unknown {
  if (texts.length === 1 && texts[0]?.trimStart().startsWith('[')) return parseJson(texts[0]) ?? texts[0];
  const ids = coerceTexts(texts, { type: 'array', items: schema.items?.properties?.id ?? {} });
  return Array.isArray(ids) ? ids.map((id: unknown) => ({ id })) : ids;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `gte=2026-11-21`, `type=FIXED,maxRetries=3`, `{"type": "FIXED"}`; a bare word where the schema takes texts, too. */
function readObject(texts: readonly string[], schema: JsonSchema, complain: Complain): unknown {
  const last = texts.at(-1) ?? '';
  if (/^\s*[{[]/.test(last)) {
    const value = parseJson(last);
    if (value === undefined) complain({ message: 'is not valid JSON' });
    return value;
  }
  if (!last.includes('=') && typesOf(schema).includes('string')) return last;
  const value: Record<string, unknown> = {};
  // A comma separates only where a name and `=` follow, so that values may hold commas.
  for (const part of texts.flatMap((text) => text.split(/,(?=\s*[\w-]+=)/))) {
    const [name, text] = splitPair(part);
    if (text === undefined) {
      complain({ message: `must be name=value or JSON, not "${part}"`, ...allowedNames(schema) });
      return undefined;
    }
    const known = schema.properties?.[name];
    value[name] = known ? valueFor(text, known) : text;
  }
  return value;
}

const allowedNames = (schema: JsonSchema) =>
  schema.properties ? { allowed: Object.keys(schema.properties).map((name) => `${name}=…`) } : {};

/** A text for a schema of any kind: JSON where that is what it starts like. */
export function valueFor(text: string, schema: JsonSchema): unknown {
  const types = typesOf(schema);
  if (/^\s*[[{]/.test(text) && (types.includes('array') || types.includes('object') || types.length === 0)) {
    return parseJson(text) ?? text;
  }
  return types.includes('array') ? coerceTexts([text], schema) : coerceText(text, schema);
}

function splitPair(text: string): [name: string, value: string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), undefined] : [text.slice(0, at).trim(), text.slice(at + 1)];
}

function pair(text: string, complain: Complain): unknown {
  const [key, value] = splitPair(text);
  if (value === undefined || key === '') {
    complain({ message: `must be KEY=VALUE, not "${text}"` });
    return undefined;
  }
  return { key, value };
}

function variable(text: string, { env, complain }: Surroundings): unknown {
  const [key, given] = splitPair(text);
  const value = given ?? env[key];
  if (key === '') complain({ message: 'must be KEY=VALUE, or KEY to read it from the environment' });
  // What was typed is not repeated: it may be the value that its name was forgotten for.
  else if (value === undefined) complain({ message: 'is not set in the environment' });
  return value === undefined ? undefined : { key, value };
}

/** `RESPONSE_CODE EQUALS NOERROR`, `JSON_ANSWER($.Answer[0].data) CONTAINS 192.0.2.`. */
function assertion(text: string, schema: JsonSchema, complain: Complain): unknown {
  const match = text.trim().match(/^([A-Za-z_]+)(?:\((.*)\))?\s+([A-Za-z_]+)(?:\s+([\s\S]*))?$/);
  if (!match) {
    complain({
      message: `must be SOURCE COMPARISON [target] or SOURCE(property) COMPARISON [target], not "${text}"`,
      allowed: (schema.properties?.source?.enum ?? []).map(String),
    });
    return undefined;
  }
  const [, source = '', property, comparison = '', target] = match;
  return {
    source: source.toUpperCase(),
    ...(property === undefined ? {} : { property }),
    comparison: comparison.toUpperCase(),
    ...(target === undefined ? {} : { target }),
  };
}

/** The lines of an `--env-file`: `KEY=VALUE`, `export KEY="VALUE"`, `# comment`. Gives the number of each line. */
export function readEnvFile(
  text: string,
  complain: (line: number, message: string) => void,
): readonly { readonly key: string; readonly value: string; readonly line: number }[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((raw, index) => {
      const line = raw.trim();
      if (line === '' || line.startsWith('#')) return [];
      const match = line.match(/^(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*([\s\S]*)$/);
      if (!match) {
        complain(index + 1, 'must be KEY=VALUE');
        return [];
      }
      const [, key = '', value = ''] = match;
      return [{ key, value: unquoted(value), line: index + 1 }];
    });
}

function unquoted(value: string): string {
  const double = value.match(/^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/);
  if (double) {
    return (double[1] ?? '').replace(
      /\\(.)/g,
      (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter,
    );
  }
  const single = value.match(/^'([^']*)'\s*(?:#.*)?$/);
  return single ? (single[1] ?? '') : value.replace(/\s+#.*$/, '');
}
