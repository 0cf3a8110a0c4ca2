/** Asks once before something changes. */
import { DeclinedError } from '../../base/errors.ts';
import { confirm, unansweredError } from '../../terminal/index.ts';
import type { Deps } from './index.ts';

export interface Consent {
  /** What is asked: `Delete the snippet 12?` */
  readonly message: string;
  /** `--yes` was given. */
  readonly yes: boolean;
  /** Whether `--yes` is required where nobody can be asked; else that goes on without a word. */
  readonly required: boolean;
}

/**
 * Throws DeclinedError where a person says no, UsageError where nobody can be asked and an answer is required. Before a
 * person is asked, the client is made: a question is vain where no key is known.
 */
export async function ask(deps: Deps, consent: Consent): Promise<void> {
  const { terminal, client, signal } = deps;
  const { message, yes, required } = consent;
  if (yes || (!required && !terminal.canAsk)) return;
  if (!terminal.canAsk)
    throw unansweredError(terminal, { message, flag: '--yes', requirement: 'confirmation required' });
  await client();
  if (!(await confirm(terminal, { message, flag: '--yes', signal }))) {
    throw new DeclinedError('nothing was changed');
  }
}

/** How many are named before the rest is counted. */
export const NAMED = 20;

/** `1, 2, 3`, and of very many `1, 2 and 98 more`. */
export function listed(ids: readonly (string | number)[]): string {
  const rest = ids.length - NAMED;
  const named = ids.slice(0, NAMED).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

type Id = string | number;
/** The names of things by their IDs, as far as they are known. */
export type Names = ReadonlyMap<string, string>;

/** `12`, or with the name that was given for it: `Sign in (12)`. */
export function nameAndId(names: Names, id: Id): string {
  const name = names.get(String(id));
  return name === undefined ? String(id) : `${name} (${id})`;
}

/** `the snippet 12`, `3 snippets (1, 2, 3)`. */
export function naming(ids: readonly Id[], noun: string, plural: string, names: Names = new Map()): string {
  const [only] = ids;
  return only !== undefined && ids.length === 1
    ? `the ${noun} ${nameAndId(names, only)}`
    : `${ids.length} ${plural} (${listed(ids.map((id) => nameAndId(names, id)))})`;
}
