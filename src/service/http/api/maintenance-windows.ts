/** Handles maintenance windows. Endpoints 6 and 7 and related ones. */
import { type DayEdge, instantOfDate, isBareDate, WINDOW_EDGES } from '../../../calendar/bare-dates.ts';
import { zoneOf } from '../../../calendar/zone.ts';
import {
  type BodyOf,
  createMaintenanceWindow,
  type listMaintenanceWindows,
  type QueryOf,
  type updateMaintenanceWindow,
  type Violation,
} from '../../../contract/index.ts';
import { violationsOf } from '../../../contract/validate.ts';
import { formatMessages } from '../../../contract/violations.ts';
import type { NextStart } from '../../maintenance/scheduler.ts';
import type { InstantFilter, MaintenanceWindowBody, MaintenanceWindowWithState } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { applyDefaults, sendContentRange, timestamps, toIso, toIsoOrNull } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { assertValid, conflict, requireFound, violation } from './problem.ts';
import { missingIds } from './references.ts';

type Change = BodyOf<typeof updateMaintenanceWindow>;
type Filter = QueryOf<typeof listMaintenanceWindows>['startsAt'];

const COMPARISONS = ['gt', 'gte', 'lt', 'lte'] as const;
const INSTANTS = ['startsAt', 'endsAt', 'repeatEndsAt'] as const;

const invalidInstant = (part: Violation['in'], path: Violation['path']): Violation =>
  violation(part, path, 'format', formatMessages.date);

type WithViolations<T> = readonly [T | undefined, readonly Violation[]];

/** Returns the instant (ms) of a validated date or timestamp, a date as an edge of its day; undefined if it has none. */
function parseInstant(text: string, timeZone: string, edge: DayEdge): number | undefined {
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) return undefined;
  return isBareDate(text) ? instantOfDate(text, edge, zoneOf(timeZone)) : instant;
}

/** Returns the comparison of a filter, or its violations. A date is a whole day of UTC: `lte` includes it, and `gt` excludes it. */
function parseFilter(filter: Filter, name: string): WithViolations<InstantFilter> {
  const comparison = COMPARISONS.find((member) => filter?.[member] !== undefined);
  if (!comparison) return [undefined, []];
  const edge = comparison === 'gt' || comparison === 'lte' ? 'last' : 'first';
  const instant = parseInstant(filter?.[comparison] ?? '', 'UTC', edge);
  if (instant === undefined) return [undefined, [invalidInstant('query', [name, comparison])]];
  return [{ comparison, instant }, []];
}

/** Returns the change with dates as timestamps, and its invalid dates. A date is a whole day in the window's time zone. */
export function resolveInstants(
  change: Change,
  before?: MaintenanceWindowBody,
): readonly [Change, readonly Violation[]] {
  const timeZone = change.timezone ?? before?.timezone ?? 'UTC';
  const violations: Violation[] = [];
  const instants = INSTANTS.flatMap((field) => {
    const text = change[field];
    if (typeof text !== 'string') return [];
    const instant = parseInstant(text, timeZone, WINDOW_EDGES[field] ?? 'first');
    if (instant !== undefined) return [[field, toIso(instant)] as const];
    violations.push(invalidInstant('body', [field]));
    return [];
  });
  return [{ ...change, ...Object.fromEntries(instants) }, violations];
}

/** Returns the window with a change applied. The visibility is merged field by field. */
function mergeChange<T extends Change>(before: T, change: Change): T {
  const { statusPageVisibility: visibility } = change;
  return {
    ...before,
    ...change,
    ...(visibility ? { statusPageVisibility: { ...before.statusPageVisibility, ...visibility } } : {}),
  };
}

const present = ({ state, ...stored }: MaintenanceWindowWithState) => ({
  id: stored.id,
  ...stored.body,
  openSince: toIsoOrNull(state.openSince),
  exceptions: [...state.exceptions],
  ...timestamps(stored),
});

export function maintenanceWindowHandlers({ store, clock, maintenance }: HandlerContext) {
  async function findMissingReferences(
    accountId: string,
    { statusPageVisibility: { statusPageIds = [], serviceIds = [] } = {} }: Change,
  ): Promise<Violation[]> {
    const withPaths = (field: string, ids: readonly string[]) =>
      ids.map((id, index) => [['statusPageVisibility', field, index], id] as const);
    return [
      ...(await missingIds(withPaths('statusPageIds', statusPageIds), 'status page', (ids) =>
        store.statusPages.byIds(accountId, ids),
      )),
      ...(await missingIds(withPaths('serviceIds', serviceIds), 'status page service', (ids) =>
        store.services.byIds(accountId, ids),
      )),
    ];
  }

  function validateChange(
    change: Change,
    before: MaintenanceWindowBody | undefined,
    missing: readonly Violation[],
  ) {
    const [resolved, dateViolations] = resolveInstants(change, before);
    const complete = applyDefaults(
      createMaintenanceWindow,
      mergeChange(before ?? ({} as MaintenanceWindowBody), resolved),
    );
    const ruleViolations = violationsOf(createMaintenanceWindow, { body: complete }, clock.now()).filter(
      ({ in: part, path: [field] }) =>
        part === 'body' && !dateViolations.some(({ path }) => path[0] === field),
    );
    assertValid([...dateViolations, ...ruleViolations, ...missing]);
    return complete;
  }

  const requireWindow = <T>(window: T | undefined, id: number): T =>
    requireFound(window, `maintenance window ${id}`);

  /** Returns the response for a started or ended window. Throws `Problem` 409 that says when it starts next. */
  function presentOutcome(
    window: MaintenanceWindowWithState | NextStart | undefined,
    id: number,
    why: string,
  ) {
    const outcome = requireWindow(window, id);
    if ('body' in outcome) return present(outcome);
    const { nextStartsAt } = outcome;
    throw conflict(
      nextStartsAt === undefined
        ? `Maintenance window ${id} has ended and does not repeat: change its times first`
        : `Maintenance window ${id} ${why}: its next start is ${toIso(nextStartsAt)}`,
    );
  }

  return {
    async listMaintenanceWindows({ accountId, query, header }) {
      const [startsAt, startViolations] = parseFilter(query.startsAt, 'startsAt');
      const [endsAt, endViolations] = parseFilter(query.endsAt, 'endsAt');
      assertValid([...startViolations, ...endViolations]);
      const filters = { startsAt, endsAt };
      const slice = pageSlice(query);
      const stored = await store.maintenanceWindows.list(accountId, { ...filters, ...slice });
      const total = await store.maintenanceWindows.count(accountId, filters);
      sendContentRange(header, slice.offset, stored.length, total);
      return stored.map(present);
    },

    async createMaintenanceWindow({ accountId, body }) {
      const missing = await findMissingReferences(accountId, body);
      return present(await maintenance.create(accountId, validateChange(body, undefined, missing)));
    },

    async getMaintenanceWindow({ accountId, params: { id } }) {
      return present(requireWindow(await store.maintenanceWindows.getWithState(accountId, id), id));
    },

    async updateMaintenanceWindow({ accountId, params: { id }, body }) {
      const missing = await findMissingReferences(accountId, body);
      const changed = await maintenance.change(accountId, id, (before) =>
        validateChange(body, before, missing),
      );
      return present(requireWindow(changed, id));
    },

    async deleteMaintenanceWindow({ accountId, params: { id } }) {
      requireFound(await maintenance.remove(accountId, id), `maintenance window ${id}`);
      return undefined;
    },

    async startMaintenanceWindow({ accountId, params: { id } }) {
      return presentOutcome(
        await maintenance.startWindow(accountId, id),
        id,
        'cannot be started more than a day early',
      );
    },

    async endMaintenanceWindow({ accountId, params: { id } }) {
      return presentOutcome(await maintenance.endWindow(accountId, id), id, 'is not in progress');
    },
  } satisfies Partial<Handlers>;
}
