/** Windows as they are stored, for tests of what follows from them. */
import type {
  MaintenanceState,
  MaintenanceWindowBody,
  MaintenanceWindowWithState,
} from '../../../src/service/store/index.ts';

export const at = (text: string) => Date.parse(`2026-11-21T${text}Z`);

let made = 0;

/** A window from 08:00 to 09:00 UTC on 21 November 2026, unless told. */
export function windowOf(
  body: Partial<MaintenanceWindowBody> = {},
  state: Partial<MaintenanceState> = {},
): MaintenanceWindowWithState {
  made += 1;
  return {
    ...{ id: made, accountId: 'account', createdAt: 0, updatedAt: null },
    body: {
      name: `window ${made}`,
      startsAt: '2026-11-21T08:00:00.000Z',
      endsAt: '2026-11-21T09:00:00.000Z',
      repeatUnit: null,
      ...body,
    },
    state: {
      startedAt: null,
      endedThrough: null,
      openSince: null,
      remindedUntil: 0,
      exceptions: [],
      ...state,
    },
  };
}

/** What `statusPageVisibility` says where it is enabled. */
export const shown = (more: object = {}) => ({ statusPageVisibility: { enabled: true, ...more } });
