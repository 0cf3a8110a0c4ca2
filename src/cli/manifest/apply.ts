/** Makes and changes what a plan says, one after the other: what is named is there before what names it. */
import { isObject } from '../../base/object.ts';
import { type Endpoint, type Input, updateStatusPageAccess } from '../../contract/index.ts';
import type { Deps } from '../framework/index.ts';
import { toStatusPageBody } from '../resources/status-page-body.ts';
import { type Fields, formatName, kindOf, SECTIONS, type Section } from './kinds.ts';
import { planAccess, withoutAccess } from './page-access.ts';
import { diffItem, type PlanItem } from './plan.ts';
import { namesToIds } from './references.ts';
import type { RemoteState } from './remote-state.ts';

export type Action = 'created' | 'updated' | 'unchanged' | 'skipped';

/** What became of one thing of the file, or would. */
export interface AppliedItem {
  readonly action: Action;
  readonly kind: string;
  readonly name: string;
  /** Null where it is not there yet. */
  readonly id: string | number | null;
  /** Whether a status page was closed to all but those who have its key. */
  readonly isPrivate?: true;
}

/** Works through the items and tells each; with `dry`, only what would be. Rejects as the client does. */
export async function applyPlan(
  { client, signal }: Pick<Deps, 'client' | 'signal'>,
  items: readonly PlanItem[],
  standing: RemoteState,
  dry: boolean,
  tell: (done: AppliedItem) => Promise<void>,
): Promise<void> {
  const api = await client();
  const ids = new Map<string, unknown>();
  const keyOf = (section: Section, name: string): string => `${section} ${name}`;
  for (const section of SECTIONS) {
    const kind = kindOf(section);
    for (const row of standing[section]) ids.set(keyOf(section, formatName(kind, row)), row[kind.key]);
  }
  const call = async (endpoint: Endpoint, parts: Fields): Promise<Fields> => {
    const query = endpoint.query.properties?.autoAssignAlerts ? { query: { autoAssignAlerts: false } } : {};
    const { body } = await api.call<Endpoint>(
      endpoint,
      { ...parts, ...query } as unknown as Input<Endpoint>,
      { signal },
    );
    return isObject(body as unknown) ? (body as unknown as Fields) : {};
  };
  for (const item of items) {
    signal.throwIfAborted();
    const { section, name, body, remote, create } = item;
    const kind = kindOf(section);
    const access = planAccess(section, body, remote);
    const told = (action: Action, id: unknown) =>
      tell({
        ...(access?.isPrivate === true ? { isPrivate: true } : {}),
        action,
        kind: kind.noun,
        name,
        id: typeof id === 'string' || typeof id === 'number' ? id : null,
      });
    if (item.skipped) {
      await told('skipped', undefined);
      continue;
    }
    const { checkType: _, ...said } = withoutAccess(section, body);
    const schema = create.body ?? {};
    // What a dry run would make has no id yet: names serve as well for comparing.
    const turned = namesToIds(schema, said, (value, to) => ids.get(keyOf(to, String(value))) ?? value);
    const request = section === 'statusPages' ? toStatusPageBody(turned, () => {}) : turned;
    const setAccess = async (pageId: unknown): Promise<void> => {
      if (dry || access === undefined) return;
      await call(updateStatusPageAccess, { params: { statusPageId: pageId }, body: access });
    };
    if (!remote) {
      const made = dry ? {} : await call(create, { body: { ...kind.fill?.(body), ...request } });
      await setAccess(made[kind.key]);
      ids.set(keyOf(section, name), made[kind.key]);
      await told('created', made[kind.key]);
      continue;
    }
    const id = remote[kind.key];
    const change = diffItem(item, request);
    if (change === undefined && access === undefined) {
      await told('unchanged', id);
      continue;
    }
    if (!dry && change !== undefined) {
      await call(kind.update(remote), { params: { [kind.param]: id }, body: change });
    }
    await setAccess(id);
    await told('updated', id);
  }
}
