/**
 * Reads a file with one uptime check that needs nothing else. It loads only the contract of that type: reading all kinds of
 * resources takes as long as the rest of a run.
 */
import { relative, resolve } from 'node:path';
import type { Deps } from '../../../../src/cli/framework/index.ts';
import { parseYamlDocument } from '../../../../src/cli/framework/lazy/yaml-document.ts';
import { openProjectRoot } from '../../../../src/cli/manifest/files/project-root.ts';
import { CHECK_TYPES } from '../../../../src/contract/generated/check-types.js';
import { violationsOf } from '../../../../src/contract/validate.ts';
import type { FindChecksOptions } from '../find-checks.ts';
import type { TriedChecks } from '../tried-checks.ts';
import { isUptimeType, UPTIME_TYPES } from '../uptime-types.ts';

/** Fields of the API that files do not have. */
const API_ONLY = ['groupId', 'alertChannelSubscriptions'];

/** Returns undefined for any other file, for an invalid one, and for one below `base`, whose files may have defaults. */
export async function readSingleCheck(
  { clock, cwd }: Pick<Deps, 'clock' | 'cwd'>,
  words: readonly string[],
  { path: base, root }: Pick<FindChecksOptions, 'path' | 'root'>,
): Promise<TriedChecks | undefined> {
  const [path = '', ...others] = words;
  const fromBase = relative(resolve(cwd, base), resolve(cwd, path));
  if (others.length > 0 || !fromBase.startsWith('..')) return undefined;
  const text = await openProjectRoot(cwd, { paths: [path], root })
    .readText(path)
    .catch(() => undefined);
  if (text === undefined || text.includes('${')) return undefined;
  const { checkType: type, ...fields } = parseYamlDocument(text).value;
  if (!isUptimeType(type) || API_ONLY.some((name) => name in fields)) return undefined;
  const { create } = await UPTIME_TYPES[type]();
  const body: Record<string, unknown> = { ...CHECK_TYPES[type].fill, ...fields };
  if (violationsOf(create, { body }, clock.now()).length > 0) return undefined;
  const name = String(body.name);
  return {
    checks: [{ id: name, name, type, body, group: undefined }],
    variables: [],
    snippetOf: () => undefined,
    secrets: [],
    hide: (value) => value,
    archiveOf: () => undefined,
  };
}
