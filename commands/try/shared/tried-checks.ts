/** Declares the content of the files that a run needs. */
import type { LocalAccount, LocalCheck } from '../../../src/service/engine/local-sessions/run-checks.ts';

export interface TriedChecks extends LocalAccount {
  readonly checks: readonly LocalCheck[];
  /** Secret values, which runs treat as secrets. */
  readonly secrets: readonly string[];
  /** Returns a copy of a part of a result without values of variables. */
  readonly hide: <T>(value: T) => T;
  /** Returns a Playwright project, packed, by its ID. */
  readonly archiveOf: (id: string) => Buffer | undefined;
}
