/** `sonde groups update`: merges changes into a check group, which the API replaces as a whole (endpoint 1 and the newer endpoint). */

import { ApiError, mayLackEndpoint } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/object.ts';
import { mergeChanges, toPartialEndpoint } from '../../src/cli/edit/partial-update.ts';
import { readBeforeChange } from '../../src/cli/edit/read-before-change.ts';
import { REPLACE_EXITS, replaceResource } from '../../src/cli/edit/replace-resource.ts';
import { toRequestBody } from '../../src/cli/edit/to-request.ts';
import { argument, type Deps, defineCommand, flag } from '../../src/cli/framework/index.ts';
import { printResource } from '../../src/cli/resource-commands/read.ts';
import {
  assertUnchanged,
  assertValid,
  mayHaveChanged,
  requireChanges,
  sendUpdate,
} from '../../src/cli/resource-commands/update.ts';
import { groupFlags, groups } from '../../src/cli/resources/groups.ts';
import { groupUpdateOf, hasDoubleCheck } from '../../src/cli/resources/update-group-endpoint.ts';
import { withSentValues } from '../../src/contract/defaults.ts';
import {
  type Endpoint,
  getCheckGroup,
  type Input,
  type ResponseOf,
  updateCheckGroup,
  updateCheckGroupV2,
} from '../../src/contract/index.ts';

type Group = ResponseOf<typeof getCheckGroup>;

const readGroup = async ({ client, signal }: Deps, id: number): Promise<Group> =>
  (await (await client()).call(getCheckGroup, { params: { id } }, { signal })).body;

/** Returns the current group. Prints a warning and returns undefined if it cannot be read. */
const readCurrent = (
  deps: Deps,
  id: number,
  { options: { replace: replaces }, dryRun }: { options: { replace: boolean }; dryRun: boolean },
): Promise<Group | undefined> => {
  const read = async () => {
    try {
      return await readGroup(deps, id);
    } catch (error) {
      // --replace needs no current state, so the update itself says whether the group exists.
      const isRefused = error instanceof ApiError && [403, 404].includes(error.status);
      if (!replaces || !isRefused || mayLackEndpoint(error)) throw error;
      await deps.terminal.note(
        `Cannot read group ${id} (HTTP ${error.status}): the command shows no difference and writes no undo file.`,
      );
      return undefined;
    }
  };
  return readBeforeChange(deps, `group ${id}`, read, { dryRun });
};

export const command = defineCommand({
  name: 'groups update',
  summary: 'Update a check group',
  description:
    'Changes only the specified fields. Objects are merged field by field; lists are replaced. The API replaces the whole group, so ' +
    'the command reads the group first, merges the changes, shows the difference and saves the previous state to an undo file. ' +
    'If someone else changes the group while you review the difference, nothing is sent. Without a prompt, a change by ' +
    'someone else between reading and sending is overwritten. With --replace, omitted settings are reset to their defaults. ' +
    'sonde calls PUT /v1/check-groups/{id} if the deployment does not offer the newer endpoint, or the body has no name, or it ' +
    'has a doubleCheck without a retryStrategy.',
  endpoint: toPartialEndpoint(updateCheckGroupV2, 'also at its root'),
  arguments: { groupId: argument('ID of the group', { param: 'id', of: 'group' }) },
  options: {
    replace: flag('Reset omitted settings to their defaults'),
    newer: flag('No effect, because sonde uses the newer endpoint', { deprecated: '' }),
  },
  flags: groupFlags,
  examples: [
    {
      line: 'groups update 12 --locations eu-west-1,us-east-1',
      does: 'Change the locations of a group',
    },
    {
      line: 'groups update 12 -f group.yaml --replace --yes',
      does: 'Replace a group with the content of a file, without confirmation',
    },
  ],
  exits: REPLACE_EXITS,
  dryRun: 'own',
  printedBy: getCheckGroup,
  makeBody(fields, { options, reportProblem }) {
    if (!options.replace) requireChanges(fields, reportProblem);
    return { ...fields };
  },
  async run(deps, line) {
    const { client, clock } = deps;
    const { input, options } = line;
    const { id } = input.params;
    const before = await readCurrent(deps, id, line);
    const { body: schema = {} } = updateCheckGroupV2;
    const changes = (input.body ?? {}) as JsonObject;
    const isWhole = options.replace || before !== undefined;
    const current = options.replace || !before ? {} : (toRequestBody(schema, before) as JsonObject);
    const merged = { ...current, ...mergeChanges(schema, current, changes) };
    const body = isWhole ? withSentValues(schema, merged) : merged;
    const { fallbackDefaults, ...endpoints } = groupUpdateOf(body);
    const { endpoint } = endpoints;
    assertValid(endpoint, { params: input.params, query: input.query ?? {}, body }, clock.now());
    const sent = { ...input, body } as unknown as Input<Endpoint>;
    if (line.dryRun) return deps.preview(endpoint, [sent], line.output);
    const group = await replaceResource(deps, line, {
      noun: 'group',
      id,
      // The older endpoint tells an absent strategy from FALLBACK.
      ...(before && hasDoubleCheck(before)
        ? { endpoint: updateCheckGroup, body: { ...fallbackDefaults, ...body } }
        : { endpoint, body }),
      before,
      mayReset: !options.replace,
      restoreCommand: ['groups', 'update', String(id), '--replace'],
      async verify() {
        if (before === undefined || !mayHaveChanged(deps, line)) return;
        assertUnchanged(`group ${id}`, before, await readGroup(deps, id));
      },
      async send() {
        const targets = isWhole && fallbackDefaults ? { ...endpoints, fallbackDefaults } : endpoints;
        return (await sendUpdate(deps, await client(), targets, sent)) as Group;
      },
    });
    await printResource(deps, line, groups, group);
  },
});
