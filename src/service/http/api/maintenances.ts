/** Handles the repetitions of maintenance windows, which published clients list, move and cancel one by one. */
import { createHash } from 'node:crypto';
import { type Occurrence, occurrences, occurrencesAround } from '../../../calendar/occurrences.ts';
import type { BodyOf, updateMaintenance, Violation } from '../../../contract/index.ts';
import { timesOf } from '../../maintenance/periods.ts';
import type { MaintenanceState, MaintenanceWindowWithState } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { sendContentRange, toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { resolveInstants } from './maintenance-windows.ts';
import { assertValid, conflict, requireFound, violation } from './problem.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
/** Maximum number of moved and cancelled repetitions of a window. Those of earlier years do not count. */
const MAX_EXCEPTIONS = 100;

type Exceptions = MaintenanceState['exceptions'];

/** Returns the start of a repetition by the times of its window. */
const scheduledStart = ({ startsAt, movedFrom = startsAt }: Occurrence): number => movedFrom;

/** Returns the same UUID for the same repetition of a window, also after it was moved. */
function idOf(windowId: number, occurrence: Occurrence): string {
  const hash = createHash('sha256')
    .update(`${windowId}/${scheduledStart(occurrence)}`)
    .digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

function statusOf(
  { state: { endedThrough } }: MaintenanceWindowWithState,
  { startsAt, endsAt }: Occurrence,
  now: number,
) {
  if (now >= endsAt || (endedThrough !== null && startsAt <= endedThrough)) return 'COMPLETED' as const;
  return now < startsAt ? ('SCHEDULED' as const) : ('IN_PROGRESS' as const);
}

/** Returns the times between which a repetition can move: between its neighbours, by their times and by those of the window. */
function findBounds(window: MaintenanceWindowWithState, occurrence: Occurrence) {
  const times = { ...timesOf(window), repeatEndsAt: null };
  const scheduled = { ...times, exceptions: [] };
  const previous = [
    occurrencesAround(scheduled, scheduledStart(occurrence) - 1).last,
    occurrencesAround(times, occurrence.startsAt - 1).last,
  ];
  const next = [
    occurrencesAround(scheduled, scheduledStart(occurrence)).next,
    occurrencesAround(times, occurrence.startsAt).next,
  ];
  return {
    from: Math.max(...previous.map((each) => each?.endsAt ?? Number.NEGATIVE_INFINITY)),
    to: Math.min(...next.map((each) => each?.startsAt ?? Number.POSITIVE_INFINITY)),
  };
}

/** Returns why a repetition cannot have other times at an instant. All times are in ms since the epoch. */
function findTimeViolations(
  window: MaintenanceWindowWithState,
  before: Occurrence,
  { startsAt, endsAt }: Occurrence,
  now: number,
): Violation[] {
  const { from, to } = findBounds(window, before);
  const isMoved = startsAt !== before.startsAt;
  const problems: readonly (readonly [field: 'startsAt' | 'endsAt', isWrong: boolean, message: string])[] = [
    ['startsAt', isMoved && before.startsAt <= now, 'must not change, because the maintenance has started'],
    ['startsAt', isMoved && before.startsAt > now && startsAt <= now, 'must be in the future'],
    ['endsAt', endsAt <= startsAt, 'must be later than startsAt'],
    ['endsAt', endsAt <= now, 'must be in the future'],
    ['startsAt', startsAt < from, 'must not be before the end of the previous maintenance of the window'],
    ['endsAt', endsAt > to, 'must not be after the start of the next maintenance of the window'],
  ];
  return problems.flatMap(([field, isWrong, message]) =>
    isWrong ? [violation('body', [field], 'maintenanceWindow', message)] : [],
  );
}

export function maintenanceHandlers({ store, clock, maintenance }: HandlerContext) {
  async function requireWindow(accountId: string, id: number): Promise<MaintenanceWindowWithState> {
    return requireFound(
      await store.maintenanceWindows.getWithState(accountId, id),
      `maintenance window ${id}`,
    );
  }

  /** Returns the repetitions of a year back and ahead, and the next one where that is later; a single one always. */
  function listed(window: MaintenanceWindowWithState): readonly Occurrence[] {
    const found: Occurrence[] = [];
    const from = window.body.repeatUnit ? clock.now() - YEAR_MS : Number.NEGATIVE_INFINITY;
    for (const each of occurrences(timesOf(window), from)) {
      if (found.length > 0 && each.startsAt > clock.now() + YEAR_MS) break;
      found.push(each);
    }
    return found;
  }

  const findOccurrence = (window: MaintenanceWindowWithState, maintenanceId: string): Occurrence =>
    requireFound(
      listed(window).find((each) => idOf(window.id, each) === maintenanceId),
      `maintenance ${maintenanceId}`,
    );

  /** Returns a repetition that is not over. Throws `Problem` 404 and 409. */
  function findChangeable(window: MaintenanceWindowWithState, maintenanceId: string): Occurrence {
    const occurrence = findOccurrence(window, maintenanceId);
    if (statusOf(window, occurrence, clock.now()) === 'COMPLETED')
      throw conflict(`Maintenance ${maintenanceId} has ended and cannot be changed`);
    return occurrence;
  }

  /** Returns the exceptions of a window with another one. `movedTo` null: the repetition is cancelled. */
  function withException(
    { id, state }: MaintenanceWindowWithState,
    occurrence: Occurrence,
    movedTo: Exceptions[number]['movedTo'],
  ): Exceptions {
    const startsAt = toIso(scheduledStart(occurrence));
    const oldest = clock.now() - 2 * YEAR_MS;
    const others = state.exceptions.filter(
      (each) => each.startsAt !== startsAt && Date.parse(each.startsAt) > oldest,
    );
    if (others.length >= MAX_EXCEPTIONS)
      throw conflict(
        `Maintenance window ${id} has ${MAX_EXCEPTIONS} moved or cancelled maintenances, which is the limit: create another window`,
      );
    return [...others, { startsAt, movedTo }];
  }

  function move(
    window: MaintenanceWindowWithState,
    before: Occurrence,
    body: BodyOf<typeof updateMaintenance>,
  ): Exceptions {
    const [resolved, dateViolations] = resolveInstants(body, window.body);
    assertValid(dateViolations);
    const { startsAt = toIso(before.startsAt), endsAt = toIso(before.endsAt) } = resolved;
    const after = { startsAt: Date.parse(startsAt), endsAt: Date.parse(endsAt) };
    assertValid(findTimeViolations(window, before, after, clock.now()));
    return withException(window, before, { startsAt, endsAt });
  }

  const present = (window: MaintenanceWindowWithState, each: Occurrence) => ({
    id: idOf(window.id, each),
    maintenanceWindowId: window.id,
    startsAt: toIso(each.startsAt),
    endsAt: toIso(each.endsAt),
    status: statusOf(window, each, clock.now()),
    created_at: toIso(window.createdAt),
    updated_at: toIso(window.updatedAt ?? window.createdAt),
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
      return present(window, findOccurrence(window, maintenanceId));
    },

    async updateMaintenance({ accountId, params: { id, maintenanceId }, body }) {
      const changed = await maintenance.except(accountId, id, (window) =>
        move(window, findChangeable(window, maintenanceId), body),
      );
      const window = requireFound(changed, `maintenance window ${id}`);
      return present(window, findOccurrence(window, maintenanceId));
    },

    async deleteMaintenance({ accountId, params: { id, maintenanceId } }) {
      const changed = await maintenance.except(accountId, id, (window) =>
        withException(window, findChangeable(window, maintenanceId), null),
      );
      requireFound(changed, `maintenance window ${id}`);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}
