/** Plans how to bring a deployment to the state that a manifest declares, and validates the manifest. */
import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/object.ts';
import { fillCredentials } from '../credentials.ts';
import { validateEntry } from '../files/validate-entry.ts';
import { formatName, kindOf, SECTIONS } from '../kinds.ts';
import type { Manifest, ManifestEntry } from '../manifest.ts';
import { planAccess } from '../manifest-entry.ts';
import { showsField } from '../references.ts';
import type { RemoteState } from '../remote-state.ts';
import { lacksSecret, toStored } from '../state/applied.ts';
import { findDifferences, valueAt, withValueAt } from '../state/compare.ts';
import type { OwnedResource } from '../state/project-state.ts';
import type { StoredState } from '../state/read-states.ts';
import { placeholderId, toRequest } from '../to-request.ts';
import { countHiddenValues, fillHiddenValues, lacksValue } from '../write-only-values.ts';
import type { Change, PlanAction } from './change.ts';
import { describeRemote, describeWanted } from './describe.ts';
import { idOf, type Match, matchEntries } from './match-entries.ts';
import { orderChanges } from './order-changes.ts';
import { createReferences, type References } from './resolve-references.ts';

export interface Plan {
  readonly project: string | undefined;
  readonly changes: readonly Change[];
  /** Resources of the project that the files no longer declare. With `isPruned`, `changes` deletes them. */
  readonly undeclared: readonly OwnedResource[];
  readonly problems: readonly Problem[];
  readonly remote: RemoteState;
  readonly references: References;
  /** The state of the project. Undefined: the manifest has no project. */
  readonly own: StoredState | undefined;
  readonly secrets: readonly string[];
  readonly taint: Manifest['taint'];
  /** The number of requests that the deployment accepts in a batch; 0: it has no batches. */
  readonly batchLimit: number;
}

export interface PlanOptions {
  readonly batchLimit?: number;
  /** Hidden values that the files leave out, by key. */
  readonly values?: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether to delete the project's resources that the files no longer declare. */
  readonly isPruned?: boolean;
}

/** Returns the plan. Its problems, if any, say why it cannot be applied. */
export function createPlan(
  manifest: Manifest,
  remote: RemoteState,
  states: readonly StoredState[],
  { values = new Map(), now, isPruned = false, batchLimit = 0 }: PlanOptions,
): Plan {
  const { project, entries, secrets, taint } = manifest;
  const own =
    project === undefined
      ? undefined
      : (states.find((state) => state.project === project) ?? { project, resources: [], snippetIds: [] });
  const others = states.filter((state) => state.project !== project);
  const matched = matchEntries(entries, remote, { own, others });
  const references = createReferences(matched.matches, matched.undeclared, remote, isPruned);
  const problems: Problem[] = [...matched.problems];
  const changes = matched.matches.map((match) => {
    const { section, formatLocation } = match.entry;
    const credentials = fillCredentials(section, withValue(match.entry, values), match.remote, values);
    for (const { field, name } of credentials.missing)
      problems.push({
        place: formatLocation(['config', field]),
        message: `config.${field} is a mask of another deployment's value: add ${name} to the file of --secrets`,
      });
    const filled = fillHiddenValues(section, credentials.body, match.remote, values);
    const valid = toValidRequest(match, filled.validated, references, now, problems);
    // Values that are not available are not sent, and the plan does not promise them.
    const request =
      filled.missingValues.length === 0
        ? valid
        : toRequest(section, filled.sent, (name, to) => {
            const target = references.resolve(name, to);
            return 'id' in target ? target.id : undefined;
          });
    const change = planEntry(match, filled.sent, request, references, secrets);
    return { ...change, wanted: { ...change.wanted, missingValues: filled.missingValues } };
  });
  problems.push(...findCycles(changes, references));
  const inOrder = matched.undeclared.toSorted(
    (a, b) => SECTIONS.indexOf(b.owned.section) - SECTIONS.indexOf(a.owned.section),
  );
  const deletions = inOrder.map(({ owned, remote: row }): Change => {
    const id = idOf(owned.section, row);
    const name = formatName(kindOf(owned.section), row);
    const { section, key } = owned;
    const before = describeRemote(section, row, references);
    const none = { fields: [], after: undefined, wanted: undefined, adopts: false };
    return { ...none, action: 'delete', section, key, name, id, before };
  });
  return {
    project,
    changes: [...changes, ...(isPruned ? deletions : [])],
    undeclared: matched.undeclared.map(({ owned, remote: row }) => ({
      ...owned,
      id: idOf(owned.section, row),
    })),
    problems,
    remote,
    references,
    own,
    secrets,
    taint,
    batchLimit,
  };
}

/** Returns the problems of resources that exchange their unique names or depend on each other, which the API does not allow. */
function findCycles(changes: readonly Change[], references: References): readonly Problem[] {
  return SECTIONS.flatMap((section) => {
    const ofSection = changes.filter((change) => change.section === section);
    const { cycle } = orderChanges(ofSection, references);
    const { noun, field, isUnique } = kindOf(section);
    const names = cycle.map(({ name }) => `"${name}"`);
    return cycle.slice(0, 1).map(({ wanted }) => ({
      place: wanted?.entry.formatLocation([isUnique ? field : 'dependsOn']) ?? '',
      message: isUnique
        ? `${noun}s cannot exchange the ${field} ${names.join(' and ')} in one step: apply another ${field} for one of them first`
        : `makes the check depend on itself: ${[...names, names[0]].join(' → ')}`,
    }));
  });
}

/** Fills in the value of a variable that the files leave out. */
function withValue({ section, body }: ManifestEntry, values: ReadonlyMap<string, string>): JsonObject {
  const value = section === 'variables' && body.value === undefined && values.get(String(body.key));
  return typeof value === 'string' ? { ...body, value } : body;
}

function planEntry(
  { entry, remote, owned, adopts }: Match,
  body: JsonObject,
  request: JsonObject,
  references: References,
  secrets: readonly string[],
) {
  const { section, key, name } = entry;
  const kind = kindOf(section);
  const current = remote && describeRemote(section, remote, references);
  // The hash of an archive identifies a code bundle, and nothing else describes it.
  const wanted = section === 'codeBundles' ? {} : describeWanted(section, body, request, current, references);
  const access = planAccess(section, body, remote);
  const previousName = remote && formatName(kind, remote);
  const isRenamed = previousName !== undefined && previousName !== name;
  const before = current && remote && acceptRewritten(current, wanted, remote, owned, secrets);
  const isSkipped = before === undefined && lacksValue(section, body);
  const fields = isSkipped ? [] : findDifferences(before ?? {}, wanted);
  const action: PlanAction =
    before === undefined
      ? isSkipped
        ? 'skipped'
        : 'create'
      : isRenamed
        ? 'rename'
        : fields.length > 0
          ? 'update'
          : 'unchanged';
  const secretCount = countHiddenValues(section, body);
  return {
    action,
    section,
    key,
    name,
    id: remote ? idOf(section, remote) : null,
    ...(isRenamed ? { previousName } : {}),
    adopts,
    fields,
    before,
    after: wanted,
    wanted: { entry, body, remote, current, access, secretCount },
  };
}

/**
 * Returns the current fields, with the wanted value of each field that the API changed to its present value when the same
 * value was sent before, or that it does not show.
 */
function acceptRewritten(
  current: JsonObject,
  wanted: JsonObject,
  remote: JsonObject,
  owned: OwnedResource | undefined,
  secrets: readonly string[],
): JsonObject {
  const { applied, rewritten = [] } = owned ?? {};
  if (!owned || !applied) return current;
  return findDifferences(current, wanted).reduce((fields, { path, before, after }) => {
    const sent = toStored(after, secrets);
    // Different texts with a secret look equal in the record.
    if (lacksSecret(sent)) return fields;
    const earlier = rewritten.find((one) => isDeepStrictEqual(one.path, path));
    const isRewritten =
      earlier !== undefined &&
      isDeepStrictEqual(earlier.sent, sent) &&
      isDeepStrictEqual(toStored(before, secrets), valueAt(applied, path));
    const [field = ''] = path;
    const isHidden =
      !kindOf(owned.section).replaces &&
      !showsField(remote, field) &&
      isDeepStrictEqual(valueAt(applied, path), sent);
    return isRewritten || isHidden ? withValueAt(fields, path, after) : fields;
  }, current);
}

/** Returns the body of a request, with placeholders for the IDs of new resources. Adds the broken rules of the entry. */
function toValidRequest(
  { entry, remote }: Match,
  body: JsonObject,
  references: References,
  now: number,
  problems: Problem[],
): JsonObject {
  const { section, formatLocation, writtenText, name } = entry;
  const kind = kindOf(section);
  const request = toRequest(section, body, (reference, to, path) => {
    const target = references.resolve(reference, to);
    if ('id' in target) return target.id;
    problems.push({ place: formatLocation(path), ...target });
    return placeholderId(to);
  });
  const validated = lacksValue(section, body) ? { ...request, value: '' } : request;
  problems.push(...validateEntry({ section, body, formatLocation, writtenText }, validated, now));
  const properties = remote && kind.update(remote).endpoint.body?.properties;
  if (remote && properties && !(kind.field in properties) && formatName(kind, remote) !== name) {
    problems.push({
      place: formatLocation([kind.field]),
      message: `the ${kind.field} of a ${kind.noun} cannot change from "${formatName(kind, remote)}" to "${name}"`,
    });
  }
  return request;
}
