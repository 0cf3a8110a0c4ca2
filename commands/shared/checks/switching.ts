/** The commands that switch checks off and on again. */
import { EXIT } from '../../../src/base/exits.ts';
import type { updateCheck } from '../../../src/contract/index.ts';
import { argumentList, type Command, defineCommand, type Example } from '../../kernel/index.ts';
import { type Change, changeAll } from '../bulk/change-all.ts';
import { checks } from '../resources/checks.ts';

type Update = typeof updateCheck;

export interface Switching extends Pick<Change<Update>, 'words'> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly endpoint: Update;
  readonly activated: boolean;
  readonly examples: readonly Example[];
}

export const switching = ({ activated, words, endpoint, ...told }: Switching): Command =>
  defineCommand({
    ...told,
    endpoint,
    flags: { body: 'own' },
    arguments: {
      ids: argumentList('One or more; - reads them from stdin, one a line', {
        param: 'id',
        of: 'check',
        placeholder: 'id',
      }),
    },
    exits: [[EXIT.declined, 'a person answered no; nothing was changed']],
    makeBody: () => ({ activated }),
    run: (deps, line) => changeAll(deps, line, { endpoint, resource: checks, look: 'check', words }),
  });
