/** Checks: creating, reading, changing and deleting them. Endpoints 2 and 3 and their neighbours. */
import { pickOffset } from '../../calendar/grid.ts';
import { createBrowserCheck, createDnsCheck, type Endpoint, type Violation } from '../../contract/index.ts';
import { violationsOf } from '../../contract/validate.ts';
import { resolveIncidentOfDeleted } from '../incidents/index.ts';
import type { BrowserCheckBody, CheckRecord, DnsCheckBody, TypedCheckBody } from '../store/index.ts';
import { resubscribe, subscribeNew } from './alerting.ts';
import {
  type Alerting,
  type BrowserRecord,
  type DnsRecord,
  presentBrowser,
  presentCheck,
  presentDns,
} from './check-shape.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { changed, completed } from './documents.ts';
import { sendRange, sliceOf } from './pages.ts';
import { invalid, notFound, violation } from './problem.ts';
import { missingReferences, requireCheck } from './references.ts';
import { keptVariables } from './secrets.ts';

type CheckType = TypedCheckBody['type'];
type AnyBody = DnsCheckBody | BrowserCheckBody;

/** The endpoint whose body says what a check of the type is. */
const CREATING: Readonly<Record<CheckType, Endpoint>> = { DNS: createDnsCheck, BROWSER: createBrowserCheck };
const DEFAULT_FREQUENCY_MINUTES = 10;

/** A body as it is kept: subscriptions are kept apart. */
function typed(type: CheckType, body: AnyBody): TypedCheckBody {
  const { alertChannelSubscriptions: _, ...fields } = body;
  return { type, body: fields } as TypedCheckBody;
}

function ofType<T extends CheckType>(check: CheckRecord, type: T): CheckRecord & { readonly type: T } {
  if (check.type !== type) throw notFound(`${type} check ${check.id}`);
  return check as CheckRecord & { readonly type: T };
}

export function checkHandlers({ store, engine, clock, random }: HandlerContext) {
  /** What of the schedule a write sets: a phase that spreads the load, where the user names none. */
  function scheduling(body: AnyBody, before?: CheckRecord) {
    const frequency = body.frequency ?? DEFAULT_FREQUENCY_MINUTES;
    if ('frequencyOffset' in body && body.frequencyOffset !== undefined) return {};
    if (before?.frequency === frequency && before.frequencyOffset !== null) return {};
    return { frequencyOffset: pickOffset(frequency, random.next()) };
  }

  async function alertingOf(accountId: string, checkId: string): Promise<Alerting> {
    const subscriptions = await store.subscriptions.of(accountId, { checkId });
    const channels = await store.alertChannels.byIds(
      accountId,
      subscriptions.map(({ channelId }) => channelId),
    );
    return { subscriptions, channels };
  }

  async function create(accountId: string, type: CheckType, request: AnyBody, autoAssign: boolean) {
    const body = completed(CREATING[type], request);
    const check = await store.transaction(async (tx) => {
      const found = await missingReferences(tx, accountId, body);
      if (found.length > 0) throw invalid(found);
      const created = await tx.checks.create(accountId, typed(type, body), scheduling(body));
      const target = { checkId: created.id };
      await subscribeNew(tx, accountId, target, body.alertChannelSubscriptions, autoAssign);
      return created;
    });
    await engine.checkChanged(check.id);
    return check;
  }

  async function change(accountId: string, id: string, type: CheckType, request: Partial<AnyBody>) {
    const check = await store.transaction(async (tx) => {
      const before = await requireCheck(tx, accountId, id);
      ofType(before, type);
      const { alertChannelSubscriptions, ...fields } = request;
      const kept: AnyBody = { ...before.body };
      // A phase belongs to its frequency: it does not outlive it.
      if (
        fields.frequency !== undefined &&
        fields.frequency !== before.frequency &&
        'frequencyOffset' in kept
      ) {
        delete kept.frequencyOffset;
      }
      const environmentVariables = keptVariables(
        fields.environmentVariables,
        before.body.environmentVariables,
      );
      const body = changed<AnyBody>(
        CREATING[type],
        kept,
        { ...fields, ...(environmentVariables === undefined ? {} : { environmentVariables }) },
        clock.now(),
      );
      const found = await missingReferences(tx, accountId, request);
      if (found.length > 0) throw invalid(found);
      const after = await tx.checks.replace(accountId, id, typed(type, body), scheduling(body, before));
      if (!after) throw notFound(`check ${id}`);
      if (alertChannelSubscriptions) {
        await resubscribe(tx, accountId, { checkId: id }, alertChannelSubscriptions);
      }
      return after;
    });
    await engine.checkChanged(id);
    return check;
  }

  /** The body of a check whose type the body names, judged by what that type asks for. */
  function judged(type: CheckType, request: object): AnyBody {
    const { checkType: _, ...body } = request as { checkType?: unknown };
    const found = violationsOf(CREATING[type], { body }, clock.now());
    if (found.length > 0) throw invalid(found);
    return body as AnyBody;
  }
  const wrongType = (message: string): readonly Violation[] => [
    violation('body', ['checkType'], 'checkType', message, { allowed: ['DNS', 'BROWSER'] }),
  ];

  const dns = async (accountId: string, check: CheckRecord) =>
    presentDns(ofType(check, 'DNS') as DnsRecord, await alertingOf(accountId, check.id));
  const browser = async (accountId: string, check: CheckRecord) =>
    presentBrowser(ofType(check, 'BROWSER') as BrowserRecord, await alertingOf(accountId, check.id));
  const any = async (accountId: string, check: CheckRecord) =>
    presentCheck(check, await alertingOf(accountId, check.id));

  return {
    async listChecks({ accountId, query, header }) {
      const { tag, checkType: type, search, status } = query;
      const slice = sliceOf(query);
      const filter = { tag, type, search, status };
      const checks = await store.checks.list(accountId, { ...filter, ...slice });
      sendRange(header, slice.offset, checks.length, await store.checks.count(accountId, filter));
      const all = checks.length === 0 ? [] : await store.subscriptions.list(accountId);
      const channels = all.length === 0 ? [] : await store.alertChannels.list(accountId);
      return checks.map((check) => {
        const subscriptions = all.filter(({ checkId }) => checkId === check.id);
        return presentCheck(check, { subscriptions, channels });
      });
    },

    async createCheck({ accountId, query, body }) {
      if (!body.checkType) throw invalid(wrongType('is required'));
      const request = judged(body.checkType, body);
      return any(accountId, await create(accountId, body.checkType, request, query.autoAssignAlerts));
    },
    async createDnsCheck({ accountId, query, body }) {
      return dns(accountId, await create(accountId, 'DNS', body, query.autoAssignAlerts));
    },
    async createBrowserCheck({ accountId, query, body }) {
      return browser(accountId, await create(accountId, 'BROWSER', body, query.autoAssignAlerts));
    },

    async getCheck({ accountId, params }) {
      return any(accountId, await requireCheck(store, accountId, params.id));
    },

    async updateCheck({ accountId, params, body }) {
      const { type } = await requireCheck(store, accountId, params.id);
      if (body.checkType !== undefined && body.checkType !== type) {
        throw invalid(wrongType(`must be ${type}: a check keeps its type`));
      }
      const { checkType: _, ...request } = body;
      // Fields that are left out stay: the whole is judged with them.
      await change(accountId, params.id, type, request as Partial<AnyBody>);
      // The schedule has followed: when it runs next is told as it is now.
      return any(accountId, await requireCheck(store, accountId, params.id));
    },
    async updateDnsCheck({ accountId, params, body }) {
      return dns(accountId, await change(accountId, params.id, 'DNS', body));
    },
    async updateBrowserCheck({ accountId, params, body }) {
      return browser(accountId, await change(accountId, params.id, 'BROWSER', body));
    },

    async deleteCheck({ accountId, params }) {
      await requireCheck(store, accountId, params.id);
      const isDeleted = await engine.forgetCheck(accountId, params.id, async (tx) => {
        await resolveIncidentOfDeleted(tx, { accountId, checkId: params.id, at: tx.clock.now() });
        return tx.checks.delete(accountId, params.id);
      });
      if (!isDeleted) throw notFound(`check ${params.id}`);
      return undefined;
    },
  } satisfies HandlersFor<
    | 'listChecks'
    | 'createCheck'
    | 'createDnsCheck'
    | 'createBrowserCheck'
    | 'getCheck'
    | 'updateCheck'
    | 'updateDnsCheck'
    | 'updateBrowserCheck'
    | 'deleteCheck'
  >;
}
