/** Converts checks of files to what a run needs: valid bodies with IDs instead of names, groups, variables and snippets. */
import type { Problem } from '../../../src/base/errors.ts';
import { findNearest } from '../../../src/base/suggest.ts';
import { problemsError } from '../../../src/cli/manifest/files/problems.ts';
import { validateEntry } from '../../../src/cli/manifest/files/validate-entry.ts';
import { kindOf, type Section } from '../../../src/cli/manifest/kinds.ts';
import type { Manifest, ManifestEntry } from '../../../src/cli/manifest/manifest.ts';
import { namesToIds } from '../../../src/cli/manifest/references.ts';
import { isCheckType, isRunnable } from '../../../src/contract/check-type-facts.ts';
import type { LocalAccount, LocalCheck } from '../../../src/service/engine/local-sessions/run-checks.ts';
import type { FoundChecks } from './find-checks.ts';

export interface LocalChecks extends LocalAccount {
  readonly checks: readonly LocalCheck[];
  /** Sentences about checks that do not run, and settings that are unknown. */
  readonly warnings: readonly string[];
}

const DEACTIVATED = 'it is deactivated; to run it, pass its name';
const HEARTBEAT = 'heartbeat checks do not run, they wait for pings from your job';

type Body = LocalCheck['body'];
type Group = NonNullable<LocalCheck['group']>;

/** Throws UsageError if a check is invalid, or if none can run. */
export function toLocalChecks({ manifest, checks }: FoundChecks, now: number): LocalChecks {
  const { toBody, problems, warnings } = createBodyReader(manifest, now);
  const groups = entriesOf(manifest, 'groups').map(toBody);
  const skipped: Problem[] = [];
  const local = checks.flatMap(({ entry, namedBy }): LocalCheck[] => {
    const { key: id, name, body: written } = entry;
    const type = written.checkType;
    if (!isCheckType(type)) return [];
    const body = toBody(entry);
    const group = toGroup(groups, body);
    const isActivated = body.activated !== false && group?.body.activated !== false;
    if (isRunnable({ type }) && (namedBy !== 'folder' || isActivated))
      return [{ id, name, type, body, group }];
    const reason = isRunnable({ type }) ? DEACTIVATED : HEARTBEAT;
    const problem = { place: entry.formatLocation([]), message: `cannot run ${name}: ${reason}` };
    (namedBy === 'name' ? problems : skipped).push(problem);
    return [];
  });
  if (problems.length > 0) throw problemsError(problems);
  if (local.length === 0) throw problemsError(skipped);
  const snippets = entriesOf(manifest, 'snippets');
  return {
    checks: local,
    warnings: [...warnings, ...skipped.map(({ message }) => message.replace('cannot run', 'skipped'))],
    variables: entriesOf(manifest, 'variables').flatMap(({ body }) => toVariable(body)),
    snippetOf(id) {
      const { name, body } = snippets[id - 1] ?? {};
      return name === undefined ? undefined : { name, script: String(body?.script ?? '') };
    },
  };
}

const entriesOf = ({ entries }: Manifest, section: Section): readonly ManifestEntry[] =>
  entries.filter((entry) => entry.section === section);

/** Returns a variable; none if only a service has its value. */
const toVariable = ({ key, value, secret, locked }: Body) =>
  typeof key === 'string' && typeof value === 'string'
    ? [{ key, value, secret: secret === true, locked: locked === true }]
    : [];

function toGroup(groups: readonly Body[], { groupId }: Body): Group | undefined {
  const body = typeof groupId === 'number' ? groups[groupId - 1] : undefined;
  return body && { id: Number(groupId), body: body as Group['body'] };
}

/** Reads bodies as the API has them: the ID of a resource is its position among those of its section, from 1. */
function createBodyReader(manifest: Manifest, now: number) {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const toBody = (entry: ManifestEntry): Body => {
    const { section, body, name, formatLocation } = entry;
    const kind = kindOf(section);
    const { checkType: _, ...fields } = body;
    const schema = kind.create(body)?.body ?? {};
    const request = namesToIds(schema, { ...kind.fill?.(body), ...fields }, (named, to, path) => {
      const known = entriesOf(manifest, to).map((one) => one.name);
      const index = known.indexOf(String(named));
      if (index >= 0) return index + 1;
      if (to === 'groups')
        warnings.push(`the files do not contain group "${named}": ${name} runs without its settings`);
      if (to === 'snippets') problems.push({ place: formatLocation(path), ...describeUnknown(named, known) });
      return undefined;
    });
    problems.push(...validateEntry(entry, request, now));
    return request;
  };
  return { toBody, problems, warnings };
}

/** Describes a snippet that the files do not contain: without it, a check cannot run. */
function describeUnknown(named: unknown, known: readonly string[]): Pick<Problem, 'message' | 'nearest'> {
  const nearest = findNearest(String(named), known);
  return { message: `snippet "${named}" not found`, ...(nearest === undefined ? {} : { nearest }) };
}
