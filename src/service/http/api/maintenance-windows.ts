/** Maintenance windows. Endpoints 6 and 7 and their neighbours. */
import {
  type BodyOf,
  createMaintenanceWindow,
  type listMaintenanceWindows,
  type QueryOf,
  type updateMaintenanceWindow,
  type Violation,
} from '../../../contract/index.ts';
import { violationsOf } from '../../../contract/validate.ts';
import type { NotNow } from '../../maintenance/index.ts';
import type { InstantFilter, MaintenanceWindowBody, MaintenanceWindowWithState } from '../../store/index.ts';
import { pageSlice } from '../../store/page-slice.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, completed, iso, isoOrNull } from './documents.ts';
import { instantOf } from './instants.ts';
import { sendRange } from './pages.ts';
import { conflict, invalid, notFound, violation } from './problem.ts';

type Change = BodyOf<typeof updateMaintenanceWindow>;
type Filter = QueryOf<typeof listMaintenanceWindows>['startsAt'];

const COMPARISONS = ['gt', 'gte', 'lt', 'lte'] as const;
const INSTANTS = ['startsAt', 'endsAt', 'repeatEndsAt'] as const;

const noInstant = (part: Violation['in'], path: Violation['path']): Violation =>
  violation(part, path, 'format', 'must be a date or an ISO 8601 timestamp');

type Found<T> = readonly [T | undefined, readonly Violation[]];

/** The one comparison of a filter, or what is wrong with it; a bare date is midnight UTC. */
function filterOf(filter: Filter, name: string): Found<InstantFilter> {
  const comparison = COMPARISONS.find((member) => filter?.[member] !== undefined);
  if (!comparison) return [undefined, []];
  const instant = instantOf(filter?.[comparison] ?? '', 'UTC');
  if (instant === undefined) return [undefined, [noInstant('query', [name, comparison])]];
  return [{ comparison, instant }, []];
}

/** The change with its dates as timestamps, and those that are none: a bare date is midnight in the window's time zone. */
function timed(change: Change, before?: MaintenanceWindowBody): readonly [Change, readonly Violation[]] {
  const timeZone = change.timezone ?? before?.timezone ?? 'UTC';
  const found: Violation[] = [];
  const instants = INSTANTS.flatMap((field) => {
    const text = change[field];
    if (typeof text !== 'string') return [];
    const instant = instantOf(text, timeZone);
    if (instant !== undefined) return [[field, iso(instant)] as const];
    found.push(noInstant('body', [field]));
    return [];
  });
  return [{ ...change, ...Object.fromEntries(instants) }, found];
}

/** A change on top of what was before; of the visibility, too, only what is given changes. */
function merged<T extends Change>(before: T, change: Change): T {
  const { statusPageVisibility: shown } = change;
  return {
    ...before,
    ...change,
    ...(shown ? { statusPageVisibility: { ...before.statusPageVisibility, ...shown } } : {}),
  };
}

const present = ({ state, ...stored }: MaintenanceWindowWithState) => ({
  id: stored.id,
  ...stored.body,
  openSince: isoOrNull(state.openSince),
  ...ages(stored),
});

export function maintenanceWindowHandlers({ store, clock, maintenance }: HandlerContext) {
  /** Pages and services that the window names and that aren't there. */
  async function missing(accountId: string, { statusPageVisibility: shown }: Change): Promise<Violation[]> {
    const pages = await store.statusPages.byIds(accountId, shown?.statusPageIds ?? []);
    const services = await store.services.byIds(accountId, shown?.serviceIds ?? []);
    const absent = (
      field: 'statusPageIds' | 'serviceIds',
      known: readonly { readonly id: string }[],
      what: string,
    ) =>
      (shown?.[field] ?? []).flatMap((id, index) =>
        known.some((one) => one.id === id)
          ? []
          : violation(
              'body',
              ['statusPageVisibility', field, index],
              'reference',
              `does not match any ${what} of this account`,
            ),
      );
    return [
      ...absent('statusPageIds', pages, 'status page'),
      ...absent('serviceIds', services, 'status page service'),
    ];
  }

  /** The window that a change makes of what was before. Throws `Problem` 400 with all that is wrong with it. */
  function judged(change: Change, before: MaintenanceWindowBody | undefined, absent: readonly Violation[]) {
    const [written, found] = timed(change, before);
    const whole = completed(
      createMaintenanceWindow,
      merged(before ?? ({} as MaintenanceWindowBody), written),
    );
    const broken = violationsOf(createMaintenanceWindow, { body: whole }, clock.now()).filter(
      ({ in: part, path: [field] }) => part === 'body' && !found.some(({ path }) => path[0] === field),
    );
    const all = [...found, ...broken, ...absent];
    if (all.length > 0) throw invalid(all);
    return whole;
  }

  function there<T>(window: T | undefined, id: number): T {
    if (window === undefined) throw notFound(`maintenance window ${id}`);
    return window;
  }

  /** The window that was started or ended, or `Problem` 409 that says when it comes. */
  function done(window: MaintenanceWindowWithState | NotNow | undefined, id: number, why: string) {
    const found = there(window, id);
    if ('body' in found) return present(found);
    const { comesAt } = found;
    throw conflict(
      comesAt === undefined
        ? `Maintenance window ${id} has ended and does not repeat: change its times first`
        : `Maintenance window ${id} ${why}: its next start is ${iso(comesAt)}`,
    );
  }

  return {
    async listMaintenanceWindows({ accountId, query, header }) {
      const [startsAt, notStarts] = filterOf(query.startsAt, 'startsAt');
      const [endsAt, notEnds] = filterOf(query.endsAt, 'endsAt');
      const found = [...notStarts, ...notEnds];
      if (found.length > 0) throw invalid(found);
      const filters = { startsAt, endsAt };
      const slice = pageSlice(query);
      const stored = await store.maintenanceWindows.list(accountId, { ...filters, ...slice });
      const total = await store.maintenanceWindows.count(accountId, filters);
      sendRange(header, slice.offset, stored.length, total);
      return stored.map(present);
    },

    async createMaintenanceWindow({ accountId, body }) {
      const absent = await missing(accountId, body);
      return present(await maintenance.create(accountId, judged(body, undefined, absent)));
    },

    async getMaintenanceWindow({ accountId, params: { id } }) {
      return present(there(await store.maintenanceWindows.getWithState(accountId, id), id));
    },

    async updateMaintenanceWindow({ accountId, params: { id }, body }) {
      const absent = await missing(accountId, body);
      return present(
        there(await maintenance.change(accountId, id, (before) => judged(body, before, absent)), id),
      );
    },

    async deleteMaintenanceWindow({ accountId, params: { id } }) {
      if (!(await maintenance.remove(accountId, id))) throw notFound(`maintenance window ${id}`);
      return undefined;
    },

    async startMaintenanceWindow({ accountId, params: { id } }) {
      return done(await maintenance.begin(accountId, id), id, 'cannot be started more than a day early');
    },

    async endMaintenanceWindow({ accountId, params: { id } }) {
      return done(await maintenance.end(accountId, id), id, 'is not in progress');
    },
  } satisfies HandlersFor<
    | 'listMaintenanceWindows'
    | 'createMaintenanceWindow'
    | 'getMaintenanceWindow'
    | 'updateMaintenanceWindow'
    | 'deleteMaintenanceWindow'
    | 'startMaintenanceWindow'
    | 'endMaintenanceWindow'
  >;
}
