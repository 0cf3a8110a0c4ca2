/** How an agent comes from an older runtime to the one that is built in (specification, release behaviour). Pure. */
import { RUNTIME_IDS } from '../../contract/enumerations.ts';
import { BUILT_IN_RUNTIME, MIGRATION_IMAGE } from './runtimes.ts';

const IN_MIGRATION_IMAGE = ['2024.09', '2025.04', '2026.04'];

/** The API writes `2026.04`, the agent `2026-04`: both are read. */
export const toRuntimeId = (written: string): string => written.trim().replace('-', '.');
export const toAgentName = (runtimeId: string): string => runtimeId.replace('.', '-');

export interface UpgradeStep {
  readonly step: number;
  /** What to do, as a sentence. */
  readonly action: string;
  /** The tag of the image that the agent runs after it; null: as before. */
  readonly image: string | null;
  /** The runtimes that it has then, as the agent names them. */
  readonly runtimes: readonly string[];
}

/** The steps from a runtime on; undefined where there is no such runtime. */
export function listUpgradeSteps(from: string): readonly UpgradeStep[] | undefined {
  const id = toRuntimeId(from);
  if (!RUNTIME_IDS.some((known) => known === id)) return undefined;
  const name = toAgentName(id);
  const built = toAgentName(BUILT_IN_RUNTIME);
  const last = {
    action: `Start agents of release 8, which have only ${built}.`,
    ...{ image: '8', runtimes: [built] },
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
            ...{ image: null, runtimes: [name] },
          },
        ]),
    {
      action: `Start agents with the image ${MIGRATION_IMAGE}, which has ${runtimes.join(', ')}.`,
      ...{ image: MIGRATION_IMAGE, runtimes },
    },
    {
      action: `Set the runtime ${BUILT_IN_RUNTIME} on every check, and run each check once (sonde checks run).`,
      ...{ image: MIGRATION_IMAGE, runtimes },
    },
    last,
  ]);
}

const numberSteps = (steps: readonly Omit<UpgradeStep, 'step'>[]): UpgradeStep[] =>
  steps.map((step, at) => ({ step: at + 1, ...step }));
