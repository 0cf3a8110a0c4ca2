/** Finds checks that no deployment accepts, so that an import names them instead of writing files that no plan reads. */
import type { Violation } from '../../../contract/endpoint.ts';
import { placeText, violationsOf } from '../../../contract/validate.ts';
import { getAtPath } from '../../framework/request-fields.ts';
import type { DeclaredEntry } from '../export/declared-manifest.ts';
import { kindOf } from '../kinds.ts';
import { toManifestField } from '../references.ts';
import { placeholderId, toRequest } from '../to-request.ts';
import type { ImportResult, Loss } from './conversion.ts';

/** A value with a variable can be valid. */
const hasReference = (value: unknown): boolean => JSON.stringify(value ?? '').includes('${');

/** Returns the broken rules of a check that no value of a variable mends. */
function refusalsOf({ section, fields, suite }: DeclaredEntry, now: number): readonly Violation[] {
  const create = section === 'checks' && suite === undefined ? kindOf(section).create(fields) : undefined;
  if (create === undefined) return [];
  // Only files have keys.
  const { key: _, ...own } = fields;
  const body = toRequest(section, own, (_name, to) => placeholderId(to));
  return violationsOf(create, { body }, now).filter(({ path }) => !hasReference(getAtPath(body, path)));
}

/** Returns the result without the checks that the contract refuses; a loss names each. `now`: ms since the epoch. */
export function withoutRefused(result: ImportResult, now: number): ImportResult {
  const refusals = new Map(
    result.entries.flatMap((entry) => {
      const [first] = refusalsOf(entry, now);
      return first === undefined ? [] : [[entry, first] as const];
    }),
  );
  const losses = [...refusals].map(
    ([{ section, fields }, { path, message }]): Loss => ({
      outcome: 'skipped',
      kind: kindOf(section).noun,
      name: String(fields.name),
      field: placeText(path.map(toManifestField)),
      reason: message,
    }),
  );
  return {
    ...result,
    entries: result.entries.filter((entry) => !refusals.has(entry)),
    losses: [...result.losses, ...losses],
  };
}
