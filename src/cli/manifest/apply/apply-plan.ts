/** Applies a plan: deletes, creates and updates resources in the order of their references. */
import { onAbort } from '../../../base/abort.ts';
import type { JsonObject } from '../../../base/object.ts';
import { type Endpoint, type Input, updateStatusPageAccess } from '../../../contract/index.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../kinds.ts';
import type { ManifestEntry } from '../manifest.ts';
import type { Change, WantedResource } from '../plan/change.ts';
import type { Plan } from '../plan/create-plan.ts';
import { describeRemote, omitChosenFields } from '../plan/describe.ts';
import { idOf } from '../plan/match-entries.ts';
import { orderChanges } from '../plan/order-changes.ts';
import type { References } from '../plan/resolve-references.ts';
import { describeApplied } from '../state/applied.ts';
import type { StateDeps } from '../state/locked-state.ts';
import type { ResourceId } from '../state/project-state.ts';
import { createBody, type IdOf, updateBody } from './build-request.ts';
import { createRecorder } from './recorder.ts';
import { type ChangeRequest, createRequestSender, type SendDeps } from './send-requests.ts';

/** The outcome for one resource. */
export interface AppliedChange {
  readonly change: Change;
  readonly id: ResourceId | null;
  /** The resource as the service has it now; undefined if it was deleted or skipped. */
  readonly row: JsonObject | undefined;
}

export type ApplyDeps = SendDeps & StateDeps;
type Report = (done: AppliedChange) => Promise<void> | void;
interface Step extends ChangeRequest {
  readonly change: Change;
}

/** Time for requests in progress after a stop signal, and for storing the state, in ms. */
const DRAIN_MS = 2000;

/**
 * Applies the changes and reports each. Stores the state of the project before the first change and after the last, also after
 * an error or a signal, and holds the lock of the project meanwhile. Rejects as the client does, and with LockedError; a second run
 * then continues.
 */
export async function applyPlan(deps: ApplyDeps, plan: Plan, report: Report = () => {}): Promise<void> {
  const { signal, clock } = deps;
  const recorder = createRecorder(deps, plan);
  const { state } = recorder;
  await state?.open(signal);
  // Requests in progress may end after a stop signal, so that their outcome is known.
  const drain = new AbortController();
  const removeListener = onAbort(signal, () => {
    void clock.sleep(DRAIN_MS).then(() => drain.abort(signal.reason));
  });
  const ongoing = { ...deps, signal: drain.signal };
  const { prepare, complete } = createSteps(ongoing, plan, recorder, report);
  const send = createRequestSender(ongoing, plan.batchLimit);
  const sendApart = createRequestSender(ongoing, 1);
  const run = async (section: Section, isDeletion: boolean): Promise<void> => {
    const changes = plan.changes.filter(
      (change) => change.section === section && (change.action === 'delete') === isDeletion,
    );
    for (const some of orderChanges(changes, plan.references).steps) {
      const steps: Step[] = [];
      for (const change of some) {
        const request = prepare(change);
        if (request) steps.push({ ...request, change });
        else await complete(change, change.wanted?.remote ?? {});
      }
      if (steps.length > 0) await state?.hold(signal);
      // Archives are too large for a batch.
      await (section === 'codeBundles' ? sendApart : send)(
        steps,
        ({ change }, answer) => complete(change, answer),
        () => {
          signal.throwIfAborted();
          state?.assertHeld();
        },
      );
    }
  };
  const backwards = SECTIONS.toReversed();
  try {
    for (const section of backwards) if (!kindOf(section).isReferenced) await run(section, true);
    for (const section of SECTIONS) await run(section, false);
    for (const section of backwards) if (kindOf(section).isReferenced) await run(section, true);
    await state?.close(drain.signal);
  } catch (error) {
    await state?.abandon(AbortSignal.timeout(DRAIN_MS)).catch(() => {});
    throw error;
  } finally {
    removeListener();
  }
}

/** Returns functions that make the request of a change, and complete the change with its answer. */
function createSteps(
  deps: SendDeps,
  plan: Plan,
  recorder: ReturnType<typeof createRecorder>,
  report: Report,
) {
  const created = new Map<ManifestEntry, unknown>();
  const labels = new Map<string, string>();
  /** The IDs of each section that exist, or that entries created. */
  const knownIds = new Map<Section, Set<unknown>>();
  const knownIdsOf = (section: Section): Set<unknown> => {
    const known = knownIds.get(section) ?? new Set(plan.remote[section].map((row) => idOf(section, row)));
    knownIds.set(section, known);
    return known;
  };
  const references: References = {
    ...plan.references,
    labelOf: (id, section) => labels.get(`${section} ${id}`) ?? plan.references.labelOf(id, section),
  };
  const idFor: IdOf = (name, section) => {
    const target = plan.references.resolve(name, section);
    if ('message' in target) throw new Error(target.message);
    return target.entry ? created.get(target.entry) : target.id;
  };

  function createRequest({ section, name }: Change, wanted: WantedResource): ChangeRequest {
    const { typeField, noun, create } = kindOf(section);
    const endpoint = create(wanted.body);
    if (!endpoint) throw new Error(`no endpoint creates ${noun} ${name}`);
    const known = knownIdsOf(section);
    return {
      section,
      endpoint,
      body: createBody(wanted, idFor),
      // A project declares its subscriptions.
      ...(endpoint.query.properties?.autoAssignAlerts ? { query: { autoAssignAlerts: false } } : {}),
      name,
      isCreated: (row) =>
        !known.has(idOf(section, row)) &&
        formatName(kindOf(section), row) === name &&
        (typeField === undefined || row[typeField] === wanted.body[typeField]),
    };
  }

  async function setAccess(id: ResourceId, { access }: WantedResource): Promise<void> {
    if (!access) return;
    const input = { params: { statusPageId: id }, body: access } as unknown as Input<Endpoint>;
    await (await deps.client()).call<Endpoint>(updateStatusPageAccess, input, { signal: deps.signal });
  }

  return {
    /** Undefined: there is nothing to send. */
    prepare(change: Change): ChangeRequest | undefined {
      const { action, section, id, wanted, fields } = change;
      const kind = kindOf(section);
      const params = { [kind.param]: id };
      if (action === 'delete') return kind.remove && { section, endpoint: kind.remove, params };
      if (action === 'create' && wanted) return createRequest(change, wanted);
      const isSent = id !== null && wanted && (action !== 'unchanged' || wanted.secretCount > 0);
      if (!isSent) return undefined;
      return {
        section,
        ...kind.update(wanted.remote ?? {}),
        params,
        body: updateBody(wanted, fields, idFor),
      };
    },
    async complete(change: Change, answer: JsonObject): Promise<void> {
      const { action, section, wanted, key } = change;
      let { id } = change;
      let row: JsonObject | undefined;
      if (action === 'delete') recorder.forget(change);
      else if (wanted && action !== 'skipped') {
        row = { ...wanted.remote, ...answer };
        id = idOf(section, row);
        if (action === 'create') {
          knownIdsOf(section).add(id);
          created.set(wanted.entry, id);
          const placeholder = plan.references.placeholderOf(wanted.entry);
          labels.set(`${section} ${id}`, plan.references.labelOf(placeholder, section));
        }
        await setAccess(id, wanted);
        const declared = (entry: JsonObject) => omitChosenFields(section, entry, wanted.body);
        const answered = declared(describeRemote(section, { ...row, ...wanted.access }, references));
        const { name, before, after = {} } = change;
        recorder.record(
          { section, key, name, id },
          describeApplied({ sent: declared(after), answered, before }, plan.secrets),
        );
      }
      await report({ change, id, row });
    },
  };
}
