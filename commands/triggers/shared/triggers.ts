/** Triggers: addresses that start a check or a group for whoever knows them. */

import { argument, type Deps, type Invocation } from '../../../src/cli/framework/index.ts';
import type { createCheckTrigger, createGroupTrigger, ResponseOf } from '../../../src/contract/index.ts';
import { render } from '../../../src/terminal/index.ts';

/** Ids of groups are numbers, those of checks are not. */
export const targetArgument = argument('ID of a check or number of a group', {
  placeholder: 'check-or-group-id',
  param: 'checkId',
  of: 'check-or-group',
});

export const isGroup = (id: string): boolean => /^\d+$/.test(id);

type Trigger = ResponseOf<typeof createCheckTrigger> | ResponseOf<typeof createGroupTrigger>;

/** Prints a trigger with its address at the service that was asked. */
export async function printTrigger(
  { terminal, profiles }: Pick<Deps, 'terminal' | 'profiles'>,
  { output }: Pick<Invocation, 'output'>,
  trigger: Trigger,
): Promise<void> {
  const { baseUrl = '' } = await profiles();
  const what = 'groupId' in trigger ? `check-groups/${trigger.groupId}` : `checks/${trigger.checkId}`;
  const url = `${String(baseUrl).replace(/\/$/, '')}/${what}/trigger/${trigger.token}`;
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
    formats: { plain: () => `${url}\n` },
  });
}
