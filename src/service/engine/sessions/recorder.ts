/** The transaction that sessions are changed in, and what is to be told of it once it is committed. */
import type { Random } from '../../../base/random.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import { earliest } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { StoreTransaction } from '../../store/index.ts';
import type { Limits } from './plan.ts';

/** A session of a stored check that has just ended, for what follows from it in the same transaction (alerts). */
export interface EndedSession {
  readonly session: SessionRecord<string>;
  /** All its results, attempts included, in the order they came: asked for by whoever needs them, in the same transaction. */
  readonly results: () => Promise<readonly ResultRecord[]>;
  /** Later sessions of the check that end in the same transaction: each is told of in its turn. */
  readonly following?: readonly string[];
}

/** The transaction that a change happens in, and what it needs. */
export interface Recorder {
  readonly data: EngineData;
  readonly tx: StoreTransaction;
  readonly now: number;
  readonly random: Random;
  readonly limits: Limits;
  readonly onEnded: ((tx: StoreTransaction, ended: readonly EndedSession[]) => Promise<void>) | undefined;
}

/** What is to be told once the change is committed. */
export interface Effects {
  readonly ended: readonly { readonly id: string; readonly status: string }[];
  readonly testsEnded: readonly string[];
  readonly attempts: number;
  readonly errors: number;
  /** The earliest instant at which something new may be claimed; null: nothing new. */
  readonly claimableAt: number | null;
  /** Where it may be claimed. */
  readonly pools: readonly string[];
}

export const NO_EFFECTS: Effects = {
  ...{ ended: [], testsEnded: [], attempts: 0, errors: 0 },
  ...{ claimableAt: null, pools: [] },
};

export function together(effects: readonly Effects[]): Effects {
  return {
    ended: effects.flatMap(({ ended }) => ended),
    testsEnded: [...new Set(effects.flatMap(({ testsEnded }) => testsEnded))],
    attempts: effects.reduce((sum, { attempts }) => sum + attempts, 0),
    errors: effects.reduce((sum, { errors }) => sum + errors, 0),
    claimableAt: earliest(...effects.map(({ claimableAt }) => claimableAt)),
    pools: [...new Set(effects.flatMap(({ pools }) => pools))],
  };
}
