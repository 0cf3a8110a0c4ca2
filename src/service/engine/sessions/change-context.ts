/** Declares the transaction in which sessions change, and the effects to publish after its commit. */
import type { Random } from '../../../base/random.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import { earliest } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { StoreTransaction } from '../../store/index.ts';
import type { Limits } from './plan-session.ts';

/** A session of a stored check that has just ended, for alerts in the same transaction. */
export interface EndedSession {
  readonly session: SessionRecord<string>;
  /** Reads all its results in order, attempts included, in the same transaction. */
  readonly results: () => Promise<readonly ResultRecord[]>;
  /** Later sessions of the check that end in the same transaction. Each is passed in its turn. */
  readonly following?: readonly string[];
}

/** The transaction of a change, and what the change needs. */
export interface ChangeContext {
  readonly data: EngineData;
  readonly tx: StoreTransaction;
  readonly now: number;
  readonly random: Random;
  readonly limits: Limits;
  readonly onEnded: ((tx: StoreTransaction, ended: readonly EndedSession[]) => Promise<void>) | undefined;
}

/** The effects to publish after the commit. */
export interface Effects {
  readonly ended: readonly { readonly id: string; readonly status: string }[];
  readonly testsEnded: readonly string[];
  readonly attempts: number;
  readonly errors: number;
  /** The earliest time at which a new attempt can be claimed, or null. */
  readonly claimableAt: number | null;
  /** The pools of the new attempts. */
  readonly pools: readonly string[];
}

export const NO_EFFECTS: Effects = {
  ended: [],
  testsEnded: [],
  attempts: 0,
  errors: 0,
  claimableAt: null,
  pools: [],
};

export function combineEffects(effects: readonly Effects[]): Effects {
  return {
    ended: effects.flatMap(({ ended }) => ended),
    testsEnded: [...new Set(effects.flatMap(({ testsEnded }) => testsEnded))],
    attempts: effects.reduce((sum, { attempts }) => sum + attempts, 0),
    errors: effects.reduce((sum, { errors }) => sum + errors, 0),
    claimableAt: earliest(...effects.map(({ claimableAt }) => claimableAt)),
    pools: [...new Set(effects.flatMap(({ pools }) => pools))],
  };
}
