/** Reads and writes the snippet of a project's state. A write has no effect if somebody else has changed the snippet. */
import { ApiError, NetworkError, StateChangedError } from '../../../base/errors.ts';
import { RefusedError } from '../../../client/index.ts';
import { createSnippet, deleteSnippet, getSnippet, updateSnippet } from '../../../contract/index.ts';
import { entityTagOf, stateSnippetName } from '../../../contract/project-state.ts';
import type { Deps } from '../../framework/index.ts';
import { fetchRemoteState } from '../remote-state.ts';
import { decodeState, type OwnedResource, type ProjectLock } from './project-state.ts';

type SnippetDeps = Pick<Deps, 'client' | 'clock'>;

/** Wait after a write on a deployment without conditional writes, for another one that had read before, in ms. */
const SETTLE_MS = 2000;

/** A state as the deployment has it. */
export interface FoundState {
  readonly script: string;
  readonly lock: ProjectLock | undefined;
  readonly resources: readonly OwnedResource[];
  /** The time since the last write, by the clock of the deployment if it tells both times, in ms. */
  readonly silentMs: number;
  /** Whether the deployment refuses a write that has read another script. */
  readonly isConditional: boolean;
}

export const stateChangedError = (): StateChangedError =>
  new StateChangedError('another apply changed the state of the project meanwhile; nothing was changed', {
    hint: 'run the command again',
  });

/** Undefined: the snippet does not exist any more. */
export async function readState(
  { client, clock }: SnippetDeps,
  id: number,
  signal: AbortSignal,
): Promise<FoundState | undefined> {
  try {
    const { body, headers } = await (await client()).call(getSnippet, { params: { id } }, { signal });
    const { lock, resources } = decodeState(body);
    const [now, writtenAt] = [headers.date, body.updated_at ?? body.created_at].map((text) =>
      Date.parse(text ?? ''),
    );
    const silentMs = Number(now) - Number(writtenAt);
    return {
      script: body.script,
      lock,
      resources,
      silentMs:
        Number.isNaN(silentMs) && lock !== undefined ? clock.now() - Date.parse(lock.renewedAt) : silentMs,
      isConditional: headers.etag === entityTagOf(body.script),
    };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Returns the ID of the first state of a project if it has this script. */
async function findState(
  deps: SnippetDeps,
  project: string,
  script: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { snippets } = await fetchRemoteState(
    { ...deps, signal },
    { sections: ['snippets'], required: ['snippets'] },
  );
  const first = snippets.find(({ name }) => name === stateSnippetName(project));
  if (first === undefined) return undefined;
  const id = Number(first.id);
  const found = typeof first.script === 'string' ? first : await readState(deps, id, signal);
  return found?.script === script ? id : undefined;
}

/** Creates the state of a project. Rejects with StateChangedError if another apply has created it. */
export async function createState(
  deps: SnippetDeps,
  project: string,
  script: string,
  signal: AbortSignal,
): Promise<StateTarget> {
  const api = await deps.client();
  const body = { name: stateSnippetName(project), script };
  let own: number | undefined;
  try {
    const answer = await api.call(createSnippet, { body }, { signal });
    own = answer.body.id;
    if (answer.headers.etag === entityTagOf(script)) return { project, id: own, isConditional: true };
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) throw stateChangedError();
    const mayHaveActed =
      (error instanceof NetworkError || error instanceof RefusedError) && error.mayHaveActed;
    if (!mayHaveActed) throw error;
  }
  await deps.clock.sleep(SETTLE_MS, signal);
  const id = await findState(deps, project, script, signal);
  if (id !== undefined) return { project, id, isConditional: false };
  if (own !== undefined) await api.call(deleteSnippet, { params: { id: own } }, { signal });
  throw stateChangedError();
}

/** A snippet that stores a state, and whether the deployment refuses a write that expects another script. */
export interface StateTarget {
  readonly project: string;
  readonly id: number;
  readonly isConditional: boolean;
}

/** Replaces the script `before`. Rejects with StateChangedError if the snippet has another one. */
export async function replaceState(
  deps: SnippetDeps,
  { project, id, isConditional }: StateTarget,
  { before, after }: Readonly<Record<'before' | 'after', string>>,
  signal: AbortSignal,
): Promise<void> {
  if (!isConditional && (await readState(deps, id, signal))?.script !== before) throw stateChangedError();
  const api = await deps.client();
  const body = { name: stateSnippetName(project), script: after };
  try {
    await api.call(updateSnippet, { params: { id }, body }, { signal, ifMatch: entityTagOf(before) });
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409, 412].includes(error.status)) throw error;
    // An earlier attempt of this request may have taken effect.
    if ((await readState(deps, id, signal))?.script !== after) throw stateChangedError();
  }
}

/** Rejects with StateChangedError if another apply has written meanwhile, on a deployment without conditional writes. */
export async function settle(
  deps: SnippetDeps,
  { project, id, isConditional }: StateTarget,
  script: string,
  signal: AbortSignal,
): Promise<void> {
  if (isConditional) return;
  await deps.clock.sleep(SETTLE_MS, signal);
  if ((await findState(deps, project, script, signal)) !== id) throw stateChangedError();
}
