/** `sonde service export`: exports the resources of a service for `service seed`. */

import { defineCommand } from '../../src/cli/framework/index.ts';
import { exportManifest } from '../../src/cli/manifest/export-manifest.ts';
import { fetchArchives, fetchRemoteState } from '../../src/cli/manifest/remote-state.ts';
import { isHumanReadable, render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'service export',
  summary: 'Export the resources of a service for "service seed"',
  description:
    'Prints checks, code bundles of suites, groups, alert channels, snippets, variables, private locations, services, status pages, maintenance windows and dashboards ' +
    'in a stable order, with references by name. Omits secret values and lists them on stderr: "service seed --secrets" ' +
    'reads them from a file. Incidents and triggers are not exported; "service backup" includes them.',
  examples: [
    { line: 'service export > shop.yaml', does: 'Export to a file' },
    {
      line: 'service export --profile staging | sonde service seed - --profile local',
      does: 'Copy one service into another',
    },
  ],
  async run(deps, { output }) {
    const { terminal } = deps;
    const { file, secrets, danglingReferences } = exportManifest(
      await fetchArchives(deps, await fetchRemoteState(deps)),
    );
    const format = output.format === undefined || isHumanReadable(terminal, output) ? 'yaml' : output.format;
    await render(terminal, { kind: 'item', data: file, output: { ...output, format } });
    const reportOmitted = async (why: string, lines: readonly string[]): Promise<void> => {
      if (lines.length === 0) return;
      await terminal.note(`Omitted because ${why}:\n${lines.map((each) => `  ${each}`).join('\n')}`);
    };
    await reportOmitted('the service does not show it', secrets);
    await reportOmitted('the referenced resource no longer exists', danglingReferences);
  },
});
