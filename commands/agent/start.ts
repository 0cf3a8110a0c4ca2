/** `sonde agent start`: runs the checks of a private location from its network. */
import { dirname, join } from 'node:path';
import { ApiError, CredentialsError, NetworkError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { plural } from '../../src/base/plural.ts';
import { type Deps, defineCommand } from '../../src/cli/framework/index.ts';
import { browsersFolder } from '../../src/cli/local-service/browser.ts';
import { AGENT_SETTINGS } from '../../src/cli/settings/agent-settings.ts';
import type { ISOLATIONS } from '../../src/cli/settings/shared-settings.ts';
import { dataFolders } from '../../src/profiles/folders.ts';
import { closeInheritedFiles } from '../../src/sandbox/cell/procfs.ts';
import { parseCanaries } from '../service/shared/read-service-settings.ts';
import { sandboxOptions } from '../service/shared/sandbox-options.ts';
import { untilStopped } from '../service/shared/until-stopped.ts';
import { readAgentSettings } from './shared/read-agent-settings.ts';

export const command = defineCommand({
  name: 'agent start',
  summary: 'Run the checks of a private location',
  description:
    'Runs until it receives a signal. Set API_KEY to a key of the private location, and SONDE_BASE_URL. Every flag has an equivalent environment variable. The agent pulls work over HTTP and listens only for health probes. Several agents can share a location. The agent stores results on disk until the service accepts them. After the first signal, running checks finish; a second signal returns them to the service.',
  options: AGENT_SETTINGS.flags,
  examples: [
    {
      line: 'agent start --api-key-file /run/secrets/sonde-key --base-url https://monitoring.example.com',
      does: 'Run one check at a time',
    },
    { line: 'agent start --uptime --concurrency 10', does: 'Run ten checks at a time with little memory' },
  ],
  exits: [
    [EXIT.credentials, 'the service rejected the key'],
    [EXIT.unreachable, 'clean shutdown with unsent results in the spool: the service was unreachable'],
  ],
  // Running checks may take longer to finish than other commands have after a signal.
  stops: 'itself',
  async run(deps, { options, globals }) {
    closeInheritedFiles();
    const { terminal, clock, random, signal, version, self } = deps;
    const settings = readAgentSettings(deps, { ...options, baseUrl: globals.baseUrl });
    const { lookupByDns, openAgent } = await import('../../src/agent/main.ts');
    const agent = await openAgent({
      settings: {
        ...settings,
        graceMs: options.grace,
        uptimeOnly: options.uptime,
        canaries: parseCanaries(options.canary, deps.env),
        lookup: settings.usesOsResolver ? undefined : lookupByDns,
      },
      log: { level: settings.logLevel, write: (line) => void terminal.err(line) },
      clock,
      random,
      version,
      env: settings.env,
      pid: self.pid,
      machine: self,
      evaluator: { path: join(dirname(self.script), 'evaluator.cjs'), execPath: self.execPath },
      scripts: options.uptime ? undefined : scriptSettings(deps, settings, options),
    });
    self.onSecondStop(agent.stopNow);
    let failure: { readonly error: unknown } | undefined;
    try {
      const port = await agent.listen();
      await terminal.note(`Health probes listen on port ${port}.`);
      if (agent.problem !== undefined)
        await terminal.warn(`This agent cannot run all types of checks: ${agent.problem}.`);
      const { slugName } = await agent.start(signal);
      const kinds = agent.checkTypes.join(', ');
      await terminal.note(
        `Serving the private location "${slugName}" of ${settings.baseUrl}: ${plural(settings.concurrency, 'check')} at once, of types ${kinds}.`,
      );
      await Promise.race([untilStopped(signal), agent.refused]);
      await terminal.note('Stopping after the running checks finish.');
    } catch (error) {
      // After a signal, a failed start is no error.
      if (!signal.aborted) failure = { error };
    }
    const left = await agent.stop();
    if (failure !== undefined) throw toAgentError(failure.error);
    if (left > 0) throw unsentError(left, settings.spoolFolder);
    await terminal.note('Stopped. All results were sent.');
  },
});

/** Explains a rejected key. An agent has no profile, so the usual hint does not apply. */
function toAgentError(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.exitCode !== EXIT.credentials) return error;
  return new CredentialsError(`The service rejected the key: ${error.message}`, {
    hint: 'set API_KEY to a valid key of the private location; to create one, run: sonde private-locations create-key <id>',
    cause: error,
  });
}

const unsentError = (left: number, folder: string): NetworkError =>
  new NetworkError(
    `${plural(left, 'result')} could not be sent`,
    {},
    {
      hint: `they remain in ${folder}; the next agent of this location with this folder sends them`,
    },
  );

/** Returns the sandbox of scripts. It hides unsent results, profiles and keys. */
function scriptSettings(
  deps: Deps,
  { spoolFolder, concurrency, env: agentEnv }: ReturnType<typeof readAgentSettings>,
  options: {
    readonly isolation: (typeof ISOLATIONS)[number];
    readonly trustScripts: boolean;
    readonly browser: string | undefined;
    readonly apiKeyFile: string | undefined;
  },
) {
  const { env, home, self } = deps;
  const { data } = dataFolders(env, home);
  const sandbox = sandboxOptions(deps, spoolFolder, options.isolation);
  const { apiKeyFile } = options;
  return {
    sandbox:
      apiKeyFile === undefined ? sandbox : { ...sandbox, hidden: [...(sandbox.hidden ?? []), apiKeyFile] },
    browser: {
      named: options.browser,
      concurrency,
      programFolder: dirname(self.script),
      dataFolder: join(data, 'agent-machine'),
      // `sonde browser install` fills this folder for services and agents.
      browsersFolder: browsersFolder(data),
    },
    trustScripts: options.trustScripts,
    env: agentEnv,
  };
}
