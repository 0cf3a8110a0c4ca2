/** `sonde agent probe`: requests a health probe of the agent on this machine, for the health checks of containers. */
import { get } from 'node:http';
import { UsageError, VerdictError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { defineCommand, duration, flag, integer } from '../../src/cli/framework/index.ts';
import { AGENT_SETTINGS } from '../../src/cli/settings/agent-settings.ts';
import { withVariable } from '../../src/cli/settings/setting.ts';
import { render } from '../../src/terminal/index.ts';

const { healthPort } = AGENT_SETTINGS.flags;

export const command = defineCommand({
  name: 'agent probe',
  summary: 'Check whether the agent on this machine is alive or ready',
  description:
    'For the health check of a container. Prints one line and exits with 0 or 1. The default is liveness.',
  options: {
    readiness: flag('Check readiness: whether the agent accepts work; false once its shutdown begins'),
    liveness: flag('Check liveness: whether the agent is running and not stuck'),
    port: withVariable(
      integer('Port of the health probes', { minimum: 1, maximum: 65_535 }),
      healthPort.env,
      healthPort.default,
    ),
    timeout: duration('Timeout of the probe', { default: '2s', positive: true }),
  },
  examples: [
    { line: 'agent probe', does: 'Exit with 0 while the agent is alive' },
    { line: 'agent probe --readiness', does: 'Exit with 1 once the shutdown has begun' },
  ],
  exits: [[EXIT.badVerdict, 'the agent is not alive or ready, or does not respond']],
  async run({ terminal, env, signal }, { options, output }) {
    if (options.readiness && options.liveness)
      throw new UsageError('--readiness and --liveness are mutually exclusive');
    const what = options.readiness ? 'readiness' : 'liveness';
    const port = options.port ?? portOf(env[healthPort.env]);
    const url = `http://127.0.0.1:${port}/-/${what}`;
    const answer = await requestProbe(url, options.timeout, signal);
    const isOk = answer === 'OK';
    if (output.format !== undefined || output.fields !== undefined) {
      const data = { probe: what, port, healthy: isOk, answer };
      const columns = (['probe', 'port', 'healthy', 'answer'] as const).map((key) => ({ key }));
      await render(terminal, { kind: 'item', data, output, columns });
    } else if (isOk) await terminal.out(`${what} on port ${port}: OK\n`);
    if (!isOk) throw new VerdictError(`${what} on port ${port}: ${answer}`, EXIT.badVerdict);
  },
});

function portOf(text: string | undefined): number {
  if (!text?.trim()) return healthPort.fallback;
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new UsageError(`${healthPort.env} must be a port from 1 to 65535, not "${text}"`);
}

/** Returns `OK`, or the problem in one line. */
function requestProbe(url: string, timeoutMs: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, signal }, (response) => {
      response.resume();
      const { statusCode = 0, statusMessage = '' } = response;
      resolve(statusCode === 200 ? 'OK' : `${statusCode} ${statusMessage}`.trim());
      clearTimeout(late);
    });
    const late = setTimeout(() => {
      resolve(`no response within ${timeoutMs} ms`);
      request.destroy();
    }, timeoutMs);
    request.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late);
      resolve(error.code === 'ECONNREFUSED' ? 'connection refused' : error.message);
    });
  });
}
