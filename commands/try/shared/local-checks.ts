/** Converts checks of files to what a run needs: valid bodies with IDs instead of names, groups, variables and snippets. */
import type { Problem } from '../../../src/base/errors.ts';
import { findNearest } from '../../../src/base/suggest.ts';
import { problemsError } from '../../../src/cli/manifest/files/problems.ts';
import { validateAlone } from '../../../src/cli/manifest/files/validate-entry.ts';
import type { Section } from '../../../src/cli/manifest/kinds.ts';
import type { Manifest, ManifestEntry } from '../../../src/cli/manifest/manifest.ts';
import { toRequest } from '../../../src/cli/manifest/to-request.ts';
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
  const { taint } = manifest;
  const { toBody, warnings } = createBodyReader(manifest);
  const groups = entriesOf(manifest, 'groups').map(toBody);
  const skipped: Problem[] = [];
  const refused: Problem[] = [];
  const local = checks.flatMap(({ entry, namedBy }): LocalCheck[] => {
    const { body: written } = entry;
    const [id, name] = [taint.show(entry.key), taint.show(entry.name)];
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
  const problems = [...manifest.entries.flatMap((entry) => findProblems(manifest, entry, now)), ...refused];
  if (problems.length > 0) throw problemsError(taint.showProblems(problems));
  if (local.length === 0) throw problemsError(skipped);
  const snippets = entriesOf(manifest, 'snippets');
  return {
    checks: local,
    warnings: [
      ...warnings.map((text) => taint.show(text)),
      ...skipped.map(({ message }) => message.replace('cannot run', 'skipped')),
    ],
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

/** Returns the ID of a resource in this run: its position among those of its section, from 1. */
function localId(manifest: Manifest, named: unknown, to: Section): number | undefined {
  const index = entriesOf(manifest, to).findIndex(({ name, key }) => name === named || key === named);
  return index < 0 ? undefined : index + 1;
}

/** Reads bodies as the API has them, with IDs of this run. */
function createBodyReader(manifest: Manifest) {
  const warnings: string[] = [];
  const toBody = ({ section, name, body }: ManifestEntry): Body =>
    toRequest(section, body, (named, to) => {
      const id = localId(manifest, named, to);
      if (id === undefined && to === 'groups')
        warnings.push(`the files do not contain group "${named}": ${name} runs without its settings`);
      return id;
    });
  return { toBody, warnings };
}

/** Returns the broken rules of an entry. Only a snippet must be in the files: without it, a check cannot run. */
function findProblems(manifest: Manifest, entry: ManifestEntry, now: number): readonly Problem[] {
  const missing: Problem[] = [];
  const broken = validateAlone(entry, now, (named, to, path) => {
    if (to !== 'snippets' || localId(manifest, named, to) !== undefined) return;
    const nearest = findNearest(
      String(named),
      entriesOf(manifest, to).map(({ name }) => name),
    );
    missing.push({
      place: entry.formatLocation(path),
      message: `snippet "${named}" not found in the files`,
      ...(nearest === undefined ? {} : { nearest }),
    });
  });
  return [...missing, ...broken];
}
