/** `sonde service export`: all that a service holds, as a file that `service seed` takes. */
import { isForPeople, render } from '../../src/terminal/index.ts';
import { defineCommand } from '../kernel/index.ts';
import { exported } from '../shared/seed/export.ts';
import { readStanding, withArchives } from '../shared/seed/standing.ts';

export const command = defineCommand({
  name: 'service export',
  summary: 'Write all that a service holds as a file that "service seed" takes',
  description:
    'Checks, the projects of suites, groups, channels, snippets, variables, private locations, services, status pages, maintenance windows and dashboards, ' +
    'which name each other by their names, in an order that stays. Secret values are left out, and told on stderr: "service seed --secrets" ' +
    'takes them from a file of their own. Incidents are history and triggers are secrets: "service backup" has them.',
  examples: [
    { line: 'service export > shop.yaml', does: 'writes a file' },
    {
      line: 'service export --profile staging | sonde service seed - --profile local',
      does: 'copies one service into another',
    },
  ],
  async run(deps, { output }) {
    const { terminal } = deps;
    const { file, secrets, gone } = exported(await withArchives(deps, await readStanding(deps)));
    const format = output.format === undefined || isForPeople(terminal, output) ? 'yaml' : output.format;
    await render(terminal, { kind: 'item', data: file, output: { ...output, format } });
    const tell = async (why: string, lines: readonly string[]): Promise<void> => {
      if (lines.length === 0) return;
      await terminal.note(`Left out, as ${why}:\n${lines.map((each) => `  ${each}`).join('\n')}`);
    };
    await tell('the service does not show it', secrets);
    await tell('what it names is gone', gone);
  },
});
