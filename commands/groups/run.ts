/** `sonde groups run`: runs the checks of a group and waits for their verdicts (POST /v1/check-groups/{id}/run). */
import { EXIT } from '../../src/base/exits.ts';
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { runCheckGroup } from '../../src/contract/index.ts';
import { gateExits } from '../sessions/shared/gate.ts';
import { startAndWait, startOptions } from '../sessions/shared/start-checks.ts';

export const command = defineCommand({
  name: 'groups run',
  summary: 'Run the checks of a group and wait for the verdict',
  description:
    'Starts a session for each activated check of the group, in the order of groupOrder, with at most as many checks in parallel as ' +
    'the concurrency of the group. Then waits like "sonde sessions wait". Fails if no check of the group can run.',
  endpoint: runCheckGroup,
  arguments: { id: argument('ID of the group', { param: 'id', of: 'group' }) },
  options: startOptions,
  examples: [
    { line: 'groups run Checkout', does: 'Run a group and wait for its verdict' },
    {
      line: 'groups run 12 --timeout 30m --report junit:report.xml',
      does: 'Wait up to 30 minutes, and write a JUnit report',
    },
  ],
  exits: [...gateExits, [EXIT.notFound, 'group not found, or none of its checks can run']],
  run: (deps, line) =>
    startAndWait(deps, line, {
      endpoint: runCheckGroup,
      call: (api, call) => api.call(runCheckGroup, line.input, call),
      hint: 'only activated checks of an activated group run, and heartbeat checks never run: check the group with "sonde groups get"',
      many: true,
    }),
});
