/** Deletes a resource unless others use it. With force, detaches its users in the same transaction. */
import { changeAlerting } from '../../notify/alerts/change-alerting.ts';
import type { StoreTransaction } from '../../store/index.ts';
import type { HandlerContext } from './handler.ts';
import { Problem, requireFound } from './problem.ts';

/** The fields by which a check or group refers to other resources. */
interface ReferencingBody {
  readonly groupId?: number | null;
  readonly setupSnippetId?: number | null;
  readonly tearDownSnippetId?: number | null;
  readonly locations?: readonly string[] | null;
  readonly privateLocations?: readonly string[] | null;
  readonly triggerIncident?: { readonly serviceId?: string };
  readonly environmentVariables?: readonly { readonly key: string }[] | null;
}

interface Usage {
  /** A text in the stored body of every user, to read only those. */
  readonly mention: string;
  /** The ID of a group, which only its checks use. */
  readonly groupId?: number;
  /** Returns the changes that detach a check or group; undefined if it does not use the resource. */
  readonly detach: (fields: ReferencingBody) => Partial<ReferencingBody & { activated: boolean }> | undefined;
  /** The ID of a service, which cards of status pages show, and automation rules affect. */
  readonly serviceId?: string;
  /** The key of a variable, which scripts of snippets may read. */
  readonly key?: string;
}

export const snippetUsage = (id: number): Usage => ({
  mention: `SnippetId":${id}`,
  detach(fields) {
    const used = (['setupSnippetId', 'tearDownSnippetId'] as const).filter((field) => fields[field] === id);
    return used.length > 0 ? Object.fromEntries(used.map((field) => [field, null])) : undefined;
  },
});

/** Deactivates a check or group without any remaining location: the service would otherwise choose a public one. */
export const locationUsage = (slug: string): Usage => ({
  mention: `"${slug}"`,
  detach({ locations, privateLocations }) {
    if (!privateLocations?.includes(slug)) return undefined;
    const remaining = privateLocations.filter((other) => other !== slug);
    const isNowhere = remaining.length === 0 && (locations ?? []).length === 0;
    return { privateLocations: remaining, ...(isNowhere ? { activated: false } : {}) };
  },
});

export const serviceUsage = (id: string): Usage => ({
  mention: `"${id}"`,
  serviceId: id,
  detach: ({ triggerIncident }) =>
    triggerIncident?.serviceId === id ? { triggerIncident: undefined as never } : undefined,
});

export const groupUsage = (id: number): Usage => ({
  mention: `"groupId":${id}`,
  groupId: id,
  detach: ({ groupId }) => (groupId === id ? { groupId: null } : undefined),
});

/** A check uses a variable by `{{KEY}}` in a request, or by its name in a script. Detaching changes nothing. */
export const variableUsage = (key: string): Usage => ({
  mention: key,
  key,
  detach: (fields) =>
    mentionsVariable(JSON.stringify(fields), key) &&
    !fields.environmentVariables?.some((variable) => variable.key === key)
      ? {}
      : undefined,
});

/** A key consists of letters, digits and `_`, so it needs no escaping. */
const mentionsVariable = (text: string, key: string): boolean =>
  new RegExp(
    `\\{\\{\\{?[ \\t]{0,20}${key}[ \\t]{0,20}\\}\\}|\\benv(?:\\.${key}\\b|\\[\\\\?["'\`]${key}\\b)`,
  ).test(text);

interface User {
  readonly kind: 'automation rule' | 'check' | 'check group' | 'snippet' | 'status page';
  readonly id: string | number;
  readonly name: string;
  /** Stores the user without the resource. Returns the checks whose runs this changes. */
  readonly detach: () => Promise<readonly string[]>;
}

async function findUsers(tx: StoreTransaction, accountId: string, usage: Usage): Promise<User[]> {
  const { mention, groupId, serviceId, key } = usage;
  const users: User[] = [];
  const isChange = (change: object) => Object.keys(change).length > 0;

  const checks =
    groupId === undefined
      ? await tx.checks.findByText(accountId, mention)
      : await tx.checks.byGroup(accountId, groupId);
  for (const check of checks) {
    const { id, name, type } = check;
    const change = usage.detach(check.body as ReferencingBody);
    if (change === undefined) continue;
    const body = { ...check.body, ...change };
    const detach = async () => {
      if (isChange(change)) await tx.checks.replace(accountId, id, { type, body } as typeof check);
      return [id];
    };
    users.push({ kind: 'check', id, name, detach });
  }

  const groups = groupId === undefined ? await tx.groups.findByText(accountId, mention) : [];
  for (const { id, body } of groups) {
    const change = usage.detach(body as ReferencingBody);
    if (change === undefined) continue;
    const detach = async () => {
      if (isChange(change)) await tx.groups.replace(accountId, id, { ...body, ...change } as typeof body);
      return (await tx.checks.byGroup(accountId, id)).map((check) => check.id);
    };
    users.push({ kind: 'check group', id, name: body.name, detach });
  }

  if (key !== undefined)
    for (const { id, body } of await tx.snippets.list(accountId))
      if (mentionsVariable(body.script, key))
        users.push({ kind: 'snippet', id, name: body.name, detach: async () => [] });

  const pages = serviceId === undefined ? [] : await tx.statusPages.list(accountId);
  for (const { id, body } of pages) {
    const isUsed = body.cards.some(({ services }) => services.some((service) => service.id === serviceId));
    if (!isUsed) continue;
    const detach = async () => {
      const cards = body.cards.map((card) => ({
        ...card,
        services: card.services.filter((service) => service.id !== serviceId),
      }));
      await tx.statusPages.replace(accountId, id, { ...body, cards });
      return [];
    };
    users.push({ kind: 'status page', id, name: body.name, detach });
  }
  if (serviceId !== undefined) users.push(...(await findRules(tx, accountId, serviceId)));
  return users;
}

/** Returns the automation rules that affect a service. One that affects no other opens no more incidents without it. */
async function findRules(tx: StoreTransaction, accountId: string, serviceId: string): Promise<User[]> {
  const rules = await tx.automationRules.findByText(accountId, `"${serviceId}"`);
  return rules.flatMap(({ id, body }): User[] => {
    const components = body.components.filter(({ componentId }) => componentId !== serviceId);
    if (components.length === body.components.length) return [];
    const detach = async () => {
      await tx.automationRules.replace(accountId, id, { ...body, components });
      return [];
    };
    return [{ kind: 'automation rule', id, name: body.name, detach }];
  });
}

/** Maximum number of users in the message and in the attributes. */
const MAX_IN_MESSAGE = 10;
const MAX_LISTED = 100;

function inUseProblem(label: string, users: readonly User[]): Problem {
  const listed = users
    .slice(0, MAX_IN_MESSAGE)
    .map(({ kind, id, name }) => `${kind} "${name.slice(0, 100)}" (${id})`);
  const rest = users.length - listed.length;
  const message =
    `The ${label} is in use by ${listed.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}. ` +
    'Change them first, or delete it with force=true to detach them';
  return new Problem(409, message, {
    attributes: {
      userCount: users.length,
      users: users.slice(0, MAX_LISTED).map(({ kind, id, name }) => ({ kind, id, name })),
    },
  });
}

interface Deletion {
  /** The name in a refusal, such as `snippet 3`. */
  readonly label: string;
  readonly usage: Usage;
  /** Deletes the resource; false if it does not exist. An error rolls the whole transaction back. */
  readonly remove: (tx: StoreTransaction) => Promise<boolean>;
}

/** Deletes a resource that is not in use, or detaches its users first with force. Throws `Problem` 409 that lists its users. */
export async function deleteUnlessUsed(
  { store, engine }: Pick<HandlerContext, 'store' | 'engine'>,
  { accountId, query }: { readonly accountId: string; readonly query: { readonly force?: boolean } },
  { label, usage, remove }: Deletion,
): Promise<undefined> {
  const changed = await store.transaction(async (tx) => {
    const users = await findUsers(tx, accountId, usage);
    if (users.length > 0 && !query.force) throw inUseProblem(label, users);
    return changeAlerting(tx, { accountId }, async () => {
      const ids: string[] = [];
      for (const user of users) ids.push(...(await user.detach()));
      requireFound(await remove(tx), label);
      return new Set(ids);
    });
  });
  await engine.rescheduleChecks([...changed]);
  return undefined;
}
