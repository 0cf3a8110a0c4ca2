/** Formats the YAML of `--example`: every field of a body with its description, bounds and default. */
import type { JsonSchema } from '../../../contract/index.ts';
import type { Command } from '../types.ts';

/** Samples that read better than values derived from the schema. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  query: 'example.com',
  hostname: 'example.com',
  prompt: 'Open https://example.com and check that a user can sign in',
  periodUnit: 'hours',
  graceUnit: 'hours',
  frequencyOffset: 1,
  nameServer: '192.0.2.53',
  port: 53,
  script: "const { test } = require('@playwright/test');",
  path: 'lib/helper.js',
  key: 'TOKEN',
  comparison: 'LESS_THAN',
  target: '400',
  regex: null,
};

/**
 * Returns a body that `-f` accepts: required fields are set, and all others are comments of the form `#name: value`,
 * which become fields without the `#`.
 */
export function exampleBody(schema: JsonSchema, command: Pick<Command, 'name' | 'flags'>): string {
  const filled = Object.keys(command.flags?.fill ?? {});
  const head = [
    `# Request body for: sonde ${command.name} -f FILE`,
    '# To set a field, remove the # before it.',
    '',
  ];
  return `${[...head, ...objectLines(schema, '', false, filled)].join('\n')}\n`;
}

/**
 * Returns values as YAML with a comment for every field; unset fields are comments of the form `#name: value`.
 *
 * @param toYaml formats a value
 */
export function explainedYaml(
  schema: JsonSchema,
  values: Readonly<Record<string, unknown>>,
  toYaml: (value: unknown) => string,
): string {
  const blocks = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isSet = Object.hasOwn(values, name);
    const lines = isSet
      ? [toYaml({ [name]: values[name] }).trimEnd()]
      : fieldLines(name, field, '#', '', true);
    const isRequired = schema.required?.includes(name) ?? false;
    return [
      ...[...fieldComment(field, isRequired, ''), ...nestedFieldComments(field)].flatMap(wrapComment),
      ...lines,
    ];
  });
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function nestedFieldComments(field: JsonSchema): string[] {
  const inner = ({ properties, items }: JsonSchema) => Object.entries(properties ?? items?.properties ?? {});
  return inner(field).map(([name, one]) => {
    const names = inner(one).map(([each]) => each);
    const fields = names.length === 0 ? '' : `: ${names.join(', ')}`;
    return `#   ${name}: ${one.description ?? ''}${fields}`;
  });
}

const MAX_COMMENT_WIDTH = 80;

/** Wraps a comment, so that an editor shows it completely. */
function wrapComment(line: string): string[] {
  if (line.length <= MAX_COMMENT_WIDTH) return [line];
  const end = line.lastIndexOf(' ', MAX_COMMENT_WIDTH);
  const [, lead = ''] = /^(# *)/.exec(line) ?? [];
  return end <= lead.length
    ? [line]
    : [line.slice(0, end), ...wrapComment(`${lead}  ${line.slice(end + 1)}`)];
}

const typesOf = (schema: JsonSchema): readonly string[] => [schema.type ?? []].flat();

/** Returns the lines of an object's fields. `isCommented`: the whole object is a comment. */
function objectLines(
  schema: JsonSchema,
  indent: string,
  isCommented: boolean,
  filled: readonly string[] = [],
): string[] {
  const entries = Object.entries(schema.properties ?? {});
  const isRequired = (name: string) => (schema.required?.includes(name) ?? false) && !filled.includes(name);
  return entries.flatMap(([name, field]) => {
    const isComment = isCommented || !(isRequired(name) || field['x-sample'] === true);
    const mark = isComment ? '#' : '';
    return [
      ...fieldComment(field, isRequired(name), indent),
      ...fieldLines(name, field, `${mark}${indent}`, indent, isComment),
    ];
  });
}

function fieldComment(schema: JsonSchema, required: boolean, indent: string): string[] {
  const values = schema.enum ?? schema.items?.enum;
  const notes = [
    ...(required ? ['required'] : []),
    ...(schema.deprecated ? [`deprecated, use ${schema['x-instead'] ?? 'another field'}`] : []),
    ...(values ? [`one of ${values.map(String).join(', ')}`] : []),
    ...(schema.minimum === undefined ? [] : [`at least ${schema.minimum}`]),
    ...(schema.maximum === undefined ? [] : [`at most ${schema.maximum}`]),
    ...(schema.maxLength === undefined ? [] : [`at most ${schema.maxLength} characters`]),
    ...(schema.maxItems === undefined ? [] : [`at most ${schema.maxItems} items`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  const text = [schema.description ?? '', ...(notes.length > 0 ? [`(${notes.join('; ')})`] : [])]
    .join(' ')
    .trim();
  return text === '' ? [] : [`${indent}# ${text}`];
}

function fieldLines(
  name: string,
  schema: JsonSchema,
  start: string,
  indent: string,
  isCommented: boolean,
): string[] {
  const types = typesOf(schema);
  if (types.includes('object') && schema.properties) {
    return [`${start}${name}:`, ...objectLines(schema, `${indent}  `, isCommented)];
  }
  if (types.includes('array') && schema.items?.properties && schema.default === undefined) {
    return [`${start}${name}:`, ...entryLines(schema.items, indent, isCommented)];
  }
  return [`${start}${name}: ${inline(sample(name, schema))}`];
}

/** Returns the lines of one list entry: its first and its required fields are set, and the rest are comments. */
function entryLines(items: JsonSchema, indent: string, isCommented: boolean): string[] {
  const required = new Set(items.required ?? []);
  const entries = Object.entries(items.properties ?? {});
  const ordered = [...entries].sort(([a], [b]) => Number(required.has(b)) - Number(required.has(a)));
  return ordered.map(([key, field], index) => {
    const mark = isCommented || (index > 0 && !required.has(key)) ? '#' : '';
    return `${mark}${indent}  ${index === 0 ? '- ' : '  '}${key}: ${inline(sample(key, field))}`;
  });
}

/** Formats a value as JSON, which is valid YAML and needs no quoting rules. */
const inline = (value: unknown): string => JSON.stringify(value);

function sample(name: string, schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (Object.hasOwn(SAMPLES, name)) return SAMPLES[name];
  const [first] = schema.enum ?? [];
  if (first !== undefined) return first;
  const types = typesOf(schema);
  if (types.includes('array')) return schema.items ? [sample('', schema.items)] : [];
  if (types.includes('object')) {
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([key, field]) => [key, sample(key, field)]),
    );
  }
  if (types.includes('boolean')) return false;
  if (types.includes('number') || types.includes('integer')) return schema.minimum ?? 1;
  return sampleText(name, schema);
}

/** Derives a sample from the description: `My page` from `Name of the page`. */
function textFromDescription(name: string, description: string): string {
  const [, noun] = /^(?:Name|Title) of the (\w+)$/.exec(description) ?? [];
  if (noun !== undefined) return `My ${noun}`;
  if (description.startsWith('Slug ')) return 'my-slug';
  if (name === 'url') return 'https://example.com';
  return name === '' ? 'text' : '';
}

function sampleText(name: string, schema: JsonSchema): string {
  switch (schema.format) {
    case 'uuid':
      return '00000000-0000-4000-8000-000000000000';
    case 'date':
      return '2026-11-21';
    case 'date-time':
      return '2026-11-21T08:00:00Z';
    case 'ipv4':
      return '192.0.2.1';
    default:
      return textFromDescription(name, schema.description ?? '');
  }
}
