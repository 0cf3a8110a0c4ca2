/** The commands that switch checks off and on again. */
import { EXIT } from '../../../src/base/exits.ts';
import { updateCheck } from '../../../src/contract/index.ts';
import { argumentList, type Command, defineCommand } from '../../kernel/index.ts';
import { changeAll } from '../bulk/change-all.ts';
import { checks } from '../resources/checks.ts';

const VERBS = {
  pause: {
    activated: false,
    summary: 'Let checks rest',
    description: 'Its schedule rests until "sonde checks resume"; it can still be run by hand as a test.',
    words: { verb: 'Pause', doing: 'Pausing', done: 'paused' },
    one: 'lets one rest',
  },
  resume: {
    activated: true,
    summary: 'Let checks run again',
    description: 'It runs on its schedule again, from its next time on.',
    words: { verb: 'Resume', doing: 'Resuming', done: 'resumed' },
    one: 'lets one run again',
  },
} as const;

export function switching(verb: keyof typeof VERBS): Command {
  const { activated, summary, description, words, one } = VERBS[verb];
  return defineCommand({
    name: `checks ${verb}`,
    ...{ summary, description },
    endpoint: updateCheck,
    flags: { body: 'own' },
    arguments: {
      ids: argumentList('One or more; - reads them from stdin, one a line', {
        param: 'id',
        of: 'check',
        placeholder: 'id',
      }),
    },
    examples: [
      { line: `checks ${verb} 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d`, does: one },
      {
        line: `checks list --tag shop --all --jq '.[].id' | sonde checks ${verb} - --yes`,
        does: 'does it to all checks with a tag',
      },
    ],
    exits: [[EXIT.declined, 'a person answered no; nothing was changed']],
    makeBody: () => ({ activated }),
    run: (deps, line) =>
      changeAll(deps, line, { endpoint: updateCheck, resource: checks, look: 'check', words }),
  });
}
