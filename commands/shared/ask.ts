/** Asks once before something changes. */
import { DeclinedError } from '../../src/base/errors.ts';
import { confirm } from '../../src/terminal/index.ts';
import type { Deps } from '../kernel/index.ts';

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
export async function ask({ terminal, client, signal }: Deps, consent: Consent): Promise<void> {
  const { message, yes, required } = consent;
  if (yes || (!required && !terminal.canAsk)) return;
  if (terminal.canAsk) await client();
  if (!(await confirm(terminal, { message, flag: '--yes', signal }))) {
    throw new DeclinedError('nothing was changed');
  }
}

/** How many are named in a question before the rest is counted. */
const NAMED = 20;

/** `the snippet 12`, `3 snippets (1, 2, 3)`. */
export function naming(ids: readonly (string | number)[], noun: string, plural: string): string {
  if (ids.length === 1) return `the ${noun} ${ids[0]}`;
  const rest = ids.length - NAMED;
  const named = ids.slice(0, NAMED).join(', ');
  return `${ids.length} ${plural} (${rest > 0 ? `${named} and ${rest} more` : named})`;
}
