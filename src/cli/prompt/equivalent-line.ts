/** Formats the command line that is equivalent to the answers, without secrets, for users to copy. */
import type { JsonSchema } from '../../contract/index.ts';
import { parsePath, schemaAtPath } from '../framework/body-paths.ts';
import type { CommandSpec, Flag } from '../framework/command-spec.ts';
import { quoteShellWord } from '../framework/format-command-line.ts';
import type { TokenizedLine } from '../framework/program.ts';
import { camelCase } from '../framework/request-fields.ts';

/** Returns the line, quoted for a shell. `body`: the schema of the body, if any. */
export function equivalentLine(
  name: string,
  spec: CommandSpec,
  { texts, arguments: args }: TokenizedLine,
  body?: JsonSchema,
): string {
  const words = args.flatMap((each) => each ?? []);
  const flags = spec.flags.flatMap((flag) => flagWords(flag, texts.get(camelCase(flag.flag)) ?? [], body));
  // After two dashes, a word that starts with a dash is not a flag.
  const end = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  const ordered = end.length > 0 ? [...flags, ...end, ...words] : [...words, ...flags];
  return ['sonde', ...name.split(' '), ...ordered].map(quoteShellWord).join(' ');
}

function flagWords(
  { flag, option, field }: Flag,
  texts: readonly string[],
  body?: JsonSchema,
): readonly string[] {
  if (option.takes === 'nothing') {
    return texts.length === 0 ? [] : [texts.at(-1) === 'false' ? `--no-${flag}` : `--${flag}`];
  }
  const shown = texts.flatMap((text) => redactFlagText(text, flag, field, body));
  return shown.flatMap((text) => [`--${flag}`, text]);
}

/** Removes secrets from a text of a flag. A variable becomes its name, so that its value comes from the environment. */
export function redactFlagText(
  text: string,
  flag: string,
  field: Flag['field'],
  body?: JsonSchema,
): readonly string[] {
  if (field?.kind === 'variables' && flag === field.flag) {
    const names = /^\s*\[/.test(text) ? variableNames(text) : [text.split('=')[0] ?? ''];
    return names.filter((name) => name !== '');
  }
  if (field !== undefined && flag === field.flag && hasSecrets(field.schema)) return ['…'];
  if (flag !== 'set') return [text];
  const at = text.indexOf('=');
  const path = parsePath(text.slice(0, at));
  const schema = path && schemaAtPath(body, path);
  return [schema && hasSecrets(schema) ? `${text.slice(0, at)}=…` : text];
}

function variableNames(json: string): readonly string[] {
  try {
    const read: unknown = JSON.parse(json);
    return Array.isArray(read) ? read.flatMap(({ key }) => (typeof key === 'string' ? key : [])) : [];
  } catch {
    return [];
  }
}

/** Returns whether a value of the schema may contain a secret. */
function hasSecrets({ writeOnly, items, properties = {} }: JsonSchema): boolean {
  return writeOnly === true || [...(items ? [items] : []), ...Object.values(properties)].some(hasSecrets);
}
