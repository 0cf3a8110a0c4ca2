/** What a service holds now, by kind and name. */
import { isObject } from '../../../src/base/object.ts';
import { type Endpoint, getVariable, type Input } from '../../../src/contract/index.ts';
import type { Deps } from '../../kernel/index.ts';
import { type Fields, kindOf, nameText, SECTIONS, type Section } from './kinds.ts';

/** All there is, oldest first. */
export type Standing = Readonly<Record<Section, readonly Fields[]>>;

/** Lists show the newest or the oldest first: by when each was made, then by id. */
const byAge = (a: Fields, b: Fields): number =>
  String(a.created_at).localeCompare(String(b.created_at)) ||
  Number(a.id) - Number(b.id) ||
  String(a.id).localeCompare(String(b.id));

/** Reads everything. Rejects as the client does. */
export async function readStanding({ client, signal }: Pick<Deps, 'client' | 'signal'>): Promise<Standing> {
  const api = await client();
  const read = async (section: Section): Promise<readonly Fields[]> => {
    const rows: Fields[] = [];
    for await (const { entries } of api.pages(kindOf(section).list, {} as Input<Endpoint>, {
      all: true,
      signal,
    })) {
      rows.push(...(entries as readonly unknown[]).filter(isObject));
    }
    return rows.sort(byAge);
  };
  const found: Partial<Record<Section, readonly Fields[]>> = {};
  for (const section of SECTIONS) found[section] = await read(section);
  // Lists leave out what is locked; only what is secret is never told.
  const variables: Fields[] = [];
  for (const variable of found.variables ?? []) {
    const isHidden = variable.locked === true && variable.secret !== true;
    const params = { key: String(variable.key) };
    variables.push(isHidden ? (await api.call(getVariable, { params }, { signal })).body : variable);
  }
  return { ...found, variables } as Standing;
}

/** By name, those of one name in the order of their age. */
export function byName(section: Section, rows: readonly Fields[]): ReadonlyMap<string, readonly Fields[]> {
  const named = new Map<string, Fields[]>();
  for (const row of rows) {
    const name = nameText(kindOf(section), row);
    named.set(name, [...(named.get(name) ?? []), row]);
  }
  return named;
}
