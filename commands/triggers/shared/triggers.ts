/** Defines the argument and the output of trigger commands. */

import { textWith } from '../../../src/base/tolerate.ts';
import { argument, type Deps, type Invocation } from '../../../src/cli/framework/index.ts';
import type { createCheckTrigger, createGroupTrigger, ResponseOf } from '../../../src/contract/index.ts';
import { render } from '../../../src/terminal/index.ts';

/** The ID of a check, or of a group, which is a number. */
export const targetArgument = argument('ID of a check or number of a group', {
  placeholder: 'check-or-group-id',
  param: 'checkId',
  of: 'check-or-group',
});

export const isGroup = (id: string): boolean => /^\d+$/.test(id);

type Trigger = ResponseOf<typeof createCheckTrigger> | ResponseOf<typeof createGroupTrigger>;

/** Prints a trigger with its URL. */
export async function printTrigger(
  { terminal, profiles }: Pick<Deps, 'terminal' | 'profiles'>,
  { output }: Pick<Invocation, 'output'>,
  trigger: Trigger,
): Promise<void> {
  const { baseUrl = '' } = await profiles();
  const what =
    'groupId' in trigger ? textWith`check-groups/${trigger.groupId}` : textWith`checks/${trigger.checkId}`;
  const url = textWith`${String(baseUrl).replace(/\/$/, '')}/${what}/trigger/${trigger.token}`;
  await render(terminal, {
    kind: 'item',
    data: trigger,
    output,
    columns: [
      { key: 'url', value: () => url, kind: 'id' },
      { key: 'groupId' in trigger ? 'groupId' : 'checkId', kind: 'id' },
      { key: 'called_at', header: 'last called', kind: 'time' },
      { key: 'created_at', header: 'created', kind: 'time' },
    ],
    formats: { plain: () => `${url ?? ''}\n` },
  });
}
