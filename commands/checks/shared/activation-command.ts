/** Defines the commands that pause and resume checks. */
import { EXIT } from '../../../src/base/exits.ts';
import { argumentList, type Command, defineCommand } from '../../../src/cli/framework/index.ts';
import { changeAll } from '../../../src/cli/resource-commands/change-all.ts';
import { checks } from '../../../src/cli/resources/checks.ts';
import { updateCheck } from '../../../src/contract/index.ts';
import { changeCheck } from './change-check.ts';

const VERBS = {
  pause: {
    activated: false,
    summary: 'Pause checks',
    description:
      'Stops the schedule until "sonde checks resume". You can still run the check manually as a test.',
    words: { verb: 'Pause', doing: 'Pausing', done: 'paused' },
    one: 'Pause a check',
  },
  resume: {
    activated: true,
    summary: 'Resume checks',
    description: 'The check runs on its schedule again, from the next scheduled time.',
    words: { verb: 'Resume', doing: 'Resuming', done: 'resumed' },
    one: 'Resume a check',
  },
} as const;

export function activationCommand(verb: keyof typeof VERBS): Command {
  const { activated, summary, description, words, one } = VERBS[verb];
  return defineCommand({
    name: `checks ${verb}`,
    summary,
    description,
    endpoint: updateCheck,
    flags: { body: 'own' },
    arguments: {
      ids: argumentList('IDs of the checks; - reads them from stdin, one per line', {
        param: 'id',
        of: 'check',
        placeholder: 'id',
      }),
    },
    examples: [
      { line: `checks ${verb} 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d`, does: one },
      {
        line: `checks list --tag shop --all --jq '.[].id' | sonde checks ${verb} - --yes`,
        does: 'Apply to all checks with a tag',
      },
    ],
    exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
    makeBody: () => ({ activated }),
    run: (deps, line) =>
      changeAll(deps, line, {
        resource: checks,
        labels: words,
        send: ({ params: { id } }, api) => changeCheck(deps, line, api, { id, changes: { activated } }),
      }),
  });
}
