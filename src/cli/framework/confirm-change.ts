/** Asks for confirmation before a change, and formats the resources in the question. */
import { DeclinedError } from '../../base/errors.ts';
import { confirm, unansweredError } from '../../terminal/index.ts';
import type { Deps } from './index.ts';

export interface Confirmation {
  /** The question: `Delete the snippet 12?` */
  readonly message: string;
  /** Whether `--yes` was passed. */
  readonly yes: boolean;
  /** Whether `--yes` is required without a terminal; if not, the change proceeds there. */
  readonly required: boolean;
}

/**
 * Throws DeclinedError if the user declines, and UsageError without a terminal if confirmation is required. It creates the
 * client first, so that a missing key is reported before the question.
 */
export async function confirmChange(deps: Deps, confirmation: Confirmation): Promise<void> {
  const { terminal, client, signal } = deps;
  const { message, yes, required } = confirmation;
  if (yes || (!required && !terminal.canAsk)) return;
  if (!terminal.canAsk)
    throw unansweredError(terminal, { message, flag: '--yes', requirement: 'confirmation required' });
  await client();
  if (!(await confirm(terminal, { message, flag: '--yes', signal }))) {
    throw new DeclinedError('nothing was changed');
  }
}

/** The maximum number of IDs in a list before it ends in a count. */
export const MAX_LISTED = 20;

/** Formats IDs: `1, 2, 3`, or `1, 2 and 98 more`. */
export function formatIds(ids: readonly (string | number)[]): string {
  const rest = ids.length - MAX_LISTED;
  const named = ids.slice(0, MAX_LISTED).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

type Id = string | number;
/** The known names of resources by their IDs. */
export type NamesById = ReadonlyMap<string, string>;

/** Formats an ID: `12`, or with its name if known: `Sign in (12)`. */
export function formatNameAndId(names: NamesById, id: Id): string {
  const name = names.get(String(id));
  return name === undefined ? String(id) : `${name} (${id})`;
}

/** Formats resources: `the snippet 12`, `3 snippets (1, 2, 3)`. */
export function formatResources(
  ids: readonly Id[],
  noun: string,
  plural: string,
  names: NamesById = new Map(),
): string {
  const [only] = ids;
  return only !== undefined && ids.length === 1
    ? `the ${noun} ${formatNameAndId(names, only)}`
    : `${ids.length} ${plural} (${formatIds(ids.map((id) => formatNameAndId(names, id)))})`;
}
