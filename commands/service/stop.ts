/** `sonde service stop`: tells the embedded service to end, and waits until it has. */
import { NetworkError } from '../../src/base/errors.ts';
import { defineCommand, duration } from '../kernel/index.ts';
import { dataOption, isThere, reachedService, serviceFolder } from '../shared/service/folder.ts';

const LOOK_MS = 50;

export const command = defineCommand({
  name: 'service stop',
  summary: 'Stop the embedded monitoring service',
  description: 'Running checks may finish. Where no service runs, nothing is done.',
  options: {
    data: dataOption,
    timeout: duration('How long to wait until it has ended', { standard: '30s' }),
  },
  examples: [{ line: 'service stop', does: 'stops the service of your data folder' }],
  async run(deps, { options }) {
    const { terminal, clock, signal, self } = deps;
    const running = await reachedService(deps, serviceFolder(deps, options.data));
    if (!running) return terminal.note('No service runs there.');
    const { pid, url } = running.record;
    self.kill(pid, 'SIGTERM');
    const deadline = clock.monotonic() + options.timeout;
    while (isThere(self.kill, pid)) {
      if (clock.monotonic() > deadline) {
        throw new NetworkError(
          `The service on ${url} (pid ${pid}) was told to stop and has not ended yet`,
          {},
          {
            hint: 'it may still be letting checks finish: look again with "sonde service status"',
          },
        );
      }
      await clock.sleep(LOOK_MS, signal);
    }
    await terminal.note(`The service on ${url} has stopped.`);
  },
});
