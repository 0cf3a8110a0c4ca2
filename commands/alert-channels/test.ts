/** `sonde alert-channels test`: sends a test message through a channel, and shows whether it was delivered. */
import { VerdictError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { testAlertChannel } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'alert-channels test',
  summary: 'Send a test message through an alert channel',
  description:
    'Sends one message immediately, marked as a test, in the format of a failure alert. The list of alert notifications does not include the message.',
  endpoint: testAlertChannel,
  arguments: { id: argument('ID of the channel', { param: 'id', of: 'alert-channel' }) },
  examples: [{ line: 'alert-channels test 31', does: 'Test an alert channel' }],
  exits: [[EXIT.badVerdict, 'the recipient did not accept the message']],
  async run({ client, terminal, signal }, { args, input, output }) {
    const { body: test } = await (await client()).call(testAlertChannel, input, { signal });
    await render(terminal, {
      kind: 'item',
      data: test,
      output,
      columns: [{ key: 'delivered', kind: 'boolean' }, { key: 'recipient', header: 'to' }, { key: 'error' }],
    });
    if (!test.delivered)
      throw new VerdictError('the test message was not delivered', EXIT.badVerdict, {
        hint: `to change the settings of the channel, run: sonde alert-channels update ${args.id}`,
      });
  },
});
