/** Parses the texts of a flag into the value of its field. The contract validates the value later. */
import { explainExcess } from '../../base/depth.ts';
import { coerceText, coerceTexts, typesOf } from '../../contract/coerce.ts';
import type { JsonSchema } from '../../contract/index.ts';
import type { ReportProblem } from './options.ts';
import type { RequestField } from './request-fields.ts';

export interface FlagContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly reportProblem: ReportProblem;
}

/** Returns the value of a field from the texts of its flag. */
export function parseFlagValues(
  field: RequestField,
  texts: readonly string[],
  context: FlagContext,
): unknown {
  const { schema, kind } = field;
  if (texts.at(-1) === 'null' && typesOf(schema).includes('null')) return null;
  const items = schema.items ?? {};
  const excess =
    kind === 'switch' || kind === 'scalar' ? [] : texts.flatMap((text) => explainJsonExcess(text) ?? []);
  if (excess[0] !== undefined) {
    context.reportProblem({ message: excess[0] });
    return undefined;
  }
  switch (kind) {
    case 'switch':
    case 'scalar':
      return coerceText(texts.at(-1) ?? '', schema);
    case 'list':
      return texts.at(-1) === '[]' ? [] : coerceTexts(texts, schema);
    case 'object':
      return parseObject(texts, schema, context.reportProblem);
    case 'objects':
      return parseItems(texts, (text) => parseObject([text], items, context.reportProblem));
    case 'ids':
      return parseIds(texts, schema);
    case 'variables':
      return parseItems(texts, (text) => parseVariable(text, context));
    case 'pairs':
      return parseItems(texts, (text) => parsePair(text, context.reportProblem));
    case 'assertions':
      return parseItems(texts, (text) => parseAssertion(text, items, context.reportProblem));
    default:
      return kind satisfies never;
  }
}

/** Says that JSON is nested too deep. Undefined: it is not, or the text is no list or object. */
export const explainJsonExcess = (text: string): string | undefined =>
  /^\s*[[{]/.test(text) ? explainExcess(text) : undefined;

function parseItems(texts: readonly string[], read: (text: string) => unknown): unknown {
  if (texts.length === 1 && texts[0]?.trimStart().startsWith('[')) return parseJson(texts[0]) ?? texts[0];
  return texts.map(read).filter((item) => item !== undefined);
}

/** Converts `a,b` to `[{id: a}, {id: b}]`. */
function parseIds(texts: readonly string[], schema: JsonSchema): unknown {
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

/** Parses `gte=2026-11-21`, `type=FIXED,maxRetries=3`, `{"type": "FIXED"}`, or a bare word if the schema allows text. */
function parseObject(texts: readonly string[], schema: JsonSchema, reportProblem: ReportProblem): unknown {
  const last = texts.at(-1) ?? '';
  if (/^\s*[{[]/.test(last)) {
    const value = parseJson(last);
    if (value === undefined) reportProblem({ message: 'is not valid JSON' });
    return value;
  }
  if (!last.includes('=') && typesOf(schema).includes('string')) return last;
  const value: Record<string, unknown> = {};
  // Only a comma before a name and `=` separates, so that values can contain commas.
  for (const part of texts.flatMap((text) => text.split(/,(?=\s*[\w-]+=)/))) {
    const [name, text] = splitPair(part);
    if (text === undefined) {
      const example =
        schema['x-example'] === undefined ? '' : `, such as ${flagExample(schema['x-example'])}`;
      reportProblem({
        message: `must be name=value or JSON${example}, not "${part}"`,
        ...allowedNames(schema),
      });
      return undefined;
    }
    const known = schema.properties?.[name];
    value[name] = known ? parseValue(text, known) : text;
  }
  return value;
}

/** Returns the example of a query, `startsAt[gte]=2026-11-21`, as a flag takes it: `gte=2026-11-21`. */
const flagExample = (example: string): string => example.replace(/^\w+\[(\w+)\]/, '$1');

const allowedNames = (schema: JsonSchema) =>
  schema.properties ? { allowed: Object.keys(schema.properties).map((name) => `${name}=…`) } : {};

/** Parses a text for a schema of any kind, as JSON if it starts like JSON. */
export function parseValue(text: string, schema: JsonSchema): unknown {
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

function parsePair(text: string, reportProblem: ReportProblem): unknown {
  const [key, value] = splitPair(text);
  if (value === undefined || key === '') {
    reportProblem({ message: `must be KEY=VALUE, not "${text}"` });
    return undefined;
  }
  return { key, value };
}

function parseVariable(text: string, { env, reportProblem }: FlagContext): unknown {
  const [key, explicit] = splitPair(text);
  const value = explicit ?? env[key];
  if (key === '') reportProblem({ message: 'must be KEY=VALUE, or KEY to read it from the environment' });
  // The message does not repeat the text, which may be a secret value without its name.
  else if (value === undefined) reportProblem({ message: 'is not set in the environment' });
  return value === undefined ? undefined : { key, value };
}

/** Parses `RESPONSE_CODE EQUALS NOERROR`, `JSON_ANSWER($.Answer[0].data) CONTAINS 192.0.2.`. */
function parseAssertion(text: string, schema: JsonSchema, reportProblem: ReportProblem): unknown {
  const match = text.trim().match(/^([A-Za-z_]+)(?:\((.*)\))?\s+([A-Za-z_]+)(?:\s+([\s\S]*))?$/);
  if (!match) {
    reportProblem({
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

/** Parses the lines of an `--env-file`: `KEY=VALUE`, `export KEY="VALUE"`, `# comment`. Returns the number of each line. */
export function parseEnvFile(
  text: string,
  reportProblem: (line: number, message: string) => void,
): readonly { readonly key: string; readonly value: string; readonly line: number }[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((raw, index) => {
      const line = raw.trim();
      if (line === '' || line.startsWith('#')) return [];
      const match = line.match(/^(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*([\s\S]*)$/);
      if (!match) {
        reportProblem(index + 1, 'must be KEY=VALUE');
        return [];
      }
      const [, key = '', value = ''] = match;
      return [{ key, value: unquote(value), line: index + 1 }];
    });
}

function unquote(value: string): string {
  const double = value.match(/^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/);
  if (double) {
    return (double[1] ?? '').replace(
      /\\(.)/g,
      (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter,
    );
  }
  const single = value.match(/^'([^']*)'\s*(?:#.*)?$/);
  return single ? (single[1] ?? '') : value.replace(/(?<!\s)\s+#.*$/, '');
}
