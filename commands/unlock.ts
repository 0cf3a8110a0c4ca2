/** `sonde unlock`: removes the lock of a project whose apply is gone. */
import { LockedError, NotFoundError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { confirmChange } from '../src/cli/framework/confirm-change.ts';
import { argument, defineCommand } from '../src/cli/framework/index.ts';
import { fetchRemoteState } from '../src/cli/manifest/remote-state.ts';
import { formatHolder } from '../src/cli/manifest/state/lock-holder.ts';
import { encodeState } from '../src/cli/manifest/state/project-state.ts';
import { readStates } from '../src/cli/manifest/state/read-states.ts';
import { readState, replaceState } from '../src/cli/manifest/state/state-snippet.ts';

export const command = defineCommand({
  name: 'unlock',
  summary: 'Remove the lock of a project whose apply is gone',
  description:
    'An apply locks its project, and the lock of an apply that was killed expires after a minute. If its apply still runs, it stops ' +
    'before its next change.',
  arguments: { project: argument('Name of the project: the value of "project" in its files') },
  examples: [{ line: 'unlock shop --yes', does: 'Remove the lock of the project "shop"' }],
  exits: [
    [EXIT.declined, 'confirmation declined; nothing was changed'],
    [EXIT.locked, 'the holder changed the state meanwhile'],
  ],
  async run(deps, { args: { project }, globals }) {
    const { terminal, signal } = deps;
    const { snippets } = await fetchRemoteState(deps, { sections: ['snippets'], required: ['snippets'] });
    const state = (await readStates(deps, snippets)).find((each) => each.project === project);
    const [id] = (state?.snippetIds ?? []).map(Number);
    if (state === undefined || id === undefined)
      throw new NotFoundError(`project "${project}" not found`, {
        hint: 'pass the value of "project" in its files; a project exists after its first apply',
      });
    if (state.lock === undefined) return terminal.note(`The project "${project}" is not locked.`);
    const holder = formatHolder(state.lock);
    await confirmChange(deps, {
      message: `Remove the lock of the project "${project}", which ${holder} holds?`,
      yes: globals.yes,
      required: true,
    });
    const found = await readState(deps, id, signal);
    if (found?.lock?.id === state.lock.id) {
      const after = encodeState({ project, resources: found.resources });
      const { isConditional, script: before } = found;
      await replaceState(deps, { project, id, isConditional }, { before, after }, signal);
    } else if (found?.lock !== undefined)
      throw new LockedError(`another apply has locked the project "${project}" meanwhile`, {
        hint: `it is ${formatHolder(found.lock)}: run the command again to remove its lock`,
      });
    await terminal.note(`Unlocked the project "${project}", which ${holder} had locked.`);
  },
});
