/** Fetches the current resources of a service. */
import pLimit from 'p-limit';
import { ApiError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/object.ts';
import { type Endpoint, getCodeBundle, getVariable, type Input } from '../../contract/index.ts';
import type { Deps } from '../framework/index.ts';
import { formatName, type Kind, kindOf, SECTIONS, type Section } from './kinds.ts';

/** Variables to read at once. */
const CONCURRENCY = 8;

/** All resources by section, in a stable order. */
export type RemoteState = Readonly<Record<Section, readonly JsonObject[]>>;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/**
 * Orders by number, if that is the ID, otherwise by name: several resources may be created within one millisecond, and equal
 * services must give equal files.
 */
const compareEntries =
  (kind: Kind) =>
  (a: JsonObject, b: JsonObject): number =>
    (kind.key === 'id' ? Number(a.id) - Number(b.id) : 0) ||
    compareText(formatName(kind, a), formatName(kind, b)) ||
    compareText(String(a.created_at), String(b.created_at)) ||
    compareText(String(a.id), String(b.id));

/** Whether a deployment does not offer the list. */
const isUnknownRoute = (error: unknown): boolean =>
  error instanceof ApiError && [404, 405, 501].includes(error.status);

interface FetchOptions {
  /** The sections to fetch; the others are empty. Default: all. */
  readonly sections?: readonly Section[];
  /** The sections that the deployment must offer; the others are empty if it does not. */
  readonly required?: readonly Section[];
  /** Called with the headers of each answer. */
  readonly onHeaders?: (headers: Readonly<Record<string, string>>) => void;
}

/** Fetches resources, several sections at once. Rejects as the client does, and then ends the other requests. */
export async function fetchRemoteState(
  deps: Pick<Deps, 'client' | 'signal'>,
  { sections = SECTIONS, required = [], onHeaders }: FetchOptions = {},
): Promise<RemoteState> {
  const api = await deps.client();
  const failure = new AbortController();
  const signal = AbortSignal.any([deps.signal, failure.signal]);
  const read = async (section: Section): Promise<readonly JsonObject[]> => {
    const rows: JsonObject[] = [];
    try {
      for await (const { entries, answer } of api.pages(kindOf(section).list, {} as Input<Endpoint>, {
        all: true,
        signal,
      })) {
        onHeaders?.(answer.headers);
        rows.push(...(entries as readonly unknown[]).filter(isObject));
      }
    } catch (error) {
      if (required.includes(section) || !isUnknownRoute(error)) throw error;
    }
    return rows.sort(compareEntries(kindOf(section)));
  };
  // Lists omit locked values. Secret values are never returned.
  const showValue = async (variable: JsonObject): Promise<JsonObject> => {
    const isHidden = variable.locked === true && variable.secret !== true;
    const params = { key: String(variable.key) };
    return isHidden ? (await api.call(getVariable, { params }, { signal })).body : variable;
  };
  const limit = pLimit(CONCURRENCY);
  const fetched = await Promise.all(
    SECTIONS.map(async (section) => {
      const rows = sections.includes(section) ? await read(section) : [];
      const shown = section === 'variables' ? await limit.map(rows, showValue) : rows;
      return [section, shown] as const;
    }),
  ).catch((error: unknown) => {
    failure.abort(error);
    throw error;
  });
  return Object.fromEntries(fetched) as unknown as RemoteState;
}

/** Adds the archives of code bundles, and removes bundles that no check uses. Rejects as the client does. */
export async function fetchArchives(
  { client, signal }: Pick<Deps, 'client' | 'signal'>,
  state: RemoteState,
): Promise<RemoteState> {
  const api = await client();
  const named = new Set(state.checks.map(({ codeBundleId }) => codeBundleId));
  const codeBundles: JsonObject[] = [];
  for (const { id } of state.codeBundles.filter((bundle) => named.has(bundle.id))) {
    codeBundles.push((await api.call(getCodeBundle, { params: { id: String(id) } }, { signal })).body);
  }
  return { ...state, codeBundles };
}
