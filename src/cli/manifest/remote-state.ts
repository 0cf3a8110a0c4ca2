/** What a service holds now, by kind and name. */
import { ApiError } from '../../base/errors.ts';
import { isObject } from '../../base/object.ts';
import { type Endpoint, getCodeBundle, getVariable, type Input } from '../../contract/index.ts';
import type { Deps } from '../framework/index.ts';
import { type Fields, formatName, type Kind, kindOf, SECTIONS, type Section } from './kinds.ts';

/** All there is, in an order that does not depend on the moment. */
export type RemoteState = Readonly<Record<Section, readonly Fields[]>>;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/**
 * What is numbered stands as it was made, all else by its name: several may be made within one millisecond, and a file of the
 * same things is the same file.
 */
const compareEntries =
  (kind: Kind) =>
  (a: Fields, b: Fields): number =>
    Number(a.id) - Number(b.id) ||
    compareText(formatName(kind, a), formatName(kind, b)) ||
    compareText(String(a.created_at), String(b.created_at)) ||
    compareText(String(a.id), String(b.id));

/** A deployment may have no suites. */
const isUnknownRoute = (error: unknown): boolean =>
  error instanceof ApiError && [404, 405, 501].includes(error.status);

/** Reads everything. Rejects as the client does. */
export async function fetchRemoteState({
  client,
  signal,
}: Pick<Deps, 'client' | 'signal'>): Promise<RemoteState> {
  const api = await client();
  const read = async (section: Section): Promise<readonly Fields[]> => {
    const rows: Fields[] = [];
    for await (const { entries } of api.pages(kindOf(section).list, {} as Input<Endpoint>, {
      all: true,
      signal,
    })) {
      rows.push(...(entries as readonly unknown[]).filter(isObject));
    }
    return rows.sort(compareEntries(kindOf(section)));
  };
  const found: Partial<Record<Section, readonly Fields[]>> = {};
  for (const section of SECTIONS) {
    found[section] = await read(section).catch((error: unknown) => {
      if (section === 'codeBundles' && isUnknownRoute(error)) return [];
      throw error;
    });
  }
  // Lists leave out what is locked; only what is secret is never told.
  const variables: Fields[] = [];
  for (const variable of found.variables ?? []) {
    const isHidden = variable.locked === true && variable.secret !== true;
    const params = { key: String(variable.key) };
    variables.push(isHidden ? (await api.call(getVariable, { params }, { signal })).body : variable);
  }
  return { ...found, variables } as RemoteState;
}

/**
 * The same with the archives of code bundles, which lists leave out; without those that no check names: what was sent for one test.
 * Rejects as the client does.
 */
export async function fetchArchives(
  { client, signal }: Pick<Deps, 'client' | 'signal'>,
  standing: RemoteState,
): Promise<RemoteState> {
  const api = await client();
  const named = new Set(standing.checks.map(({ codeBundleId }) => codeBundleId));
  const codeBundles: Fields[] = [];
  for (const { id } of standing.codeBundles.filter((bundle) => named.has(bundle.id))) {
    codeBundles.push((await api.call(getCodeBundle, { params: { id: String(id) } }, { signal })).body);
  }
  return { ...standing, codeBundles };
}

/** By name, those of one name in the order of their age. */
export function groupByName(
  section: Section,
  rows: readonly Fields[],
): ReadonlyMap<string, readonly Fields[]> {
  const named = new Map<string, Fields[]>();
  for (const row of rows) {
    const name = formatName(kindOf(section), row);
    named.set(name, [...(named.get(name) ?? []), row]);
  }
  return named;
}
