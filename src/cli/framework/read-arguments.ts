/** Reads positional arguments from the line or stdin, and derives the path parameters of the endpoint from them. */
import type { Problem } from '../../base/errors.ts';
import { REQUIRED_ARGUMENT } from '../../base/phrases.ts';
import { coerceText } from '../../contract/coerce.ts';
import type { Endpoint } from '../../contract/index.ts';
import { argumentLabel, type CommandSpec } from './command-spec.ts';
import { invalidChoice } from './options.ts';
import type { TokenizedLine } from './program.ts';
import type { ParseContext } from './read-request-body.ts';
import { kebabCase } from './request-fields.ts';
import { NO_NAMES, replaceWithIds } from './resolved-names.ts';

export interface ParsedArguments {
  readonly args: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly many: boolean;
  /** The IDs of a list that fills a path parameter. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** Missing arguments that sonde can prompt for: required ones, and optional ones that no option replaces. */
  readonly missing: readonly { readonly key: string; readonly place: string }[];
}

/** Reads the arguments; `-` reads a list from stdin. Problems name an argument as help does. */
export async function readArguments(
  spec: CommandSpec,
  line: TokenizedLine,
  { readStdin }: Pick<ParseContext, 'readStdin'>,
  problems: Problem[],
): Promise<ParsedArguments> {
  const args: Record<string, string | readonly string[] | undefined> = {};
  const lists = new Map<string, readonly string[]>();
  const missing: ParsedArguments['missing'][number][] = [];
  const { resolved = NO_NAMES } = line;
  let many = false;
  for (const [index, [key, argument]] of spec.arguments.entries()) {
    const tokens = line.arguments[index];
    const place = argumentLabel(key, argument);
    if (!argument.variadic) {
      const [text] = typeof tokens === 'string' ? replaceWithIds(resolved, argument.of, [tokens]) : [];
      if (text === undefined && argument.required) {
        problems.push({ place, message: REQUIRED_ARGUMENT });
        missing.push({ key, place });
      }
      if (text !== undefined && argument.allowed?.includes(text) === false) {
        problems.push({ place, ...invalidChoice(text, argument.allowed) });
      }
      args[key] = text;
      continue;
    }
    const typed = typeof tokens === 'string' ? [tokens] : (tokens ?? []);
    const isFromStdin = typed.includes('-');
    const stdinWords = isFromStdin ? nonEmptyLines(await readStdin()) : [];
    const words = typed.flatMap((text) => (text === '-' ? stdinWords : [text]));
    const ids = replaceWithIds(resolved, argument.of, words);
    if (words.length === 0 && argument.required) {
      problems.push({
        place,
        message: isFromStdin
          ? 'is required, but stdin was empty: check the command that writes the IDs'
          : REQUIRED_ARGUMENT,
      });
    }
    const isReplaced = argument.required
      ? isFromStdin
      : argument.unless?.some((option) => line.texts.has(option)) !== false;
    if (words.length === 0 && !isReplaced) missing.push({ key, place });
    many ||= isFromStdin || words.length > 1;
    args[key] = ids;
    if (argument.param) lists.set(argument.param, ids);
  }
  return { args, many, lists, missing };
}

const nonEmptyLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Returns the path parameters: one set, or one for each ID of a list. */
export function paramsOf(
  endpoint: Endpoint,
  spec: CommandSpec,
  args: ParsedArguments['args'],
  lists: ParsedArguments['lists'],
): readonly Record<string, unknown>[] {
  const single: Record<string, unknown> = {};
  const value = (param: string, text: string): unknown =>
    coerceText(text, endpoint.params.properties?.[param] ?? {});
  for (const [key, { param }] of spec.arguments) {
    const text = args[key];
    if (param && typeof text === 'string') single[param] = value(param, text);
  }
  const [list] = lists;
  if (!list) return [single];
  const [param, ids] = list;
  return ids.map((id) => ({ ...single, [param]: value(param, id) }));
}

/** Returns the label of the argument that fills a path parameter. */
export function labelOfParam(spec: CommandSpec, name: string): string {
  const entry = spec.arguments.find(([, { param }]) => param === name);
  return entry ? argumentLabel(...entry) : `<${kebabCase(name)}>`;
}
