/** Converts checks of files to what a run needs: valid bodies with IDs instead of names, groups, variables and snippets. */
import type { Problem } from '../../../src/base/errors.ts';
import { problemsError } from '../../../src/cli/manifest/files/problems.ts';
import { validateEntries } from '../../../src/cli/manifest/files/validate-entries.ts';
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
  const { toBody, known, warnings } = createBodyReader(manifest);
  const groups = entriesOf(manifest, 'groups').map(toBody);
  const skipped: Problem[] = [];
  const refused: Problem[] = [];
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
    (namedBy === 'name' ? refused : skipped).push(problem);
    return [];
  });
  const problems = [...validateEntries(manifest, known, now), ...refused];
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
function createBodyReader(manifest: Manifest) {
  const warnings: string[] = [];
  /** Names of resources that the files do not contain, and that do not prevent a run. */
  const known: Partial<Record<Section, string[]>> = {};
  const toBody = (entry: ManifestEntry): Body => {
    const kind = kindOf(entry.section);
    const { checkType: _, ...fields } = entry.body;
    const schema = kind.create(entry.body)?.body ?? {};
    return namesToIds(schema, { ...kind.fill?.(entry.body), ...fields }, (named, to) => {
      const index = entriesOf(manifest, to).findIndex(({ name }) => name === named);
      if (index >= 0) return index + 1;
      // Without its snippet, a check cannot run.
      if (to !== 'snippets') known[to] = [...new Set([...(known[to] ?? []), String(named)])];
      if (to === 'groups')
        warnings.push(`the files do not contain group "${named}": ${entry.name} runs without its settings`);
      return undefined;
    });
  };
  return { toBody, known, warnings };
}
