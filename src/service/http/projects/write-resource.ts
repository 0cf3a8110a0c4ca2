/** Creates, updates and deletes one resource of a project with the handlers of the API. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../base/object.ts';
import { withDefaults } from '../../../contract/defaults.ts';
import type { Endpoint } from '../../../contract/index.ts';
import { violationsOf } from '../../../contract/validate.ts';
import type { Collection, StoreTransaction } from '../../store/index.ts';
import { callWithin } from '../api/context-within.ts';
import type { Call, Handler, HandlerContext, ResourceHandlers } from '../api/handler.ts';
import { assertValid, invalid, violation } from '../api/problem.ts';
import type { Body } from './payloads.ts';
import { type ResourceType, toApiId } from './resource-types.ts';

/** The transaction of a deployment. */
export interface Deployment {
  readonly tx: StoreTransaction;
  readonly accountId: string;
  readonly context: HandlerContext;
  readonly handlers: ResourceHandlers;
  /** Sets a header of the response, for warnings. */
  readonly header: Call<Endpoint>['header'];
}
interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Body;
}

async function call({ accountId, handlers, header }: Deployment, endpoint: Endpoint, parts: Parts) {
  const handler = handlers[endpoint.name as keyof Deployment['handlers']] as Handler<Endpoint>;
  const given = { params: {}, query: {}, body: undefined, ...parts, accountId, header };
  return (await handler(callWithin<Endpoint>(endpoint, given as never))) as Body;
}

const withoutFields = (body: Body, names: readonly (string | undefined)[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** Returns the body of the endpoint that creates the resource. Throws `Problem` 400 if the contract forbids it. */
export function validDeclared(schema: Endpoint, declared: Body, now: number): Body {
  const body = withoutFields(declared, ['checkType']);
  const violations = violationsOf(schema, { body }, now);
  assertValid(violations.filter(({ in: part }) => part === 'body'));
  return withDefaults(schema.body ?? {}, body);
}

/** Creates the resource and returns its ID. Throws `Problem` 400 or 409. */
export async function createResource(
  deployment: Deployment,
  type: ResourceType,
  payload: Body,
  declared: Body,
): Promise<string> {
  const { create, schema } = type.writers(payload);
  const body = validDeclared(schema, declared, deployment.context.clock.now());
  // A project declares its subscriptions.
  const created = await call(deployment, create, { body, query: { autoAssignAlerts: false } });
  return String(created[type.param] ?? created.id);
}

interface Stored {
  readonly body: Body;
  /** The type of a check. */
  readonly type?: string;
}

/** Returns the stored resource; undefined if it was deleted since the last deployment. */
export function readResource(
  { tx, accountId }: Deployment,
  type: ResourceType,
  id: string,
): Promise<Stored | undefined> {
  const collection = tx[type.collection] as unknown as Pick<Collection<string | number, Body>, 'get'>;
  return collection.get(accountId, toApiId(type, id));
}

/** Returns what a client declares of a card, without the fields that the service adds. */
const withoutCardIds = (cards: unknown): unknown =>
  (cards as readonly Body[]).map((card) => withoutFields(card, ['id', 'createdAt', 'updatedAt']));

async function isUpToDate(
  { tx, accountId }: Deployment,
  type: ResourceType,
  id: string,
  [stored, body]: readonly [stored: Body, body: Body],
): Promise<boolean> {
  const { alertChannelSubscriptions: subscriptions, ...fields } = body;
  const comparable = stored.cards === undefined ? stored : { ...stored, cards: withoutCardIds(stored.cards) };
  if (!isDeepStrictEqual(comparable, JSON.parse(JSON.stringify(fields)))) return false;
  const target = type.target?.(id);
  if (target === undefined) return true;
  const current = (await tx.subscriptions.ofTarget(accountId, target)).map(({ channelId, activated }) => [
    channelId,
    activated,
  ]);
  const declared = (subscriptions as readonly Body[]).map(({ alertChannelId, activated }) => [
    alertChannelId,
    activated,
  ]);
  return isDeepStrictEqual(current.sort(), declared.sort());
}

/** Returns the body with undefined for the stored fields that it does not have, so that an update removes them. */
function removeOthers(stored: Body, body: Body): Body {
  const removed = Object.keys(stored).filter((name) => body[name] === undefined);
  const kept = Object.entries(body).map(([name, value]) => {
    const before = stored[name];
    return [name, isObject(before) && isObject(value) ? removeOthers(before, value) : value];
  });
  return { ...Object.fromEntries(removed.map((name) => [name, undefined])), ...Object.fromEntries(kept) };
}

/** Gives the cards of a page the IDs of the stored ones, in order. */
function withCardIds(body: Body, stored: Body): Body {
  if (!Array.isArray(body.cards) || !Array.isArray(stored.cards)) return body;
  const before = stored.cards as readonly Body[];
  const cards = (body.cards as readonly Body[]).map((card, index) => {
    const id = before[index]?.id;
    return id === undefined ? card : { ...card, id };
  });
  return { ...body, cards };
}

function assertFixed({ fixed }: ResourceType, stored: Stored, declared: Body): void {
  if (fixed === undefined) return;
  const before = fixed === 'checkType' ? stored.type : stored.body[fixed];
  if (declared[fixed] === before) return;
  const message = `must be ${before}, because it cannot change: give the new resource another logical ID`;
  throw invalid([violation('body', [fixed], 'fixed', message)]);
}

/** Replaces the resource, unless it is as declared. Throws `Problem` 400 or 409. */
export async function updateResource(
  deployment: Deployment,
  [type, id]: readonly [type: ResourceType, id: string],
  stored: Stored,
  [payload, declared]: readonly [payload: Body, declared: Body],
): Promise<void> {
  assertFixed(type, stored, declared);
  const { update, schema } = type.writers(payload);
  const body = validDeclared(schema, declared, deployment.context.clock.now());
  if (await isUpToDate(deployment, type, id, [stored.body, body])) return;
  const change = removeOthers(stored.body, withCardIds(body, stored.body));
  await call(deployment, update, {
    params: { [type.param]: toApiId(type, id) },
    body: withoutFields(change, [type.fixed]),
  });
}

/** Deletes the resource, if it still exists. Throws `Problem` 409 if others use it. */
export async function deleteResource(deployment: Deployment, type: ResourceType, id: string): Promise<void> {
  if ((await readResource(deployment, type, id)) === undefined) return;
  await call(deployment, type.remove, { params: { [type.param]: toApiId(type, id) } });
}
