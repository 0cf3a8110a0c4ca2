/**
 * Lists the steps that upgrade an agent from an older runtime to the built-in one (specification, release behaviour).
 * Pure.
 */
import { RUNTIME_IDS } from '../../contract/enumerations.ts';
import { BUILT_IN_RUNTIME, MIGRATION_IMAGE } from './runtimes.ts';

const IN_MIGRATION_IMAGE = ['2024.09', '2025.04', '2026.04'];

/** Normalizes a runtime ID: the API writes `2026.04`, the agent `2026-04`. */
export const toRuntimeId = (written: string): string => written.trim().replace('-', '.');
export const toAgentName = (runtimeId: string): string => runtimeId.replace('.', '-');

export interface UpgradeStep {
  readonly step: number;
  /** Instruction, as a sentence. */
  readonly action: string;
  /** Tag of the agent's image after this step; null: unchanged. */
  readonly image: string | null;
  /** Available runtimes after this step, by agent name. */
  readonly runtimes: readonly string[];
}

/** Returns the steps from a runtime; undefined if the runtime is unknown. */
export function listUpgradeSteps(from: string): readonly UpgradeStep[] | undefined {
  const id = toRuntimeId(from);
  if (!RUNTIME_IDS.some((known) => known === id)) return undefined;
  const name = toAgentName(id);
  const built = toAgentName(BUILT_IN_RUNTIME);
  const last = {
    action: `Start agents of release 8, which have only ${built}.`,
    image: '8',
    runtimes: [built],
  };
  if (id === BUILT_IN_RUNTIME) return numberSteps([last]);
  const isBundled = IN_MIGRATION_IMAGE.includes(id);
  const runtimes = IN_MIGRATION_IMAGE.map(toAgentName);
  return numberSteps([
    ...(isBundled
      ? []
      : [
          {
            action: `Set the runtime ${IN_MIGRATION_IMAGE[0]} on checks that use ${id}: no newer image has ${name}.`,
            image: null,
            runtimes: [name],
          },
        ]),
    {
      action: `Start agents with the image ${MIGRATION_IMAGE}, which has ${runtimes.join(', ')}.`,
      image: MIGRATION_IMAGE,
      runtimes,
    },
    {
      action: `Set the runtime ${BUILT_IN_RUNTIME} on every check, and run each check once (sonde checks run).`,
      image: MIGRATION_IMAGE,
      runtimes,
    },
    last,
  ]);
}

const numberSteps = (steps: readonly Omit<UpgradeStep, 'step'>[]): UpgradeStep[] =>
  steps.map((step, at) => ({ step: at + 1, ...step }));
