/** `sonde service stop`: stops the embedded service, and waits until it has ended. */
import { NetworkError } from '../../src/base/errors.ts';
import { defineCommand, duration } from '../../src/cli/framework/index.ts';
import { isProcessAlive, requireResponse, serviceFolder } from '../../src/cli/local-service/data-folder.ts';
import { dataOption } from '../../src/cli/settings/data-option.ts';

const POLL_INTERVAL_MS = 50;

export const command = defineCommand({
  name: 'service stop',
  summary: 'Stop the embedded monitoring service',
  description: 'Running checks finish first. If no service is running, the command does nothing.',
  options: {
    data: dataOption,
    timeout: duration('Time to wait for the service to stop', { default: '30s' }),
  },
  examples: [{ line: 'service stop', does: 'Stop the service in your data folder' }],
  async run(deps, { options }) {
    const { terminal, clock, signal, self } = deps;
    const running = await requireResponse(deps, serviceFolder(deps, options.data));
    if (!running) return terminal.note('No service is running.');
    const { pid, url } = running.record;
    self.kill(pid, 'SIGTERM');
    const deadline = clock.monotonic() + options.timeout;
    while (isProcessAlive(self.kill, pid)) {
      if (clock.monotonic() > deadline) {
        throw new NetworkError(
          `The service on ${url} (pid ${pid}) is stopping but has not ended yet`,
          {},
          {
            hint: 'it may still wait for running checks; to check again, run: sonde service status',
          },
        );
      }
      await clock.sleep(POLL_INTERVAL_MS, signal);
    }
    await terminal.note(`Stopped the service on ${url}.`);
  },
});
