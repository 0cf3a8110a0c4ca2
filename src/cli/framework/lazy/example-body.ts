/** The commented YAML of `--example`: every field of a body with its meaning, bounds and default. */
import type { JsonSchema } from '../../../contract/index.ts';
import type { Command } from '../types.ts';

/** Values that read better than what a schema alone suggests. */
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
  comparison: 'LESS_THAN',
  target: '400',
  regex: null,
};

/**
 * A body that `-f` accepts as it stands: required fields are there, all others are comments of the form `#name: value`,
 * which become fields when the `#` is taken away.
 */
export function exampleOf(schema: JsonSchema, command: Pick<Command, 'name' | 'flags'>): string {
  const filled = Object.keys(command.flags?.fill ?? {});
  const head = [
    `# Request body for: sonde ${command.name} -f FILE`,
    '# To set a field, remove the # before it.',
    '',
  ];
  return `${[...head, ...objectLines(schema, '', false, filled)].join('\n')}\n`;
}

/**
 * What stands, as YAML in which every field is explained; those that are not set are comments of the form `#name: value`.
 *
 * @param toYaml how a value is written
 */
export function explainedYaml(
  schema: JsonSchema,
  standing: Readonly<Record<string, unknown>>,
  toYaml: (value: unknown) => string,
): string {
  const blocks = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isSet = Object.hasOwn(standing, name);
    const lines = isSet
      ? [toYaml({ [name]: standing[name] }).trimEnd()]
      : fieldLines(name, field, '#', '', true);
    const isRequired = schema.required?.includes(name) ?? false;
    return [...[...comment(field, isRequired, ''), ...insideOf(field)].flatMap(broken), ...lines];
  });
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The fields inside of a field, and the names of those inside of them. */
function insideOf(field: JsonSchema): string[] {
  const inner = ({ properties, items }: JsonSchema) => Object.entries(properties ?? items?.properties ?? {});
  return inner(field).map(([name, one]) => {
    const names = inner(one).map(([each]) => each);
    const fields = names.length === 0 ? '' : `: ${names.join(', ')}`;
    return `#   ${name}: ${one.description ?? ''}${fields}`;
  });
}

const COLUMNS = 80;

/** A comment in lines that an editor shows whole. */
function broken(line: string): string[] {
  if (line.length <= COLUMNS) return [line];
  const end = line.lastIndexOf(' ', COLUMNS);
  const [, lead = ''] = /^(# *)/.exec(line) ?? [];
  return end <= lead.length ? [line] : [line.slice(0, end), ...broken(`${lead}  ${line.slice(end + 1)}`)];
}

const typesOf = (schema: JsonSchema): readonly string[] => [schema.type ?? []].flat();

/** The lines of an object's fields. `off`: it stands in a comment as a whole. */
function objectLines(
  schema: JsonSchema,
  indent: string,
  off: boolean,
  filled: readonly string[] = [],
): string[] {
  const entries = Object.entries(schema.properties ?? {});
  const isRequired = (name: string) => (schema.required?.includes(name) ?? false) && !filled.includes(name);
  return entries.flatMap(([name, field]) => {
    const commented = off || !isRequired(name);
    const mark = commented ? '#' : '';
    return [
      ...comment(field, isRequired(name), indent),
      ...fieldLines(name, field, `${mark}${indent}`, indent, commented),
    ];
  });
}

function comment(schema: JsonSchema, required: boolean, indent: string): string[] {
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

function fieldLines(name: string, schema: JsonSchema, start: string, indent: string, off: boolean): string[] {
  const types = typesOf(schema);
  if (types.includes('object') && schema.properties) {
    return [`${start}${name}:`, ...objectLines(schema, `${indent}  `, off)];
  }
  if (types.includes('array') && schema.items?.properties && schema.default === undefined) {
    return [`${start}${name}:`, ...entryLines(schema.items, indent, off)];
  }
  return [`${start}${name}: ${inline(sample(name, schema))}`];
}

/** One entry of a list: its first field stands, and of the others those that must; the rest are comments. */
function entryLines(items: JsonSchema, indent: string, off: boolean): string[] {
  const required = new Set(items.required ?? []);
  const entries = Object.entries(items.properties ?? {});
  const ordered = [...entries].sort(([a], [b]) => Number(required.has(b)) - Number(required.has(a)));
  return ordered.map(([key, field], index) => {
    const mark = off || (index > 0 && !required.has(key)) ? '#' : '';
    return `${mark}${indent}  ${index === 0 ? '- ' : '  '}${key}: ${inline(sample(key, field))}`;
  });
}

/** JSON is YAML, and needs no rules for quoting. */
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

/** A text as what the schema says of it suggests: `Name of the page` is `My page`. */
function spokenText(name: string, description: string): string {
  const [, thing] = /^(?:Name|Title) of the (\w+)$/.exec(description) ?? [];
  if (thing !== undefined) return `My ${thing}`;
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
      return spokenText(name, schema.description ?? '');
  }
}
