/** Lists the repetitions of maintenance windows, which published clients read one by one. */
import { createHash } from 'node:crypto';
import { type Occurrence, occurrences } from '../../../calendar/occurrences.ts';
import type { MaintenanceWindowWithState } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { sendContentRange, toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { requireFound } from './problem.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Returns the same UUID for the same start of a window. */
function idOf(windowId: number, { startsAt }: Occurrence): string {
  const hash = createHash('sha256').update(`${windowId}/${startsAt}`).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

function statusOf({ startsAt, endsAt }: Occurrence, now: number) {
  if (now < startsAt) return 'SCHEDULED' as const;
  return now < endsAt ? ('IN_PROGRESS' as const) : ('COMPLETED' as const);
}

export function maintenanceHandlers({ store, clock }: HandlerContext) {
  async function requireWindow(accountId: string, id: number): Promise<MaintenanceWindowWithState> {
    return requireFound(
      await store.maintenanceWindows.getWithState(accountId, id),
      `maintenance window ${id}`,
    );
  }

  /** Returns the repetitions of a year back and ahead, and the next one where that is later; a single one always. */
  function listed({ body }: MaintenanceWindowWithState): readonly Occurrence[] {
    const found: Occurrence[] = [];
    const from = body.repeatUnit ? clock.now() - YEAR_MS : Number.NEGATIVE_INFINITY;
    for (const each of occurrences(body, from)) {
      if (found.length > 0 && each.startsAt > clock.now() + YEAR_MS) break;
      found.push(each);
    }
    return found;
  }

  const present = ({ id, createdAt, updatedAt }: MaintenanceWindowWithState, each: Occurrence) => ({
    id: idOf(id, each),
    maintenanceWindowId: id,
    startsAt: toIso(each.startsAt),
    endsAt: toIso(each.endsAt),
    status: statusOf(each, clock.now()),
    created_at: toIso(createdAt),
    updated_at: toIso(updatedAt ?? createdAt),
  });

  return {
    async listMaintenances({ accountId, params: { id }, query, header }) {
      const window = await requireWindow(accountId, id);
      const all = listed(window);
      const { limit, offset } = pageSlice(query);
      const page = all.slice(offset, offset + limit);
      sendContentRange(header, offset, page.length, all.length);
      return page.map((each) => present(window, each));
    },

    async getMaintenance({ accountId, params: { id, maintenanceId } }) {
      const window = await requireWindow(accountId, id);
      const found = listed(window).find((each) => idOf(id, each) === maintenanceId);
      return present(window, requireFound(found, `maintenance ${maintenanceId}`));
    },
  } satisfies Partial<Handlers>;
}
