/** The command line that says what a dialogue came to: to be copied, and without what nobody may read. */
import type { JsonSchema } from '../../contract/index.ts';
import { camel } from '../framework/request-fields.ts';
import { parsePath, schemaAtPath } from '../framework/body-paths.ts';
import { shellWord } from '../framework/format-command-line.ts';
import type { Flag, Shape } from '../framework/command-spec.ts';
import type { Collected } from '../framework/tokenize-argv.ts';

/** The line as a shell reads it. `body`: the schema of the body, where there is one. */
export function lineOf(
  name: string,
  shape: Shape,
  { texts, arguments: given }: Collected,
  body?: JsonSchema,
): string {
  const words = given.flatMap((each) => each ?? []);
  const flags = shape.flags.flatMap((flag) => wordsOf(flag, texts.get(camel(flag.flag)) ?? [], body));
  // A word that looks like an option is none behind two dashes.
  const end = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  const ordered = end.length > 0 ? [...flags, ...end, ...words] : [...words, ...flags];
  return ['sonde', ...name.split(' '), ...ordered].map(shellWord).join(' ');
}

function wordsOf(
  { flag, option, field }: Flag,
  texts: readonly string[],
  body?: JsonSchema,
): readonly string[] {
  if (option.takes === 'nothing') {
    return texts.length === 0 ? [] : [texts.at(-1) === 'false' ? `--no-${flag}` : `--${flag}`];
  }
  const told = texts.flatMap((text) => toldOf(text, flag, field, body));
  return told.flatMap((text) => [`--${flag}`, text]);
}

/** What may be told of a text: a variable by its name, whose value then comes from the environment. */
export function toldOf(
  text: string,
  flag: string,
  field: Flag['field'],
  body?: JsonSchema,
): readonly string[] {
  if (field?.kind === 'variables' && flag === field.flag) {
    const names = /^\s*\[/.test(text) ? namesIn(text) : [text.split('=')[0] ?? ''];
    return names.filter((name) => name !== '');
  }
  if (field !== undefined && flag === field.flag && hidesSomething(field.schema)) return ['…'];
  if (flag !== 'set') return [text];
  const at = text.indexOf('=');
  const path = parsePath(text.slice(0, at));
  const schema = path && schemaAtPath(body, path);
  return [schema && hidesSomething(schema) ? `${text.slice(0, at)}=…` : text];
}

function namesIn(json: string): readonly string[] {
  try {
    const read: unknown = JSON.parse(json);
    return Array.isArray(read) ? read.flatMap(({ key }) => (typeof key === 'string' ? key : [])) : [];
  } catch {
    return [];
  }
}

/** Whether a value of the schema may hold what is never shown. */
function hidesSomething({ writeOnly, items, properties = {} }: JsonSchema): boolean {
  return writeOnly === true || [...(items ? [items] : []), ...Object.values(properties)].some(hidesSomething);
}
