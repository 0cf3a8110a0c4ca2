/** Handles checks: creates, reads, updates and deletes them. Endpoints 2 and 3 and related ones. */
import { nextCronTimes } from '../../../base/cron.ts';
import { pickOffset } from '../../../calendar/grid.ts';
import { CHECK_TYPE_NAMES, type CheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPE_ENDPOINTS } from '../../../contract/generated/check-type-endpoints.js';
import type { Violation } from '../../../contract/index.ts';
import { secondsOf } from '../../../contract/rules.ts';
import { violationsOf } from '../../../contract/validate.ts';
import { dueAfterChange } from '../../engine/heartbeats/state.ts';
import { timesOf } from '../../engine/heartbeats/times.ts';
import { isPublicLocation, resolveLocations } from '../../engine/sessions/settings.ts';
import { changeAlerting } from '../../notify/alerts/change-alerting.ts';
import {
  type CheckBodies,
  type CheckRecord,
  type CommonBody,
  type HeartbeatSchedule,
  MAX_COUNTED,
  type StoreTransaction,
  type TypedCheckBody,
} from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { createCheckPresenter } from './check-presenter.ts';
import { createSubscriptions, replaceSubscriptions } from './check-subscriptions.ts';
import { type CheckResponses, checkTypeDefinition, createEndpointOf } from './check-types.ts';
import { applyChange, applyDefaults, sendContentRange, withConflictMessage } from './document-resource.ts';
import { withGroupSettings } from './group-settings.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { presentRows, Rows } from './list-responder.ts';
import { assertValid, invalid, notFound, requireFound, violation } from './problem.ts';
import { assertReferences, requireCheck } from './references.ts';

type AnyBody = CheckBodies[CheckType] & CommonBody;

const DEFAULT_FREQUENCY_MINUTES = 10;

/** Returns the body to store. Subscriptions and ping tokens are stored separately. */
function toTypedBody(type: CheckType, body: AnyBody): TypedCheckBody {
  const { alertChannelSubscriptions: _, ...fields } = body;
  if (type !== 'HEARTBEAT') return { type, body: fields } as TypedCheckBody;
  const { pingToken: _token, ...heartbeat } = (fields as CheckBodies['HEARTBEAT']).heartbeat;
  return { type, body: { ...fields, heartbeat } } as TypedCheckBody;
}

/** Returns the ping token that a request sets; undefined if it sets none. */
const requestedToken = (request: Partial<AnyBody>): string | undefined =>
  (request as Partial<CheckBodies['HEARTBEAT']>).heartbeat?.pingToken || undefined;

const tokenConflict = () => 'Another check already uses this heartbeat.pingToken';

const DAY_MS = 86_400_000;
/** Number of coming times of a cron expression that are compared: the shortest interval between them is its period. */
const CRON_SAMPLE = 10;

/** Returns when pings of a heartbeat are expected. */
function scheduleOf({ heartbeat }: CheckBodies['HEARTBEAT'], now: number): HeartbeatSchedule {
  const { period = 1, periodUnit = 'days', grace, graceUnit, cron, timezone } = heartbeat;
  const graceMs = secondsOf(grace, graceUnit) * 1000;
  if (!cron) return { periodMs: secondsOf(period, periodUnit) * 1000, graceMs, cron: null, timezone: null };
  const zone = timezone || 'UTC';
  const times = nextCronTimes(cron, zone, now, CRON_SAMPLE);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return { periodMs: Math.min(...gaps, DAY_MS), graceMs, cron, timezone: zone };
}

export function checkHandlers(context: HandlerContext) {
  const { store, engine, clock, random, whyNoAgenticChecks } = context;
  const { presentAll, presentOne, presentTyped } = createCheckPresenter(context);

  /** Returns the changes to the schedule: an offset that spreads the load, unless the user sets one. */
  function scheduleChange(body: AnyBody, before?: CheckRecord) {
    const frequency = body.frequency ?? DEFAULT_FREQUENCY_MINUTES;
    if ('frequencyOffset' in body && body.frequencyOffset !== undefined) return {};
    if (before?.frequency === frequency && before.frequencyOffset !== null) return {};
    return { frequencyOffset: pickOffset(frequency, random.next()) };
  }

  /** Throws `Problem` 400 if this service would run an agentic check without a model. Agents report this in the run instead. */
  async function assertModel(tx: StoreTransaction, accountId: string, body: AnyBody) {
    if (whyNoAgenticChecks === undefined) return;
    const { groupId } = body;
    const group = typeof groupId === 'number' ? await tx.groups.get(accountId, groupId) : undefined;
    const locations = resolveLocations(body, group?.body);
    if (locations.length > 0 && !locations.some(isPublicLocation)) return;
    const why = `${whyNoAgenticChecks}; or select only private locations whose agents have a model`;
    throw invalid([violation('body', ['prompt'], 'model', `cannot run on this service: ${why}`)]);
  }

  async function create(accountId: string, type: CheckType, request: AnyBody, autoAssign: boolean) {
    const body = applyDefaults(createEndpointOf(type), request);
    const check = await store.transaction(async (tx) => {
      await assertReferences(tx, accountId, body);
      if (type === 'AGENTIC') await assertModel(tx, accountId, body);
      const created = await tx.checks.create(accountId, toTypedBody(type, body), scheduleChange(body));
      if (created.type === 'HEARTBEAT')
        await withConflictMessage(tokenConflict, () =>
          tx.heartbeats.create(
            accountId,
            created.id,
            scheduleOf(created.body, clock.now()),
            requestedToken(request),
          ),
        );
      await createSubscriptions(
        tx,
        accountId,
        { checkId: created.id },
        {
          requested: body.alertChannelSubscriptions,
          toAll: autoAssign,
        },
      );
      return created;
    });
    await engine.rescheduleChecks([check.id]);
    return check;
  }

  async function change(accountId: string, id: string, type: CheckType, request: Partial<AnyBody>) {
    const check = await store.transaction((tx) =>
      changeAlerting(tx, { accountId, checkIds: [id] }, () => changeWithin(tx, accountId, id, type, request)),
    );
    await engine.rescheduleChecks([id]);
    return check;
  }

  async function changeWithin(
    tx: StoreTransaction,
    accountId: string,
    id: string,
    type: CheckType,
    request: Partial<AnyBody>,
  ): Promise<CheckRecord> {
    const before = await requireCheck(tx, accountId, id);
    if (before.type !== type) throw notFound(`${type} check ${id}`);
    const { alertChannelSubscriptions, ...fields } = request;
    const previous: AnyBody = { ...before.body };
    // An offset is valid only for its frequency.
    if (fields.frequency !== undefined && fields.frequency !== before.frequency)
      delete previous.frequencyOffset;
    const { restore } = checkTypeDefinition(type);
    const body = applyChange(createEndpointOf(type), previous, restore(fields, before.body), clock.now());
    await assertReferences(tx, accountId, request, id);
    const schedule = scheduleChange(body, before);
    const replaced = await tx.checks.replace(accountId, id, toTypedBody(type, body), schedule);
    const after = requireFound(replaced, `check ${id}`);
    if (after.type === 'HEARTBEAT') {
      const heartbeat = requireFound(await tx.heartbeats.byCheck(id), `heartbeat of check ${id}`);
      const next = scheduleOf(after.body, clock.now());
      const dueAt = dueAfterChange(heartbeat, next, timesOf(next), clock.now());
      await tx.heartbeats.setSchedule(id, next, dueAt);
      const token = requestedToken(request);
      if (token !== undefined)
        await withConflictMessage(tokenConflict, () => tx.heartbeats.setToken(id, token));
    }
    if (alertChannelSubscriptions)
      await replaceSubscriptions(tx, accountId, { checkId: id }, alertChannelSubscriptions);
    return after;
  }

  /** Returns a valid body of the type. Throws `Problem` 400. */
  function validateBody(type: CheckType, body: object): AnyBody {
    assertValid(violationsOf(createEndpointOf(type), { body }, clock.now()));
    return body as AnyBody;
  }
  const wrongType = (message: string): readonly Violation[] => [
    violation('body', ['checkType'], 'checkType', message, { allowed: CHECK_TYPE_NAMES }),
  ];

  /** Return the handlers of the endpoints of one type. */
  const createHandler =
    <T extends CheckType>(type: T) =>
    async ({ accountId, query, body }: CreateCall<T>): Promise<CheckResponses[T]> => {
      return presentTyped(await create(accountId, type, body as AnyBody, query.autoAssignAlerts), type);
    };
  const updateHandler =
    <T extends CheckType>(type: T) =>
    async ({ accountId, params, body }: UpdateCall<T>): Promise<CheckResponses[T]> => {
      return presentTyped(await change(accountId, params.id, type, body as Partial<AnyBody>), type);
    };

  const typedHandlers = Object.fromEntries(
    CHECK_TYPE_NAMES.flatMap((type) => [
      [CHECK_TYPE_ENDPOINTS[type].create.name, createHandler(type)],
      [CHECK_TYPE_ENDPOINTS[type].update.name, updateHandler(type)],
    ]),
  ) as Pick<Handlers, TypedCheckEndpoint>;

  return {
    async listChecks({ accountId, query, header }) {
      const { tag: tags, checkType: type, search, status, apiCheckUrlFilterPattern: apiUrl } = query;
      const slice = pageSlice(query);
      const filter = { tags, type, search, status, apiUrl };
      const listing = await store.checks.listing(accountId, { ...filter, ...slice });
      const total = await store.checks.count(accountId, filter);
      sendContentRange(header, slice.offset, listing.length, total > MAX_COUNTED ? '*' : total);
      return new Rows(
        presentRows(listing, async (checks) =>
          presentAll(
            accountId,
            query.applyGroupSettings ? await withGroupSettings(store, accountId, checks) : checks,
          ),
        ),
      );
    },

    async createCheck({ accountId, query, body: { checkType: type, ...body }, readBody }) {
      if (!type) throw invalid(wrongType('is required'));
      const request = validateBody(type, readBody(createEndpointOf(type), body));
      return presentOne(await create(accountId, type, request, query.autoAssignAlerts));
    },

    async getCheck({ accountId, params, query }) {
      const check = await requireCheck(store, accountId, params.id);
      const [effective] = query.applyGroupSettings ? await withGroupSettings(store, accountId, [check]) : [];
      return presentOne(effective ?? check);
    },

    async updateCheck({ accountId, params, body: { checkType, ...body }, readBody }) {
      const { type } = await requireCheck(store, accountId, params.id);
      if (checkType !== undefined && checkType !== type) {
        throw invalid(wrongType(`must be ${type}: the type of a check cannot change`));
      }
      const request: Partial<AnyBody> = readBody(CHECK_TYPE_ENDPOINTS[type].update, body);
      // Missing fields keep their values, so the complete check is validated.
      await change(accountId, params.id, type, request);
      // Read again, because the schedule has set the next run.
      return presentOne(await requireCheck(store, accountId, params.id));
    },
    ...typedHandlers,

    async deleteCheck({ accountId, params }) {
      await requireCheck(store, accountId, params.id);
      const isDeleted = await engine.deleteCheck(accountId, params.id, async (tx) => {
        const remove = () => tx.checks.delete(accountId, params.id);
        return changeAlerting(tx, { accountId, checkIds: [params.id] }, remove);
      });
      requireFound(isDeleted, `check ${params.id}`);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

/** The endpoints that create or update a check of one type. */
type TypedCheckEndpoint = Exclude<
  Extract<keyof Handlers, `${'create' | 'update'}${string}Check`>,
  'createCheck' | 'updateCheck'
>;

interface CreateCall<T extends CheckType> {
  readonly accountId: string;
  readonly query: { readonly autoAssignAlerts: boolean };
  readonly body: CheckBodies[T];
}
interface UpdateCall<T extends CheckType> {
  readonly accountId: string;
  readonly params: { readonly id: string };
  readonly body: Partial<CheckBodies[T]>;
}
