/** Positional arguments: read from the line or from stdin, and turned into the parameters of the endpoint's path. */
import type { Problem } from '../../base/errors.ts';
import { REQUIRED_ARGUMENT } from '../../base/phrases.ts';
import { coerceText } from '../../contract/coerce.ts';
import type { Endpoint } from '../../contract/index.ts';
import { kebab } from './request-fields.ts';
import { placeOfArgument, type Shape } from './command-spec.ts';
import { notOneOf } from './options.ts';
import type { ParseContext } from './parse-context.ts';
import { NO_NAMES, withIds } from './resolved-names.ts';
import type { Collected } from './tokenize-argv.ts';

/** What the positional arguments came to. */
export interface ReadArguments {
  readonly args: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly many: boolean;
  /** The ids of a list that fills a path parameter. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** Those that were not given and a person can be asked for: required ones, and those that no option stands for. */
  readonly absent: readonly { readonly key: string; readonly place: string }[];
}

/** Reads the arguments, those of `-` from stdin; what is missing is told by the name that help gives it. */
export async function readArguments(
  shape: Shape,
  collected: Collected,
  { readStdin }: Pick<ParseContext, 'readStdin'>,
  problems: Problem[],
): Promise<ReadArguments> {
  const args: Record<string, string | readonly string[] | undefined> = {};
  const lists = new Map<string, readonly string[]>();
  const absent: ReadArguments['absent'][number][] = [];
  const { resolved = NO_NAMES } = collected;
  let many = false;
  for (const [index, [key, argument]] of shape.arguments.entries()) {
    const given = collected.arguments[index];
    const place = placeOfArgument(key, argument);
    if (!argument.variadic) {
      const [text] = typeof given === 'string' ? withIds(resolved, argument.of, [given]) : [];
      if (text === undefined && argument.required) {
        problems.push({ place, message: REQUIRED_ARGUMENT });
        absent.push({ key, place });
      }
      if (text !== undefined && argument.allowed?.includes(text) === false) {
        problems.push({ place, ...notOneOf(text, argument.allowed) });
      }
      args[key] = text;
      continue;
    }
    const typed = typeof given === 'string' ? [given] : (given ?? []);
    const fromStdin = typed.includes('-');
    const read = fromStdin ? lines(await readStdin()) : [];
    const words = typed.flatMap((text) => (text === '-' ? read : [text]));
    const ids = withIds(resolved, argument.of, words);
    if (words.length === 0 && argument.required) {
      problems.push({
        place,
        message: fromStdin
          ? 'is required, but stdin was empty: check the command that writes the IDs'
          : REQUIRED_ARGUMENT,
      });
    }
    const isNamed = argument.required
      ? fromStdin
      : argument.unless?.some((option) => collected.texts.has(option)) !== false;
    if (words.length === 0 && !isNamed) absent.push({ key, place });
    many ||= fromStdin || words.length > 1;
    args[key] = ids;
    if (argument.param) lists.set(argument.param, ids);
  }
  return { args, many, lists, absent };
}

const lines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The path parameters: one set, or one for each id of a list. */
export function paramsOf(
  endpoint: Endpoint,
  shape: Shape,
  args: ReadArguments['args'],
  lists: ReadArguments['lists'],
): readonly Record<string, unknown>[] {
  const single: Record<string, unknown> = {};
  const value = (param: string, text: string): unknown =>
    coerceText(text, endpoint.params.properties?.[param] ?? {});
  for (const [key, { param }] of shape.arguments) {
    const text = args[key];
    if (param && typeof text === 'string') single[param] = value(param, text);
  }
  const [list] = lists;
  if (!list) return [single];
  const [param, ids] = list;
  return ids.map((id) => ({ ...single, [param]: value(param, id) }));
}

/** The argument that a path parameter came from. */
export function placeOfParam(shape: Shape, name: string): string {
  const found = shape.arguments.find(([, { param }]) => param === name);
  return found ? placeOfArgument(...found) : `<${kebab(name)}>`;
}
