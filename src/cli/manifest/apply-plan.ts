/** Applies a plan: creates and updates resources one by one, referenced resources first. */
import { isObject, type JsonObject } from '../../base/object.ts';
import { type Endpoint, type Input, updateStatusPageAccess } from '../../contract/index.ts';
import type { Deps } from '../framework/index.ts';
import { toStatusPageBody } from '../resources/status-pages.ts';
import { formatName, kindOf, SECTIONS, type Section } from './kinds.ts';
import { planAccess, withoutAccess } from './manifest-entry.ts';
import { diffItem, type PlanItem } from './plan.ts';
import { namesToIds } from './references.ts';
import type { RemoteState } from './remote-state.ts';

export type Action = 'created' | 'updated' | 'unchanged' | 'skipped';

/** The outcome for one resource of the file; in a isDryRun run, the expected outcome. */
export interface AppliedItem {
  readonly action: Action;
  readonly kind: string;
  readonly name: string;
  /** Null: the resource does not exist yet. */
  readonly id: string | number | null;
  /** Set if a status page became private. */
  readonly closed?: true;
}

/** Applies the items and reports each. `isDryRun`: sends no changes. Rejects as the client does. */
export async function applyPlan(
  { client, signal }: Pick<Deps, 'client' | 'signal'>,
  items: readonly PlanItem[],
  state: RemoteState,
  isDryRun: boolean,
  report: (done: AppliedItem) => Promise<void>,
): Promise<void> {
  const api = await client();
  const ids = new Map<string, unknown>();
  const keyOf = (section: Section, name: string): string => `${section} ${name}`;
  for (const section of SECTIONS) {
    const kind = kindOf(section);
    for (const row of state[section]) ids.set(keyOf(section, formatName(kind, row)), row[kind.key]);
  }
  const call = async (endpoint: Endpoint, parts: JsonObject): Promise<JsonObject> => {
    const query = endpoint.query.properties?.autoAssignAlerts ? { query: { autoAssignAlerts: false } } : {};
    const { body } = await api.call<Endpoint>(
      endpoint,
      { ...parts, ...query } as unknown as Input<Endpoint>,
      { signal },
    );
    return isObject(body as unknown) ? (body as unknown as JsonObject) : {};
  };
  for (const item of items) {
    signal.throwIfAborted();
    const { section, name, body, remote, create } = item;
    const kind = kindOf(section);
    const access = planAccess(section, body, remote);
    const reportAction = (action: Action, id: unknown) =>
      report({
        ...(access?.isPrivate === true ? { closed: true } : {}),
        action,
        kind: kind.noun,
        name,
        id: typeof id === 'string' || typeof id === 'number' ? id : null,
      });
    if (item.skipped) {
      await reportAction('skipped', undefined);
      continue;
    }
    const { checkType: _, ...fields } = withoutAccess(section, body);
    const schema = create.body ?? {};
    // A isDryRun run has no ID for a new resource: its name serves for the comparison.
    const converted = namesToIds(schema, fields, (value, to) => ids.get(keyOf(to, String(value))) ?? value);
    const request = section === 'statusPages' ? toStatusPageBody(converted, () => {}) : converted;
    const setAccess = async (pageId: unknown): Promise<void> => {
      if (isDryRun || access === undefined) return;
      await call(updateStatusPageAccess, { params: { statusPageId: pageId }, body: access });
    };
    if (!remote) {
      const created = isDryRun ? {} : await call(create, { body: { ...kind.fill?.(body), ...request } });
      await setAccess(created[kind.key]);
      ids.set(keyOf(section, name), created[kind.key]);
      await reportAction('created', created[kind.key]);
      continue;
    }
    const id = remote[kind.key];
    const change = diffItem(item, request);
    if (change === undefined && access === undefined) {
      await reportAction('unchanged', id);
      continue;
    }
    if (!isDryRun && change !== undefined) {
      await call(kind.update(remote), { params: { [kind.param]: id }, body: change });
    }
    await setAccess(id);
    await reportAction('updated', id);
  }
}
