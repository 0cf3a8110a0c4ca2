/** `sonde groups update`: changes what is given of a check group (endpoint 1, or its newer form), which the API replaces whole. */

import { isDeepStrictEqual } from 'node:util';
import { ApiError, UsageError } from '../../src/base/errors.ts';
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
import { requestForm, withoutResponseFields } from '../shared/changing/request-form.ts';
import { groupFlags, groups } from '../shared/resources/groups.ts';
import { mergedInto, partialOf } from '../shared/resources/partial.ts';
import { show } from '../shared/resources/show.ts';
import { complainOfNothing, refuseWrong } from '../shared/resources/write.ts';

type Group = ResponseOf<typeof getCheckGroup>;
type Fields = Readonly<Record<string, unknown>>;

/** Answers that say: not here, or not with this key. */
const UNREADABLE = [403, 404, 405, 501];

const readGroup = async ({ client, signal }: Deps, id: number): Promise<Group> =>
  (await (await client()).call(getCheckGroup, { params: { id } }, { signal })).body;

/** The group as it stands; undefined where the deployment does not let it be read, and where that does not matter. */
async function readStanding(deps: Deps, id: number, replaces: boolean): Promise<Group | undefined> {
  try {
    return await readGroup(deps, id);
  } catch (error) {
    if (!(error instanceof ApiError) || !UNREADABLE.includes(error.status)) throw error;
    await deps.terminal.note(
      replaces
        ? `The group ${id} cannot be read here (${error.status}), so no difference is shown and nothing is kept.`
        : `The group ${id} cannot be read here (${error.status}), so nothing of it can be left as it is. Where it is there all ` +
            'the same, --replace lets what is left out take its default.',
    );
    if (!replaces) throw error;
    return undefined;
  }
}

export const command = defineCommand({
  name: 'groups update',
  summary: 'Change a check group',
  description:
    'What is given changes, and all else stays: of an object field by field, of a list the whole. The API replaces a group ' +
    'whole, so it is read first and sent with what changes; the difference is shown, and what stood before is kept. Where ' +
    'somebody else changes it while you read the difference, nothing is sent; where nobody is asked, a change within the moment between ' +
    'reading and sending is lost. With --replace, what is left out takes its default.',
  endpoint: updateCheckGroup,
  instead: { newer: partialOf(updateCheckGroupV2, 'also at its root') },
  arguments: { groupId: argument('Id of the group', { param: 'id', of: 'group' }) },
  options: {
    newer: flag('Use the newer form, PUT /v2/check-groups/{id}'),
    replace: flag('Let what is left out take its default'),
  },
  flags: groupFlags,
  examples: [
    {
      line: 'groups update 12 --locations eu-west-1,us-east-1 --newer',
      does: 'changes where its checks run, after showing the difference',
    },
    {
      line: 'groups update 12 -f group.yaml --newer --replace --yes',
      does: 'makes it what a file says, and asks nothing; all other settings take their defaults',
    },
  ],
  exits: [
    [EXIT.declined, 'a person answered no; nothing was changed'],
    [EXIT.output, 'what stands could not be kept, so nothing was changed'],
  ],
  makeBody(given, { options, warn, complain }) {
    const { body: schema = {} } = options.newer ? updateCheckGroupV2 : updateCheckGroup;
    const body = withoutResponseFields(schema, given, warn);
    if (!options.replace) complainOfNothing(body, complain);
    return body;
  },
  async run(deps, line) {
    const { client, signal, terminal, clock } = deps;
    const { input, options, globals } = line;
    const { id } = input.params;
    const endpoint = options.newer ? updateCheckGroupV2 : updateCheckGroup;
    const schema = endpoint.body ?? {};
    const before = await readStanding(deps, id, options.replace);
    const given = (input.body ?? {}) as Fields;
    const stands = options.replace ? {} : (requestForm(schema, before) as Fields);
    const body = { ...stands, ...mergedInto(schema, stands, given) };
    refuseWrong(endpoint, { params: input.params, query: input.query ?? {}, body }, clock.now());
    const group = await replace(deps, line, {
      ...{ noun: 'group', id, endpoint, body, before },
      restore: ['groups', 'update', String(id), '--replace', ...(options.newer ? ['--newer'] : [])],
      async verify() {
        // A person takes time to read; without one, nothing but a round trip passes.
        if (before === undefined || globals.yes || !terminal.canAsk) return;
        if (isDeepStrictEqual(await readGroup(deps, id), before)) return;
        throw new UsageError(`the group ${id} was changed meanwhile, and nothing was sent`, {
          hint: 'the same command shows what it would change now',
        });
      },
      async send() {
        const api = await client();
        // Merged and judged by the endpoint that is called.
        const sent = { ...input, body };
        const answer = options.newer
          ? await api.call(updateCheckGroupV2, sent as Input<typeof updateCheckGroupV2>, { signal })
          : await api.call(updateCheckGroup, sent as Input<typeof updateCheckGroup>, { signal });
        return answer.body;
      },
    });
    await show(deps, line, groups, group);
  },
});
