/** `sonde groups update`: replaces the settings of a check group (endpoint 1, or its newer form). */

import { ApiError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import {
  getCheckGroup,
  type Input,
  type ResponseOf,
  updateCheckGroup,
  updateCheckGroupV2,
} from '../../src/contract/index.ts';
import { argument, type Deps, defineCommand, flag } from '../kernel/index.ts';
import { replace } from '../shared/changing/replace.ts';
import { withoutResponseFields } from '../shared/changing/request-form.ts';
import { groupFlags, groups } from '../shared/resources/groups.ts';
import { show } from '../shared/resources/show.ts';

/** Answers that say: not here, or not with this key. */
const UNREADABLE = [403, 404, 405, 501];

/** The group as it stands; undefined where the deployment does not let it be read. */
async function readGroup(
  { client, terminal, signal }: Deps,
  id: number,
): Promise<ResponseOf<typeof getCheckGroup> | undefined> {
  try {
    return (await (await client()).call(getCheckGroup, { params: { id } }, { signal })).body;
  } catch (error) {
    if (!(error instanceof ApiError) || !UNREADABLE.includes(error.status)) throw error;
    await terminal.note(
      `The group ${id} cannot be read here (${error.status}), so no difference is shown and nothing is kept.`,
    );
    return undefined;
  }
}

export const command = defineCommand({
  name: 'groups update',
  summary: 'Replace the settings of a check group',
  description:
    'The settings override those of the checks in the group. What is left out takes its default, so the difference ' +
    'to what stands is shown first, where the service lets the group be read, and what stood is kept.',
  endpoint: updateCheckGroup,
  instead: { newer: updateCheckGroupV2 },
  arguments: { groupId: argument('Id of the group', { param: 'id', of: 'group' }) },
  options: { newer: flag('Use the newer form, PUT /v2/check-groups/{id}, which needs a name') },
  flags: groupFlags,
  examples: [
    {
      line: 'groups update 12 -f group.yaml --newer',
      does: 'replaces the settings by those of a file, after showing what changes',
    },
    {
      line: 'groups update 12 --name Shop --locations eu-west-1,us-east-1 --no-activated --yes',
      does: 'asks nothing; all other settings take their defaults',
    },
  ],
  exits: [
    [EXIT.declined, 'a person answered no; nothing was changed'],
    [EXIT.output, 'what stands could not be kept, so nothing was changed'],
  ],
  makeBody: (given, { options, warn }) =>
    withoutResponseFields((options.newer ? updateCheckGroupV2 : updateCheckGroup).body ?? {}, given, warn),
  async run(deps, line) {
    const { client, signal } = deps;
    const { input, options } = line;
    const { id } = input.params;
    const before = await readGroup(deps, id);
    const group = await replace(deps, line, {
      noun: 'group',
      id,
      endpoint: options.newer ? updateCheckGroupV2 : updateCheckGroup,
      body: input.body,
      before,
      restore: ['groups', 'update', String(id), ...(options.newer ? ['--newer'] : [])],
      send: async () => {
        const api = await client();
        // The kernel has read and judged the line by the endpoint that is called.
        const newer = input as Input<typeof updateCheckGroupV2>;
        const answer = options.newer
          ? await api.call(updateCheckGroupV2, newer, { signal })
          : await api.call(updateCheckGroup, input, { signal });
        return answer.body;
      },
    });
    await show(deps, line, groups, group);
  },
});
