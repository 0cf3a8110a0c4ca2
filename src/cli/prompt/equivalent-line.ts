/** Formats the command line that is equivalent to the answers, without secrets, for users to copy. */
import type { JsonSchema } from '../../contract/index.ts';
import { nameOfValue } from '../../contract/value-names.ts';
import type { CommandSpec, Flag } from '../framework/command-spec.ts';
import { quoteShellWord } from '../framework/format-command-line.ts';
import type { TokenizedLine } from '../framework/program.ts';
import { camelCase, kebabCase, parsePath, schemaAtPath } from '../framework/request-fields.ts';
import type { PromptContext } from './draft.ts';

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

/** Prints the summary to stderr. */
export async function printSummary({ spec, draft, deps, command }: PromptContext): Promise<void> {
  const { terminal } = deps;
  const { texts } = draft.line();
  const order = (command.interview?.steps ?? []).map(({ flag }) => flag);
  const position = ({ field, flag }: Flag) => {
    const at = order.indexOf(field?.flag ?? flag);
    return at < 0 ? order.length : at;
  };
  const rows = spec.flags
    .filter(
      ({ group, flag }) => (group === 'body' || BODY_FLAGS.includes(flag)) && texts.has(camelCase(flag)),
    )
    .sort((a, b) => position(a) - position(b))
    .map((flag): readonly [string, string] => [
      kebabCase(String(flag.field?.path.at(-1) ?? flag.flag)).replaceAll('-', ' '),
      formatValue(flag, texts.get(camelCase(flag.flag)) ?? [], command.endpoint?.body),
    ]);
  const widest = Math.max(...rows.map(([label]) => label.length));
  const { dim } = await terminal.styles('stderr');
  await terminal.err('\n');
  for (const [label, value] of rows) {
    const left = `  ${label.padEnd(widest)}  `;
    const indent = ' '.repeat(left.length);
    await terminal.lines(value, (text) => dim(left) + text.slice(indent.length), indent);
  }
  await terminal.lines(
    `All other fields have their defaults. To list them, run: sonde ${command.name} --help`,
    dim,
    '  ',
  );
  await terminal.err('\n');
}

/** Flags that set more of the body than one field. */
const BODY_FLAGS = ['file', 'set'];

function formatValue(
  flag: Flag,
  texts: readonly string[],
  body: Parameters<typeof redactFlagText>[3],
): string {
  const { option, field } = flag;
  if (option.takes === 'nothing') return texts.at(-1) === 'false' ? 'no' : 'yes';
  // Repeated values get one line each.
  const shown = texts.flatMap((text) => redactFlagText(text, flag.flag, field, body));
  if (field?.kind === 'list') return shown.join(',').replaceAll(',', ', ');
  if (field?.kind !== 'scalar') return shown.join('\n');
  const [text = ''] = shown.slice(-1);
  // The meaning of a number is clearer than the number.
  const named = typeof field.schema.enum?.[0] === 'number' ? nameOfValue(field.schema, text) : undefined;
  return named?.description || text;
}
