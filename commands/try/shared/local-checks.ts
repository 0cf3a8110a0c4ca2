/** Converts checks of files to what a run needs: valid bodies with IDs instead of names, groups, variables and snippets. */
import { type Problem, UsageError } from '../../../src/base/errors.ts';
import { formatSuggestion } from '../../../src/base/phrases.ts';
import { plural } from '../../../src/base/plural.ts';
import { findNearest } from '../../../src/base/suggest.ts';
import { kindOf, type Section } from '../../../src/cli/manifest/kinds.ts';
import type { Manifest, ManifestEntry } from '../../../src/cli/manifest/manifest.ts';
import { namesToIds, toManifestField } from '../../../src/cli/manifest/references.ts';
import { isCheckType, isRunnable } from '../../../src/contract/check-type-facts.ts';
import { placeText, violationsOf } from '../../../src/contract/validate.ts';
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
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const toBody = (entry: ManifestEntry): Body => {
    const { problems: found, unknownGroup, body } = resolveBody(manifest, entry, now);
    problems.push(...found);
    if (unknownGroup !== undefined)
      warnings.push(
        `the files do not contain group "${unknownGroup}": ${entry.name} runs without its settings`,
      );
    return body;
  };
  const groups = entriesOf(manifest, 'groups').map(toBody);
  const groupOf = ({ groupId }: Body): Group | undefined => {
    const body = typeof groupId === 'number' ? groups[groupId - 1] : undefined;
    return body && { id: Number(groupId), body: body as Group['body'] };
  };
  const skipped: Problem[] = [];
  const local = checks.flatMap(({ entry, namedBy }): LocalCheck[] => {
    const { key: id, name, body: written } = entry;
    const type = written.checkType;
    if (!isCheckType(type)) return [];
    const body = toBody(entry);
    const group = groupOf(body);
    const isActivated = body.activated !== false && group?.body.activated !== false;
    if (isRunnable({ type }) && (namedBy !== 'folder' || isActivated))
      return [{ id, name, type, body, group }];
    const reason = isRunnable({ type }) ? DEACTIVATED : HEARTBEAT;
    const problem = { place: entry.formatLocation([]), message: `cannot run ${name}: ${reason}` };
    (namedBy === 'name' ? problems : skipped).push(problem);
    return [];
  });
  if (problems.length > 0) throw invalid(problems);
  if (local.length === 0) throw invalid(skipped);
  warnings.push(...skipped.map(({ message }) => message.replace('cannot run', 'skipped')));
  const snippets = entriesOf(manifest, 'snippets');
  return {
    checks: local,
    warnings,
    variables: entriesOf(manifest, 'variables').map(({ body }) => toVariable(body)),
    snippetOf(id) {
      const { name, body } = snippets[id - 1] ?? {};
      return name === undefined ? undefined : { name, script: String(body?.script ?? '') };
    },
  };
}

const entriesOf = ({ entries }: Manifest, section: Section): readonly ManifestEntry[] =>
  entries.filter((entry) => entry.section === section);

const toVariable = ({ key, value, secret, locked }: Body) => ({
  key: String(key),
  value: String(value ?? ''),
  secret: secret === true,
  locked: locked === true,
});

/** Returns the body for the API: the ID of a resource is its position among those of its section, from 1. */
function resolveBody(
  manifest: Manifest,
  entry: ManifestEntry,
  now: number,
): { readonly body: Body; readonly problems: readonly Problem[]; readonly unknownGroup: unknown } {
  const problems: Problem[] = [];
  let unknownGroup: unknown;
  const kind = kindOf(entry.section);
  const { checkType: _, ...fields } = entry.body;
  const create = kind.create(entry.body);
  const body = namesToIds(
    create?.body ?? {},
    { ...kind.fill?.(entry.body), ...fields },
    (named, to, path) => {
      // Nothing else affects a run.
      if (to !== 'groups' && to !== 'snippets') return 1;
      const known = entriesOf(manifest, to);
      const index = known.findIndex(({ key, name }) => key === named || name === named);
      if (index >= 0) return index + 1;
      if (to === 'groups') unknownGroup = named;
      else {
        const nearest = findNearest(
          String(named),
          known.map(({ name }) => name),
        );
        const place = entry.formatLocation(path);
        problems.push({
          place,
          message: `snippet "${named}" not found`,
          ...(nearest === undefined ? {} : { nearest }),
        });
      }
      return undefined;
    },
  );
  const violations = create === undefined ? [] : violationsOf(create, { body }, now);
  for (const { in: part, path, message, allowed, nearest } of violations) {
    const steps = path.map(toManifestField);
    if (part !== 'body') continue;
    problems.push({
      place: entry.formatLocation(steps),
      message: `${placeText(steps)} ${message}`,
      ...(allowed ? { allowed: allowed.map(String) } : {}),
      ...(nearest === undefined ? {} : { nearest }),
    });
  }
  return { body, problems, unknownGroup };
}

function invalid(problems: readonly Problem[]): UsageError {
  const [first] = problems;
  if (problems.length > 1 || first === undefined)
    return new UsageError(`${plural(problems.length, 'problem')}; nothing ran`, { details: problems });
  const { place, message, nearest } = first;
  const near = nearest === undefined ? '' : formatSuggestion(nearest);
  return new UsageError(`${place}: ${message}${near}`, { details: problems });
}
