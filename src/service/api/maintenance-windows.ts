/** Maintenance windows. Endpoints 6 and 7 and their neighbours. */
import {
  type BodyOf,
  createMaintenanceWindow,
  type listMaintenanceWindows,
  type QueryOf,
  type updateMaintenanceWindow,
  type Violation,
} from '../../contract/index.ts';
import type { InstantFilter, MaintenanceWindowBody } from '../store/index.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, changed, documentResource, iso } from './documents.ts';
import { instantOf, isTimeZone } from './instants.ts';
import { sendRange, sliceOf } from './pages.ts';
import { invalid, violation } from './problem.ts';

type Change = BodyOf<typeof updateMaintenanceWindow>;
type Filter = QueryOf<typeof listMaintenanceWindows>['startsAt'];

const COMPARISONS = ['gt', 'gte', 'lt', 'lte'] as const;
const INSTANTS = ['startsAt', 'endsAt', 'repeatEndsAt'] as const;

/** The one comparison of a filter; a bare date is midnight UTC. Throws `Problem` 400 for what is no instant. */
function filterOf(filter: Filter, name: string): InstantFilter | undefined {
  const comparison = COMPARISONS.find((member) => filter?.[member] !== undefined);
  if (!comparison) return undefined;
  const instant = instantOf(filter?.[comparison] ?? '', 'UTC');
  if (instant === undefined) {
    throw invalid([
      violation('query', [name, comparison], 'format', 'must be a date or an ISO 8601 timestamp'),
    ]);
  }
  return { comparison, instant };
}

/** The change with its dates as timestamps. Throws `Problem` 400 for a time zone or an instant that there is none of. */
function timed(change: Change, before?: MaintenanceWindowBody): Change {
  const timeZone = change.timezone ?? before?.timezone ?? 'UTC';
  if (!isTimeZone(timeZone)) {
    throw invalid([
      violation('body', ['timezone'], 'timezone', 'must be the IANA name of a time zone (Europe/Berlin)'),
    ]);
  }
  const found: Violation[] = [];
  const instants = INSTANTS.flatMap((field) => {
    const text = change[field];
    if (typeof text !== 'string') return [];
    const instant = instantOf(text, timeZone);
    if (instant !== undefined) return [[field, iso(instant)] as const];
    found.push(violation('body', [field], 'format', 'must be a date or an ISO 8601 timestamp'));
    return [];
  });
  if (found.length > 0) throw invalid(found);
  return { ...change, ...Object.fromEntries(instants) };
}

export function maintenanceWindowHandlers({ store, clock }: HandlerContext) {
  const windows = documentResource({
    collection: store.maintenanceWindows,
    what: 'maintenance window',
    present: (stored) => ({ id: stored.id, ...stored.body, ...ages(stored) }),
  });

  /** 400 where the window names pages or services that aren't there. */
  async function assertReferences(accountId: string, { statusPageVisibility: shown }: Change): Promise<void> {
    const pages = await store.statusPages.byIds(accountId, shown?.statusPageIds ?? []);
    const services = await store.services.byIds(accountId, shown?.serviceIds ?? []);
    const absent = (field: string, ids: readonly string[], known: readonly { id: string }[], what: string) =>
      ids.flatMap((id, index) =>
        known.some((one) => one.id === id)
          ? []
          : [
              violation(
                'body',
                ['statusPageVisibility', field, index],
                'reference',
                `names no ${what} of this account`,
              ),
            ],
      );
    const found = [
      ...absent('statusPageIds', shown?.statusPageIds ?? [], pages, 'status page'),
      ...absent('serviceIds', shown?.serviceIds ?? [], services, 'status page service'),
    ];
    if (found.length > 0) throw invalid(found);
  }

  return {
    async listMaintenanceWindows({ accountId, query, header }) {
      const filters = {
        startsAt: filterOf(query.startsAt, 'startsAt'),
        endsAt: filterOf(query.endsAt, 'endsAt'),
      };
      const slice = sliceOf(query);
      const stored = await store.maintenanceWindows.list(accountId, { ...filters, ...slice });
      if (!query.startsAt && !query.endsAt) {
        sendRange(header, slice.offset, stored.length, await store.maintenanceWindows.count(accountId));
      }
      return stored.map(windows.present);
    },

    async createMaintenanceWindow({ accountId, endpoint, body }) {
      await assertReferences(accountId, body);
      return windows.create(accountId, changed(endpoint, body, timed(body), clock.now()));
    },

    getMaintenanceWindow: ({ accountId, params }) => windows.get(accountId, params.id),

    async updateMaintenanceWindow({ accountId, params, body }) {
      await assertReferences(accountId, body);
      return windows.change(accountId, params.id, (before) =>
        changed(createMaintenanceWindow, before, timed(body, before), clock.now()),
      );
    },

    deleteMaintenanceWindow: ({ accountId, params }) => windows.remove(accountId, params.id),
  } satisfies HandlersFor<
    | 'listMaintenanceWindows'
    | 'createMaintenanceWindow'
    | 'getMaintenanceWindow'
    | 'updateMaintenanceWindow'
    | 'deleteMaintenanceWindow'
  >;
}
