/** Completes the value of a flag or an argument. */
import { cityOf } from '../../contract/location-names.ts';
import type { ValueSpec } from '../framework/completion-reference.ts';
import type { Completion, CompletionSources, Word } from './shells/completion.ts';

/** The value so far. */
export interface TypedValue {
  /** The part of the word before the value: `--output=`. */
  readonly prefix: string;
  readonly value: string;
  /** Earlier values of the same flag, which a list does not offer again. */
  readonly taken: readonly string[];
  /** The flags of the line, with their values. */
  readonly options: ReadonlyMap<string, readonly string[]>;
}

const describeWords = (words: readonly string[]): Word[] =>
  words.map((value) => ({ value, description: cityOf(value) }));

/** No words. */
export const NOTHING: Completion = { kind: 'words', title: '', prefix: '', words: [] };

/** Completes a value by its spec. */
export async function completeValue(
  values: ValueSpec | undefined,
  typed: TypedValue,
  sources: CompletionSources,
  title: string,
): Promise<Completion> {
  const { prefix, value } = typed;
  const whole = { kind: 'words', title, prefix } as const;
  switch (values?.kind) {
    case undefined:
      return NOTHING;
    case 'words':
      if (values.commas) return completeListItem(describeWords(values.words), typed, title);
      return { ...whole, words: describeWords(values.words), isOrdered: true };
    case 'file':
      return { ...whole, kind: 'files', words: [] };
    case 'folder':
      return { ...whole, kind: 'folders', words: [] };
    case 'profile':
      return { ...whole, words: await sources.profiles() };
    case 'service-key':
      return { ...whole, words: await sources.serviceKeys(typed.options), isOrdered: true };
    case 'variable':
      // Only the user knows the value after `=`.
      return value.includes('=') ? NOTHING : { ...whole, words: describeWords(sources.variables()) };
    case 'resource': {
      const words = (await sources.recent(values.of, typed.options, value)).filter(
        (word) => !typed.taken.includes(word.value) && !(word.isName && value === ''),
      );
      return { ...whole, words, isOrdered: true };
    }
    case 'kind:file': {
      const kind = values.words.find((word) => value.startsWith(`${word}:`));
      if (kind !== undefined) return { ...whole, kind: 'files', prefix: `${prefix}${kind}:`, words: [] };
      return { ...whole, words: describeWords(values.words.map((word) => `${word}:`)), isOpen: true };
    }
    case 'assertion':
      return { ...whole, ...completeAssertion(value, values), isOpen: true, isOrdered: true };
    case 'pairs':
      return completePair(values.names, typed, title);
    default:
      return values satisfies never;
  }
}

function completeListItem(
  words: readonly Word[],
  { prefix, value, taken }: TypedValue,
  title: string,
): Completion {
  const at = value.lastIndexOf(',') + 1;
  const used = new Set([...value.slice(0, at).split(','), ...taken.flatMap((text) => text.split(','))]);
  return {
    kind: 'words',
    title,
    prefix: `${prefix}${value.slice(0, at)}`,
    words: words.filter((word) => !used.has(word.value)),
    isOpen: true,
    isOrdered: true,
  };
}

function completeAssertion(
  value: string,
  { sources, comparisons }: { readonly sources: readonly string[]; readonly comparisons: readonly string[] },
): Pick<Completion, 'words'> {
  const [, head] = value.match(/^([A-Z_]+(?:\(.*\))?)\s/) ?? [];
  const only = sources.filter((source) => source.startsWith(value));
  const source = head ?? (only.length === 1 ? only[0] : undefined);
  if (source === undefined) return { words: describeWords(sources) };
  return { words: comparisons.map((comparison) => ({ value: `${source} ${comparison} ` })) };
}

/** Completes `name=value,name=value`: a name, and then its value. */
function completePair(
  names: Readonly<Record<string, readonly string[]>>,
  { prefix, value }: TypedValue,
  title: string,
): Completion {
  if (/^\s*[[{]/.test(value)) return NOTHING;
  const at = value.lastIndexOf(',') + 1;
  const [name = '', text] = value.slice(at).split('=', 2);
  const head = `${prefix}${value.slice(0, at)}`;
  if (text !== undefined) {
    const allowed = Object.hasOwn(names, name) ? (names[name] ?? []) : [];
    return { kind: 'words', title, prefix: `${head}${name}=`, words: describeWords(allowed), isOpen: true };
  }
  const used = value
    .slice(0, at)
    .split(',')
    .map((pair) => pair.split('=', 1)[0]);
  const words = Object.keys(names).filter((each) => !used.includes(each));
  return {
    kind: 'words',
    title,
    prefix: head,
    words: describeWords(words.map((each) => `${each}=`)),
    isOpen: true,
  };
}
