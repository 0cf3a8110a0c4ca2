/** Maintenance windows: documents whose list is also read by time. */
import { type Collection, collection, type Stored, storedFrom } from './collection.ts';
import type { Slice, StoreContext } from './context.ts';
import { sliced } from './cursor.ts';
import type { MaintenanceWindowBody } from './documents.ts';

/** One comparison with an instant, in ms. */
export interface InstantFilter {
  readonly comparison: 'gt' | 'gte' | 'lt' | 'lte';
  readonly instant: number;
}

export interface WindowFilter extends Slice {
  readonly startsAt?: InstantFilter | undefined;
  readonly endsAt?: InstantFilter | undefined;
}

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The instant (ms) of a date-time; the API has made full ones of bare dates. */
function instant(date: string): number {
  const value = Date.parse(date);
  if (Number.isNaN(value)) throw new RangeError(`${date} is not a date`);
  return value;
}

export type MaintenanceWindows = ReturnType<typeof maintenanceWindows>;

export function maintenanceWindows(context: StoreContext) {
  const windows: Collection<number, MaintenanceWindowBody> = collection(context, {
    table: 'maintenance_windows',
    ids: 'number',
    columns: ({ startsAt, endsAt }) => ({ starts_at: instant(startsAt), ends_at: instant(endsAt) }),
  });
  return {
    ...windows,
    /** The newest first, of those whose own start and end (not their repetitions') pass the filters. */
    async list(
      accountId: string,
      { startsAt, endsAt, ...slice }: WindowFilter = {},
    ): Promise<Stored<number, MaintenanceWindowBody>[]> {
      let query = context.db
        .selectFrom('maintenance_windows')
        .selectAll()
        .where('account_id', '=', accountId);
      if (startsAt) query = query.where('starts_at', OPERATORS[startsAt.comparison], startsAt.instant);
      if (endsAt) query = query.where('ends_at', OPERATORS[endsAt.comparison], endsAt.instant);
      const rows = await sliced(query.orderBy('created_at', 'desc').orderBy('id', 'desc'), slice).execute();
      return rows.map((row) => storedFrom(row));
    },
  };
}
