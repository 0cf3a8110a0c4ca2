/** Writes the state of a project during an apply, under a lock that expires when its holder no longer renews it. */
import { isMissingResource, LockedError } from '../../../base/errors.ts';
import { deleteSnippet } from '../../../contract/index.ts';
import type { Deps } from '../../framework/index.ts';
import { createLock, isAlive, LEASE_MS, lockedError, type Self } from './lock-holder.ts';
import { encodeState, type OwnedResource, type ProjectLock } from './project-state.ts';
import type { StoredState } from './read-states.ts';
import {
  createState,
  readState,
  replaceState,
  type StateTarget,
  settle,
  stateChangedError,
} from './state-snippet.ts';

/** Interval of the signs of life, in ms. */
const RENEWAL_MS = LEASE_MS / 3;
/** The holder stops before others may take the lock over, in ms. */
const MARGIN_MS = 5000;

export type StateDeps = Pick<Deps, 'client' | 'clock' | 'random'> & { readonly self: Self };

export interface LockedState {
  /** Stores the resources and takes the lock, unless they are stored already. */
  readonly open: (signal: AbortSignal) => Promise<void>;
  /** Takes the lock, or makes sure that this apply still holds it. Rejects with LockedError if another one does. */
  readonly hold: (signal: AbortSignal) => Promise<void>;
  /** Throws LockedError if this apply no longer holds the lock. */
  readonly assertHeld: () => void;
  /** Stores the resources and releases the lock. */
  readonly close: (signal: AbortSignal) => Promise<void>;
  /** The same after an error: does nothing without the lock, because nothing was changed then. */
  readonly abandon: (signal: AbortSignal) => Promise<void>;
}

/** Creates the writer of a state. `resources`: what to store. Nothing is written if it is stored already. */
export function createLockedState(
  deps: StateDeps,
  { project, resources: stored, snippetIds, script }: StoredState,
  resources: () => readonly OwnedResource[],
): LockedState {
  const { clock, self } = deps;
  const [first, ...surplus] = snippetIds.map(Number);
  let target: StateTarget | undefined;
  let written = script ?? encodeState({ project, resources: stored });
  let lock: ProjectLock | undefined;
  let isLost = false;
  /** When the lease ends by both clocks: one of them may stop while the machine sleeps, and the other may step. */
  let lease = { now: 0, monotonic: 0 };
  let cancelRenewal = () => {};
  let writing: Promise<void> = Promise.resolve();

  const lostError = () =>
    new LockedError(`this apply lost the lock of the project "${project}" and has stopped`, {
      hint: 'it gave no sign of life for too long, or somebody ran "sonde unlock". Run the command again: it continues',
    });
  const loses = (): boolean => {
    isLost ||= clock.now() >= lease.now || clock.monotonic() >= lease.monotonic;
    return isLost;
  };
  const assertHeld = (): void => {
    if (lock !== undefined && loses()) throw lostError();
  };

  async function write(next: ProjectLock | undefined, signal: AbortSignal): Promise<void> {
    const isFirst = lock === undefined;
    const ends = {
      now: clock.now() + LEASE_MS - MARGIN_MS,
      monotonic: clock.monotonic() + LEASE_MS - MARGIN_MS,
    };
    const text = encodeState({ project, resources: resources(), lock: next });
    if (target === undefined) target = await createState(deps, project, text, signal);
    else {
      await replaceState(deps, target, { before: written, after: text }, signal).catch((error: unknown) => {
        if (isFirst || !(error instanceof LockedError)) throw error;
        isLost = true;
        throw lostError();
      });
      if (isFirst) await settle(deps, target, text, signal);
    }
    written = text;
    lock = next;
    lease = ends;
  }
  /** Runs a write after the present one. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = writing.then(work);
    writing = done.catch(() => {});
    return done;
  };

  function scheduleRenewal(): void {
    cancelRenewal = clock.timer(RENEWAL_MS, () => {
      void inTurn(async () => {
        if (lock === undefined || loses()) return;
        const renewed = { ...lock, renewedAt: new Date(clock.now()).toISOString() };
        // After an error, another attempt follows until the lease ends.
        await write(renewed, AbortSignal.timeout(RENEWAL_MS)).catch(() => {});
        if (!loses()) scheduleRenewal();
      });
    });
  }

  async function take(signal: AbortSignal): Promise<void> {
    if (lock !== undefined && target !== undefined) {
      assertHeld();
      isLost = (await readState(deps, target.id, signal))?.script !== written;
      return assertHeld();
    }
    if (first !== undefined) {
      const found = await readState(deps, first, signal);
      if (found?.lock && isAlive(found.lock, found.silentMs, self)) throw lockedError(project, found.lock);
      if (found?.script !== written) throw stateChangedError();
      target = { project, id: first, isConditional: found.isConditional };
    }
    await write(createLock(deps), signal);
    scheduleRenewal();
    const api = await deps.client();
    for (const each of surplus.splice(0))
      await api.call(deleteSnippet, { params: { id: each } }, { signal }).catch((error: unknown) => {
        if (!isMissingResource(error)) throw error;
      });
  }
  const hold = (signal: AbortSignal): Promise<void> => inTurn(() => take(signal));
  const isStored = (): boolean =>
    surplus.length === 0 &&
    (first === undefined && target === undefined
      ? resources().length === 0
      : written === encodeState({ project, resources: resources() }));

  const close = (signal: AbortSignal): Promise<void> =>
    inTurn(async () => {
      if (isStored()) return;
      await take(signal);
      cancelRenewal();
      await write(undefined, signal);
    });

  return {
    hold,
    assertHeld,
    open: async (signal) => (isStored() ? undefined : hold(signal)),
    close,
    abandon: async (signal) => {
      cancelRenewal();
      if (lock !== undefined) await close(signal);
    },
  };
}
