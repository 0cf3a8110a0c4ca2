/** What a service never shows: an export leaves it out and says so, and a seed does without, keeps it or takes it from elsewhere. */
import { isObject } from '../../../src/base/object.ts';
import type { Fields, Section } from './kinds.ts';

type Pair = Fields & { readonly key: unknown };
type Values = ReadonlyMap<string, string>;

const isHidden = ({ secret, locked }: Fields): boolean => secret === true || locked === true;
const hasValue = ({ value }: Fields): boolean => typeof value === 'string';
const pairsOf = (list: unknown): readonly Pair[] =>
  Array.isArray(list) ? list.filter((each): each is Pair => isObject(each) && 'key' in each) : [];

/** The lists of names and values that something of a section may hold, some of which are hidden. */
const LISTS: Partial<Readonly<Record<Section, readonly string[]>>> = {
  groups: ['environmentVariables'],
  checks: ['environmentVariables', 'headers', 'queryParameters'],
  alertChannels: ['headers', 'queryParameters'],
};

/** Changes those lists of a body; of an alert channel they stand in its config, of an API check some in its request. */
function mapLists(
  section: Section,
  body: Fields,
  map: (list: readonly unknown[], name: string) => readonly unknown[],
): Fields {
  const change = (fields: Fields): Fields => {
    const changed = (LISTS[section] ?? []).flatMap((name): [string, unknown][] => {
      const list = fields[name];
      return Array.isArray(list) ? [[name, map(list, name)]] : [];
    });
    return { ...fields, ...Object.fromEntries(changed) };
  };
  // Some of them stand within a part.
  const part = section === 'alertChannels' ? 'config' : section === 'checks' ? 'request' : undefined;
  const inner = part === undefined ? undefined : body[part];
  const own = section === 'alertChannels' ? body : change(body);
  return part !== undefined && isObject(inner) ? { ...own, [part]: change(inner) } : own;
}

/** One as the file has it: an empty text that stands for a hidden value is none. */
export const withoutHidden = (section: Section, shown: Fields): Fields =>
  mapLists(section, shown, (list) =>
    list.map((pair: unknown) => {
      if (!isObject(pair) || !isHidden(pair)) return pair;
      const { value: _, ...rest } = pair;
      return rest;
    }),
  );

/** What of one is never shown, in words that follow its name. */
export function hiddenOf(section: Section, row: Fields): readonly string[] {
  if (section === 'variables') return row.secret === true ? [''] : [];
  const found: string[] = [];
  mapLists(section, row, (list) => {
    found.push(
      ...pairsOf(list)
        .filter(isHidden)
        .map(({ key }) => `: ${key}`),
    );
    return list;
  });
  const { apiCheckDefaults, request } = row;
  for (const one of [apiCheckDefaults, request])
    if (isObject(one) && isObject(one.basicAuth)) found.push(': its password');
  if (section === 'alertChannels' && row.type === 'WEBHOOK')
    found.push(': what signs its calls, if anything does');
  return found;
}

/** One of the file with what it leaves out. */
export interface Filled {
  /** As it is judged: nothing is missing that is only hidden. */
  readonly judged: Fields;
  /** As it is sent: what has no value anywhere is not in it. */
  readonly sent: Fields;
  /** The names of those. */
  readonly lacks: readonly string[];
}

/** `values`: what the user gives besides the file, by key. `standing`: what is there keeps what it has. */
export function fillHidden(
  section: Section,
  body: Fields,
  standing: Fields | undefined,
  values: Values,
): Filled {
  const lacks: string[] = [];
  const known = new Map<string, ReadonlySet<unknown>>();
  if (standing) {
    mapLists(section, standing, (list, name) => {
      known.set(
        name,
        new Set(
          pairsOf(list)
            .filter(isHidden)
            .map(({ key }) => key),
        ),
      );
      return list;
    });
  }
  // Of a variable an empty text means: as it was. A header is known by having none.
  const kept = section === 'alertChannels' ? {} : { value: '' };
  const fill = (pair: unknown, name: string, isJudged: boolean): readonly unknown[] => {
    if (!isObject(pair) || hasValue(pair) || !isHidden(pair)) return [pair];
    const key = String(pair.key);
    const value = values.get(key);
    if (value !== undefined) return [{ ...pair, value }];
    if (isJudged || known.get(name)?.has(pair.key)) return [{ ...pair, ...kept }];
    lacks.push(key);
    return [];
  };
  const sent = mapLists(section, body, (list, name) => list.flatMap((pair) => fill(pair, name, false)));
  const judged = mapLists(section, body, (list, name) => list.flatMap((pair) => fill(pair, name, true)));
  return { sent, judged, lacks };
}
