/** `sonde alert-channels test`: sends a message over a channel, and shows what its receiver made of it. */
import { VerdictError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { testAlertChannel } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';

export const command = defineCommand({
  name: 'alert-channels test',
  summary: 'Send a test message over an alert channel',
  description:
    'Sends the message of a failed check, saying that nothing failed, once and at once. It is not kept among the notifications.',
  endpoint: testAlertChannel,
  arguments: { id: argument('Id of the channel', { param: 'id', of: 'alert-channel' }) },
  examples: [{ line: 'alert-channels test 31', does: 'tries it' }],
  exits: [[EXIT.badVerdict, 'the receiver did not take the message']],
  async run({ client, terminal, signal }, { args, input, output }) {
    const { body: test } = await (await client()).call(testAlertChannel, input, { signal });
    await render(terminal, {
      kind: 'item',
      data: test,
      output,
      columns: [{ key: 'delivered', kind: 'boolean' }, { key: 'recipient', header: 'to' }, { key: 'error' }],
    });
    if (!test.delivered)
      throw new VerdictError('The test message was not delivered', EXIT.badVerdict, {
        hint: `its address is set by: sonde alert-channels update ${args.id}`,
      });
  },
});
