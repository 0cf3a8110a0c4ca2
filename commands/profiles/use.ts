/** `sonde profiles use`: chooses the profile that commands use. */
import { useProfile } from '../../src/profiles/store.ts';
import { render } from '../../src/terminal/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';
import { readProfiles } from '../shared/profile-removal.ts';

export const command = defineCommand({
  name: 'profiles use',
  summary: 'Make a profile the current one',
  arguments: { profile: argument('Name of the profile', { of: 'profile' }) },
  examples: [{ line: 'profiles use staging', does: 'lets the commands that follow use the profile staging' }],
  async run(deps, { args: { profile: name }, output }) {
    const { terminal, env, home } = deps;
    await useProfile({ env, home, warn: (message) => void terminal.warn(message) }, name);
    const baseUrl = (await readProfiles(deps, true)).profiles.get(name)?.baseUrl;
    await terminal.note(`The profile "${name}" (${baseUrl}) is the current one.`);
    if (env.SONDE_PROFILE && env.SONDE_PROFILE !== name) {
      await terminal.warn(
        `SONDE_PROFILE is set and goes before it: commands here use "${env.SONDE_PROFILE}".`,
      );
    }
    if (output.format !== undefined) {
      await render(terminal, { kind: 'item', data: { profile: name, baseUrl, current: true }, output });
    }
  },
});
