/** Refuses to delete what others use, and names them; where the request forces it, detaches them in the same transaction. */
import type { Engine } from '../../engine/engine.ts';
import type { Store, StoreTransaction } from '../../store/index.ts';
import { Problem } from './problem.ts';

/** What a check or group may say of other resources. */
interface Fields {
  readonly groupId?: number | null;
  readonly setupSnippetId?: number | null;
  readonly tearDownSnippetId?: number | null;
  readonly locations?: readonly string[] | null;
  readonly privateLocations?: readonly string[] | null;
  readonly triggerIncident?: { readonly serviceId?: string };
  readonly environmentVariables?: readonly { readonly key: string }[] | null;
}

/** How a resource is used. */
interface Use {
  /** A text that the stored fields of every user contain: only those are read. */
  readonly mention: string;
  /** The ID of a group, which its checks alone use. */
  readonly groupId?: number;
  /** Returns the fields that detach a check or group; undefined where it does not use the resource. */
  readonly detach: (fields: Fields) => Partial<Fields & { activated: boolean }> | undefined;
  /** The ID of a service, which cards of status pages show. */
  readonly serviceId?: string;
  /** The key of a variable, which scripts of snippets read. */
  readonly key?: string;
}

export const useOfSnippet = (id: number): Use => ({
  mention: `SnippetId":${id}`,
  detach({ setupSnippetId, tearDownSnippetId }) {
    const fields = {
      ...(setupSnippetId === id ? { setupSnippetId: null } : {}),
      ...(tearDownSnippetId === id ? { tearDownSnippetId: null } : {}),
    };
    return Object.keys(fields).length > 0 ? fields : undefined;
  },
});

/** What is left without a location is paused: the service would otherwise choose a public one. */
export const useOfLocation = (slug: string): Use => ({
  mention: `"${slug}"`,
  detach({ locations, privateLocations }) {
    if (!privateLocations?.includes(slug)) return undefined;
    const left = privateLocations.filter((other) => other !== slug);
    const isNowhere = left.length === 0 && (locations ?? []).length === 0;
    return { privateLocations: left, ...(isNowhere ? { activated: false } : {}) };
  },
});

export const useOfService = (id: string): Use => ({
  mention: `"${id}"`,
  serviceId: id,
  detach: ({ triggerIncident }) =>
    triggerIncident?.serviceId === id ? { triggerIncident: undefined as never } : undefined,
});

export const useOfGroup = (id: number): Use => ({
  mention: `"groupId":${id}`,
  groupId: id,
  detach: ({ groupId }) => (groupId === id ? { groupId: null } : undefined),
});

/** By `{{KEY}}` in a request, or by the name of an environment variable in a script; nothing has to be changed to detach who does. */
export const useOfVariable = (key: string): Use => ({
  mention: key,
  key,
  detach: (fields) =>
    namesVariable(JSON.stringify(fields), key) &&
    !fields.environmentVariables?.some((variable) => variable.key === key)
      ? {}
      : undefined,
});

/** A key is of letters, digits and `_`. */
const namesVariable = (text: string, key: string): boolean =>
  new RegExp(
    `\\{\\{\\{?[ \\t]{0,20}${key}[ \\t]{0,20}\\}\\}|\\benv(?:\\.${key}\\b|\\[\\\\?["'\`]${key}\\b)`,
  ).test(text);

interface User {
  readonly kind: 'check' | 'check group' | 'snippet' | 'status page';
  readonly id: string | number;
  readonly name: string;
  /** Writes it without the resource; returns the checks that run differently from now on. */
  readonly detach: () => Promise<readonly string[]>;
}

async function usersOf(tx: StoreTransaction, accountId: string, use: Use): Promise<User[]> {
  const users: User[] = [];
  const ofGroup = use.groupId === undefined ? undefined : await tx.checks.byGroup(accountId, use.groupId);
  for (const check of ofGroup ?? (await tx.checks.findByText(accountId, use.mention))) {
    const { id, name, type } = check;
    const change = use.detach(check.body as Fields);
    if (change === undefined) continue;
    const detach = async () => {
      const body = { ...check.body, ...change };
      if (Object.keys(change).length > 0)
        await tx.checks.replace(accountId, id, { type, body } as typeof check);
      return [id];
    };
    users.push({ kind: 'check', id, name, detach });
  }
  for (const { id, body } of ofGroup ? [] : await tx.groups.findByText(accountId, use.mention)) {
    const change = use.detach(body as Fields);
    if (change === undefined) continue;
    const detach = async () => {
      const after = { ...body, ...change } as typeof body;
      if (Object.keys(change).length > 0) await tx.groups.replace(accountId, id, after);
      return (await tx.checks.byGroup(accountId, id)).map((check) => check.id);
    };
    users.push({ kind: 'check group', id, name: body.name, detach });
  }
  for (const { id, body } of use.key === undefined ? [] : await tx.snippets.list(accountId))
    if (namesVariable(body.script, use.key ?? ''))
      users.push({ kind: 'snippet', id, name: body.name, detach: async () => [] });
  for (const { id, body } of use.serviceId === undefined ? [] : await tx.statusPages.list(accountId)) {
    const cards = body.cards.map((card) => ({
      ...card,
      services: card.services.filter((service) => service.id !== use.serviceId),
    }));
    if (cards.every(({ services }, at) => services.length === body.cards[at]?.services.length)) continue;
    const detach = async () => {
      await tx.statusPages.replace(accountId, id, { ...body, cards });
      return [];
    };
    users.push({ kind: 'status page', id, name: body.name, detach });
  }
  return users;
}

/** How many users the message names, and how many the attributes list. */
const NAMED = 10;
const LISTED = 100;

function inUse(what: string, users: readonly User[]): Problem {
  const named = users.slice(0, NAMED).map(({ kind, id, name }) => `${kind} "${name.slice(0, 100)}" (${id})`);
  const rest = users.length - named.length;
  const message =
    `The ${what} is in use by ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}. ` +
    'Change them first, or delete it with force=true to detach them';
  return new Problem(409, message, {
    attributes: {
      userCount: users.length,
      users: users.slice(0, LISTED).map(({ kind, id, name }) => ({ kind, id, name })),
    },
  });
}

export interface GuardedDeletion {
  readonly accountId: string;
  /** What a refusal calls it: `snippet 3`. */
  readonly what: string;
  readonly use: Use;
  readonly force: boolean | undefined;
  /** Deletes it; what it throws gives the whole transaction up. */
  readonly remove: (tx: StoreTransaction) => Promise<unknown>;
}

/** Deletes what nobody uses, or detaches its users first where that is forced. @throws Problem 409 that names its users. */
export async function deleteUnlessUsed(
  store: Pick<Store, 'transaction'>,
  engine: Pick<Engine, 'checkChanged'>,
  { accountId, what, use, force = false, remove }: GuardedDeletion,
): Promise<undefined> {
  const changed = await store.transaction(async (tx) => {
    const users = await usersOf(tx, accountId, use);
    if (users.length > 0 && !force) throw inUse(what, users);
    const ids: string[] = [];
    for (const user of users) ids.push(...(await user.detach()));
    await remove(tx);
    return new Set(ids);
  });
  for (const id of changed) await engine.checkChanged(id);
  return undefined;
}
