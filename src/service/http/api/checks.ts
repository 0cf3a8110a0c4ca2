/** Checks: creating, reading, changing and deleting them. Endpoints 2 and 3 and their neighbours. */
import { pickOffset } from '../../../calendar/grid.ts';
import { CHECK_TYPES } from '../../../contract/enumerations.ts';
import type { Violation } from '../../../contract/index.ts';
import { secondsOf } from '../../../contract/rules.ts';
import { violationsOf } from '../../../contract/validate.ts';
import { isPublicLocation, locationsOf } from '../../engine/sessions/settings.ts';
import { resolveIncidentOfDeleted } from '../../notify/incidents/index.ts';
import {
  type CheckBodies,
  type CheckRecord,
  type CommonBody,
  MAX_COUNTED,
  type StoreTransaction,
  type TypedCheckBody,
} from '../../store/index.ts';
import { pageSlice } from '../../store/page-slice.ts';
import { resubscribe, subscribeNew } from './alerting.ts';
import { type Around, presentCheck, presentTyped } from './check-shape.ts';
import { type CheckAnswers, type CheckType, rowOf } from './check-types.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { changed, completed } from './documents.ts';
import type { EndpointName } from './implement.ts';
import { presented, Rows } from './lists.ts';
import { sendRange } from './pages.ts';
import { invalid, notFound, violation } from './problem.ts';
import { missingReferences, requireCheck } from './references.ts';

type AnyBody = CheckBodies[CheckType] & CommonBody;

const DEFAULT_FREQUENCY_MINUTES = 10;

/** A body as it is kept: subscriptions are kept apart. */
function typed(type: CheckType, body: AnyBody): TypedCheckBody {
  const { alertChannelSubscriptions: _, ...fields } = body;
  return { type, body: fields } as TypedCheckBody;
}

/** How often a heartbeat's ping is expected and how late it may be, in ms. */
function timesOf({ heartbeat: { period, periodUnit, grace, graceUnit } }: CheckBodies['HEARTBEAT']) {
  return { periodMs: secondsOf(period, periodUnit) * 1000, graceMs: secondsOf(grace, graceUnit) * 1000 };
}

export function checkHandlers(context: HandlerContext) {
  const { store, engine, clock, random, publicUrl, whyNoAgenticChecks } = context;

  /** What of the schedule a write sets: a phase that spreads the load, where the user names none. */
  function scheduling(body: AnyBody, before?: CheckRecord) {
    const frequency = body.frequency ?? DEFAULT_FREQUENCY_MINUTES;
    if ('frequencyOffset' in body && body.frequencyOffset !== undefined) return {};
    if (before?.frequency === frequency && before.frequencyOffset !== null) return {};
    return { frequencyOffset: pickOffset(frequency, random.next()) };
  }

  async function aroundOf(accountId: string, check: CheckRecord): Promise<Around> {
    const subscriptions = await store.subscriptions.ofTarget(accountId, { checkId: check.id });
    const channels = await store.alertChannels.byIds(
      accountId,
      subscriptions.map(({ channelId }) => channelId),
    );
    const heartbeat = check.type === 'HEARTBEAT' ? await store.heartbeats.byCheck(check.id) : undefined;
    return { subscriptions, channels, heartbeat, publicUrl: publicUrl() };
  }

  async function presentAll(accountId: string, checks: readonly CheckRecord[]) {
    const ids = checks.map(({ id }) => id);
    const all = await store.subscriptions.ofMany(accountId, 'checkId', ids);
    const channelIds = [...new Set(all.map(({ channelId }) => channelId))];
    const channels = await store.alertChannels.byIds(accountId, channelIds);
    const heartbeats = await store.heartbeats.byChecks(
      checks.filter(({ type }) => type === 'HEARTBEAT').map(({ id }) => id),
    );
    return checks.map((check) => {
      const subscriptions = all.filter(({ checkId }) => checkId === check.id);
      const heartbeat = heartbeats.find(({ checkId }) => checkId === check.id);
      return presentCheck(check, { subscriptions, channels, heartbeat, publicUrl: publicUrl() });
    });
  }

  /** Throws for an agentic check that this service is to run, if it has no model. An agent says so in the run. */
  async function refuseWithoutModel(tx: StoreTransaction, accountId: string, body: AnyBody) {
    if (whyNoAgenticChecks === undefined) return;
    const { groupId } = body;
    const group = typeof groupId === 'number' ? await tx.groups.get(accountId, groupId) : undefined;
    const places = locationsOf(body, group?.body);
    if (places.length > 0 && !places.some(isPublicLocation)) return;
    const why = `${whyNoAgenticChecks}; or select only private locations whose agents have a model`;
    throw invalid([violation('body', ['prompt'], 'model', `cannot run on this service: ${why}`)]);
  }

  async function create(accountId: string, type: CheckType, request: AnyBody, autoAssign: boolean) {
    const body = completed(rowOf(type).creating, request);
    const check = await store.transaction(async (tx) => {
      const found = await missingReferences(tx, accountId, body);
      if (found.length > 0) throw invalid(found);
      if (type === 'AGENTIC') await refuseWithoutModel(tx, accountId, body);
      const created = await tx.checks.create(accountId, typed(type, body), scheduling(body));
      if (created.type === 'HEARTBEAT')
        await tx.heartbeats.create(accountId, created.id, timesOf(created.body));
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
      if (before.type !== type) throw notFound(`${type} check ${id}`);
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
      const row = rowOf(type);
      const body = changed<AnyBody>(row.creating, kept, row.kept(fields, before.body), clock.now());
      const found = await missingReferences(tx, accountId, request);
      if (found.length > 0) throw invalid(found);
      const after = await tx.checks.replace(accountId, id, typed(type, body), scheduling(body, before));
      if (!after) throw notFound(`check ${id}`);
      if (after.type === 'HEARTBEAT') await tx.heartbeats.setTimes(id, timesOf(after.body));
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
    const found = violationsOf(rowOf(type).creating, { body }, clock.now());
    if (found.length > 0) throw invalid(found);
    return body as AnyBody;
  }
  const wrongType = (message: string): readonly Violation[] => [
    violation('body', ['checkType'], 'checkType', message, { allowed: CHECK_TYPES }),
  ];

  const any = async (accountId: string, check: CheckRecord) =>
    presentCheck(check, await aroundOf(accountId, check));

  /** The handlers of the endpoints of one type. */
  const creating =
    <T extends CheckType>(type: T) =>
    async ({ accountId, query, body }: CreatingCall<T>): Promise<CheckAnswers[T]> => {
      const check = await create(accountId, type, body as AnyBody, query.autoAssignAlerts);
      return presentTyped(check, await aroundOf(accountId, check), type);
    };
  const changing =
    <T extends CheckType>(type: T) =>
    async ({ accountId, params, body }: ChangingCall<T>): Promise<CheckAnswers[T]> => {
      const check = await change(accountId, params.id, type, body as Partial<AnyBody>);
      return presentTyped(check, await aroundOf(accountId, check), type);
    };

  return {
    async listChecks({ accountId, query, header }) {
      const { tag, checkType: type, search, status } = query;
      const slice = pageSlice(query);
      const filter = { tag, type, search, status };
      const found = await store.checks.listing(accountId, { ...filter, ...slice });
      const total = await store.checks.count(accountId, filter);
      sendRange(header, slice.offset, found.length, total > MAX_COUNTED ? '*' : total);
      return new Rows(presented(found, (checks) => presentAll(accountId, checks)));
    },

    async createCheck({ accountId, query, body }) {
      if (!body.checkType) throw invalid(wrongType('is required'));
      const request = judged(body.checkType, body);
      return any(accountId, await create(accountId, body.checkType, request, query.autoAssignAlerts));
    },

    async getCheck({ accountId, params }) {
      return any(accountId, await requireCheck(store, accountId, params.id));
    },

    async updateCheck({ accountId, params, body }) {
      const { type } = await requireCheck(store, accountId, params.id);
      if (body.checkType !== undefined && body.checkType !== type) {
        throw invalid(wrongType(`must be ${type}: the type of a check cannot change`));
      }
      const { checkType: _, ...request } = body;
      // Fields that are left out stay: the whole is judged with them.
      await change(accountId, params.id, type, request as Partial<AnyBody>);
      // The schedule has followed: when it runs next is told as it is now.
      return any(accountId, await requireCheck(store, accountId, params.id));
    },
    createDnsCheck: creating('DNS'),
    updateDnsCheck: changing('DNS'),
    createBrowserCheck: creating('BROWSER'),
    updateBrowserCheck: changing('BROWSER'),
    createUrlCheck: creating('URL'),
    updateUrlCheck: changing('URL'),
    createTcpCheck: creating('TCP'),
    updateTcpCheck: changing('TCP'),
    createIcmpCheck: creating('ICMP'),
    updateIcmpCheck: changing('ICMP'),
    createApiCheck: creating('API'),
    updateApiCheck: changing('API'),
    createHeartbeatCheck: creating('HEARTBEAT'),
    updateHeartbeatCheck: changing('HEARTBEAT'),
    createMultiStepCheck: creating('MULTI_STEP'),
    updateMultiStepCheck: changing('MULTI_STEP'),
    createPlaywrightCheck: creating('PLAYWRIGHT'),
    updatePlaywrightCheck: changing('PLAYWRIGHT'),
    createAgenticCheck: creating('AGENTIC'),
    updateAgenticCheck: changing('AGENTIC'),

    async deleteCheck({ accountId, params }) {
      await requireCheck(store, accountId, params.id);
      const isDeleted = await engine.forgetCheck(accountId, params.id, async (tx) => {
        await resolveIncidentOfDeleted(tx, { accountId, checkId: params.id, at: tx.clock.now() });
        return tx.checks.delete(accountId, params.id);
      });
      if (!isDeleted) throw notFound(`check ${params.id}`);
      return undefined;
    },
  } satisfies HandlersFor<CheckEndpoint>;
}

/** All endpoints of checks: those of every type, and two of each. */
type CheckEndpoint = Extract<
  EndpointName,
  `${'create' | 'update'}${string}Check` | 'listChecks' | 'getCheck' | 'deleteCheck'
>;
interface CreatingCall<T extends CheckType> {
  readonly accountId: string;
  readonly query: { readonly autoAssignAlerts: boolean };
  readonly body: CheckBodies[T];
}
interface ChangingCall<T extends CheckType> {
  readonly accountId: string;
  readonly params: { readonly id: string };
  readonly body: Partial<CheckBodies[T]>;
}
