/** Applies a plan: deletes, creates and updates resources in the order of their references. */
import pLimit from 'p-limit';
import { onAbort } from '../../../base/abort.ts';
import { isMissingResource } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { type Endpoint, type Input, updateStatusPageAccess } from '../../../contract/index.ts';
import type { Deps } from '../../framework/index.ts';
import { sendUpdate } from '../../resource-commands/update.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../kinds.ts';
import type { ManifestEntry } from '../manifest.ts';
import type { Change, Plan, WantedResource } from '../plan/create-plan.ts';
import { describeRemote, omitChosenFields } from '../plan/describe.ts';
import { idOf } from '../plan/match-entries.ts';
import type { References } from '../plan/resolve-references.ts';
import { describeApplied } from '../state/applied.ts';
import type { ResourceId } from '../state/project-state.ts';
import { createBody, type IdOf, updateBody } from './build-request.ts';
import { createOnce } from './create-once.ts';
import { createRecorder } from './recorder.ts';

export type ApplyDeps = Pick<Deps, 'client' | 'signal' | 'clock' | 'terminal'>;

/** The outcome for one resource. */
export interface AppliedChange {
  readonly change: Change;
  readonly id: ResourceId | null;
}

/** Requests in progress at the same time. */
const CONCURRENCY = 8;
/** Time for requests in progress after a stop signal, and for storing the state, in ms. */
const DRAIN_MS = 2000;

/**
 * Applies the changes and reports each. Stores the state of the project before the first change and after the last, also after
 * an error or a signal. Rejects as the client does; a second run then continues.
 */
export async function applyPlan(
  deps: ApplyDeps,
  plan: Plan,
  report: (done: AppliedChange) => Promise<void> | void = () => {},
): Promise<void> {
  const { signal, clock } = deps;
  const recorder = createRecorder(deps, plan);
  await recorder.store(signal);
  // Requests in progress may end after a stop signal, so that their outcome is known.
  const drain = new AbortController();
  const removeListener = onAbort(signal, () => {
    void clock.sleep(DRAIN_MS).then(() => drain.abort(signal.reason));
  });
  const sender = createSender({ ...deps, signal: drain.signal }, plan, recorder, report);
  const runAll = async (changes: readonly Change[]): Promise<void> => {
    const limit = pLimit(CONCURRENCY);
    let failure: { readonly error: unknown } | undefined;
    await limit.map(changes, async (change) => {
      if (failure) return;
      try {
        signal.throwIfAborted();
        await sender(change);
      } catch (error) {
        failure ??= { error };
      }
    });
    if (failure) throw failure.error;
  };
  const ofSection = (section: Section, isDeletion: boolean) =>
    plan.changes.filter(
      (change) => change.section === section && (change.action === 'delete') === isDeletion,
    );
  const backwards = SECTIONS.toReversed();
  try {
    for (const section of backwards.filter((each) => !kindOf(each).isReferenced))
      await runAll(ofSection(section, true));
    for (const section of SECTIONS) await runAll(ofSection(section, false));
    for (const section of backwards.filter((each) => kindOf(each).isReferenced))
      await runAll(ofSection(section, true));
  } catch (error) {
    await recorder.store(AbortSignal.timeout(DRAIN_MS)).catch(() => {});
    throw error;
  } finally {
    removeListener();
  }
  await recorder.store(signal);
}

/** Returns a function that makes one change. */
function createSender(
  deps: ApplyDeps,
  plan: Plan,
  recorder: ReturnType<typeof createRecorder>,
  report: (done: AppliedChange) => Promise<void> | void,
): (change: Change) => Promise<void> {
  const { signal } = deps;
  const created = new Map<ManifestEntry, unknown>();
  const labels = new Map<string, string>();
  /** The IDs of each section that exist, or that entries created. */
  const knownIds = new Map<Section, Set<unknown>>();
  const knownIdsOf = (section: Section): Set<unknown> => {
    const known = knownIds.get(section) ?? new Set(plan.remote[section].map((row) => idOf(section, row)));
    knownIds.set(section, known);
    return known;
  };
  const lacking = new Set<string>();
  const references: References = {
    ...plan.references,
    labelOf: (id, section) => labels.get(`${section} ${id}`) ?? plan.references.labelOf(id, section),
  };
  const idFor: IdOf = (name, section) => {
    const target = plan.references.resolve(name, section);
    if ('message' in target) throw new Error(target.message);
    return target.entry ? created.get(target.entry) : target.id;
  };
  const call = async (endpoint: Endpoint, parts: JsonObject): Promise<void> => {
    const api = await deps.client();
    await api.call<Endpoint>(endpoint, parts as unknown as Input<Endpoint>, { signal });
  };
  const record = (change: Change, wanted: WantedResource, row: JsonObject): void => {
    const { section, after = {} } = change;
    const answered = describeRemote(section, row, references);
    const [sent, applied] = [after, answered].map((entry) => omitChosenFields(section, entry, wanted.body));
    recorder.record(change, row, describeApplied(sent ?? {}, applied ?? {}, plan.secrets));
  };

  async function create(change: Change, wanted: WantedResource): Promise<ResourceId> {
    const { section, name } = change;
    const kind = kindOf(section);
    const endpoint = kind.create(wanted.body);
    if (!endpoint) throw new Error(`no endpoint creates ${kind.noun} ${name}`);
    const known = knownIdsOf(section);
    const { typeField } = kind;
    const row = await createOnce(deps, {
      section,
      endpoint,
      body: createBody(wanted, idFor),
      isCreated: (each) =>
        !known.has(idOf(section, each)) &&
        formatName(kind, each) === name &&
        (typeField === undefined || each[typeField] === wanted.body[typeField]),
    });
    const id = idOf(section, row);
    known.add(id);
    created.set(wanted.entry, id);
    labels.set(
      `${section} ${id}`,
      plan.references.labelOf(plan.references.placeholderOf(wanted.entry), section),
    );
    await setAccess(id, wanted);
    record(change, wanted, { ...row, ...wanted.access });
    return id;
  }

  async function update(change: Change, id: ResourceId, wanted: WantedResource): Promise<void> {
    const { section, fields } = change;
    const { remote = {}, access } = wanted;
    const kind = kindOf(section);
    const api = await deps.client();
    const input = { params: { [kind.param]: id }, body: updateBody(wanted, fields, idFor) };
    const answer = await sendUpdate(
      deps,
      api,
      kind.update(remote),
      input as unknown as Input<Endpoint>,
      lacking,
    );
    await setAccess(id, wanted);
    record(change, wanted, { ...remote, ...(isObject(answer) ? answer : {}), ...access });
  }

  async function setAccess(id: ResourceId, { access }: WantedResource): Promise<void> {
    if (access) await call(updateStatusPageAccess, { params: { statusPageId: id }, body: access });
  }

  async function remove({ section }: Change, id: ResourceId): Promise<void> {
    const { remove: endpoint, param } = kindOf(section);
    if (!endpoint) return;
    await call(endpoint, { params: { [param]: id } }).catch((error: unknown) => {
      if (!isMissingResource(error)) throw error;
    });
  }

  return async (change) => {
    const { action, id, wanted } = change;
    let newId = id;
    if (action === 'delete' && id !== null) {
      await remove(change, id);
      recorder.forget(change);
    } else if (action === 'create' && wanted) newId = await create(change, wanted);
    else if (id !== null && wanted) {
      const isSent = action !== 'unchanged' || wanted.secretCount > 0;
      if (isSent) await update(change, id, wanted);
      else record(change, wanted, wanted.remote ?? {});
    }
    await report({ change, id: newId });
  };
}
