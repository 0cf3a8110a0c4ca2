/** `sonde groups run`: starts the checks of a group and holds until their sessions have ended (POST /v1/check-groups/{id}/run). */
import { EXIT } from '../../src/base/exits.ts';
import { runCheckGroup } from '../../src/contract/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';
import { gateExits } from '../shared/sessions/gate.ts';
import { startAndWait, startOptions } from '../shared/sessions/start-checks.ts';

export const command = defineCommand({
  name: 'groups run',
  summary: 'Run the checks of a group now, wait for their sessions, and exit by their verdict',
  description:
    'Starts a session of each activated check of the group, in the order of their groupOrder and no more at once than the ' +
    'concurrency of the group, then waits exactly as "sessions wait" does. It is an error if no check of the group can run.',
  endpoint: runCheckGroup,
  arguments: { id: argument('Id of the group', { param: 'id', of: 'group' }) },
  options: startOptions,
  examples: [
    { line: 'groups run Checkout', does: 'runs a group and holds until all of its sessions have ended' },
    {
      line: 'groups run 12 --timeout 30m --report junit:report.xml',
      does: 'waits longer, and writes a report for the pipeline',
    },
  ],
  exits: [...gateExits, [EXIT.notFound, 'there is no such group, or none of its checks can run']],
  run: (deps, line) =>
    startAndWait(deps, line, {
      endpoint: runCheckGroup,
      call: async (api, call) => (await api.call(runCheckGroup, line.input, call)).body,
      hint: 'only activated checks of an activated group run, and heartbeats never: "sonde groups get" shows the group',
      many: true,
    }),
});
