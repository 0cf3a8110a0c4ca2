/** Handles the installed runtimes and the public locations of the service. */
import type { getRuntime, ResponseOf } from '../../../contract/index.ts';
import { cityOf } from '../../../contract/location-names.ts';
import { PLAYWRIGHT_PACKAGES, SCRIPT_PACKAGES } from '../../../contract/script-packages.ts';
import { BUILT_IN_RUNTIME, type ScriptRuntime } from '../../../runners/browser/runtimes.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { requireFound } from './problem.ts';

function present({ id, nodeVersion, playwrightVersion }: ScriptRuntime): ResponseOf<typeof getRuntime> {
  return {
    name: id,
    stage: id === BUILT_IN_RUNTIME ? 'CURRENT' : 'STABLE',
    description: `Node.js ${nodeVersion}, Playwright ${playwrightVersion}`,
    multiStepSupport: true,
    nodeJsVersion: nodeVersion,
    dependencies: {
      ...Object.fromEntries(PLAYWRIGHT_PACKAGES.map((name) => [name, playwrightVersion])),
      ...SCRIPT_PACKAGES,
    },
  };
}

export function platformHandlers({ runtimes, locations }: HandlerContext) {
  return {
    listRuntimes: async () => (await runtimes()).map(present),
    getRuntime: async ({ params: { id } }) =>
      present(
        requireFound(
          (await runtimes()).find((runtime) => runtime.id === id),
          `runtime ${id}`,
        ),
      ),
    listLocations: async () => locations.map((region) => ({ region, name: cityOf(region) ?? region })),
  } satisfies Partial<Handlers>;
}
