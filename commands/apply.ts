/** `sonde apply`: brings a deployment to the state that the files of a project declare. */
import { UsageError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { type Deps, defineCommand, duration, flag } from '../src/cli/framework/index.ts';
import { applyProject } from '../src/cli/manifest/apply/apply-project.ts';
import { restoreFiles } from '../src/cli/manifest/files/file-tree.ts';
import { openProjectRoot } from '../src/cli/manifest/files/project-root.ts';
import {
  type Project,
  pathsArgument,
  requireProject,
  withProject,
} from '../src/cli/manifest/files/read-project.ts';
import {
  assertSameChanges,
  assertSameDeployment,
  parseSavedPlan,
  type SavedPlan,
} from '../src/cli/manifest/plan/saved-plan.ts';
import { massDeletion, projectOptions } from '../src/cli/manifest/project-options.ts';

export const command = defineCommand({
  name: 'apply',
  summary: 'Create, update and delete resources as files declare',
  description:
    'Shows the plan, asks, and applies it: referenced resources first. A second run changes nothing. After an error or an interruption, ' +
    'run the command again: it continues and creates nothing twice. With a file of "sonde plan --out", applies exactly that plan without ' +
    'a question, or nothing if the deployment has changed.',
  arguments: { paths: pathsArgument },
  options: {
    prune: flag('Also delete the resources of the project that the files no longer declare'),
    ...massDeletion,
    lockTimeout: duration('Time to wait while another apply holds the lock of the project', {
      default: '0s',
    }),
    ...projectOptions,
  },
  examples: [
    { line: 'apply', does: 'Apply the files in monitoring/ after confirmation' },
    { line: 'apply --prune --yes', does: 'Apply and prune without confirmation, for example in a job' },
    { line: 'apply plan.json', does: 'Apply a saved plan' },
    { line: 'apply --secrets shop.env', does: 'Read values of variables from a file' },
  ],
  exits: [
    [EXIT.declined, 'confirmation declined, or the saved plan is outdated; nothing was changed'],
    [EXIT.locked, 'another apply holds the lock of the project, or took it over'],
  ],
  async run(deps, { args, options, output, globals }) {
    const { prune, allowMassDelete } = options;
    const common = { output, yes: globals.yes, lockTimeoutMs: options.lockTimeout };
    const saved = await readSavedPlan(deps, args.paths);
    if (saved) {
      if (prune) throw new UsageError('--prune is part of a saved plan: pass it to "sonde plan --out"');
      await assertSameDeployment(deps, saved);
      const apply = ({ manifest, values }: Project) =>
        applyProject(deps, manifest, {
          ...common,
          values,
          isPruned: saved.isPruned,
          allowsMassDelete: allowMassDelete || saved.allowsMassDelete === true,
          isUnasked: true,
          verify: (shown) => assertSameChanges(saved, shown),
        });
      return withProject(deps, saved.paths, options, apply, { tree: restoreFiles(saved.files) });
    }
    return withProject(deps, args.paths, options, async ({ manifest, values }) => {
      if (prune) requireProject(manifest, '--prune');
      await applyProject(deps, manifest, {
        ...common,
        values,
        isPruned: prune,
        allowsMassDelete: allowMassDelete,
      });
    });
  },
});

/** A plan contains the archives of suites. */
const MAX_PLAN_BYTES = 500_000_000;

/** Returns the plan that the only path names. Undefined: the paths name files of a project. */
async function readSavedPlan(deps: Deps, paths: readonly string[]): Promise<SavedPlan | undefined> {
  const [path, ...others] = paths;
  if (path === undefined || others.length > 0) return undefined;
  const root = openProjectRoot(deps.cwd, { paths, root: undefined });
  return (await root.typeOf(path)) === 'file'
    ? parseSavedPlan(await root.readText(path, MAX_PLAN_BYTES))
    : undefined;
}
