/** `sonde agent start`: runs the checks of a private location, from the network that it stands in. */
import { dirname, join } from 'node:path';
import { ApiError, CredentialsError, NetworkError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { plural } from '../../src/base/plural.ts';
import { dataFolders } from '../../src/profiles/folders.ts';
import { closeInherited } from '../../src/sandbox/inherited.ts';
import { choice, type Deps, defineCommand, duration, flag, text } from '../kernel/index.ts';
import { readSettings } from '../shared/agent/settings.ts';
import { browsersFolder } from '../shared/service/browser.ts';

const ISOLATIONS = ['auto', 'uid', 'namespace', 'process'] as const;

export const command = defineCommand({
  name: 'agent start',
  summary: 'Run the checks of a private location from within its network',
  description:
    'Runs until it is told to stop. It needs API_KEY, a key of the private location, and SONDE_BASE_URL; every option has a variable of the same meaning. It pulls its work over HTTP: nothing but health probes is answered. Several agents share a location. Results wait on disk until the service has them. The first signal lets running checks finish, a second gives them back.',
  options: {
    apiKeyFile: text('Read the key from this file, at each request, instead of API_KEY', {
      placeholder: 'file',
    }),
    concurrency: text('How many checks run at once, 1 to 10; 1 unless given', {
      placeholder: 'number',
      env: 'JOB_CONCURRENCY',
    }),
    uptime: flag('Run URL, DNS, TCP and ICMP checks alone, and load nothing of scripts and browsers'),
    healthPort: text('Port of the health probes; 8081 unless given', {
      placeholder: 'port',
      env: 'AGENT_HEALTH_PORT',
    }),
    grace: duration(
      'How long running checks may take to finish at the end; as long as the longest of them may unless given',
    ),
    spool: text("Folder of results that wait; your data folder's sonde/agent unless given", {
      placeholder: 'folder',
    }),
    httpsProxy: text('Proxy by which an https service is reached', {
      placeholder: 'url',
      env: 'HTTPS_PROXY',
    }),
    httpProxy: text('Proxy by which an http service is reached', { placeholder: 'url', env: 'HTTP_PROXY' }),
    proxyExceptions: text('Hosts that are reached without a proxy, separated by commas', {
      placeholder: 'hosts',
      env: 'NO_PROXY',
    }),
    osDnsResolver: text('Whether checks look names up as the system does; on unless given', {
      placeholder: 'on|off',
      env: 'USE_OS_DNS_RESOLVER',
    }),
    externalObservability: text('Whether errors of the agent may be reported; on unless given', {
      placeholder: 'on|off',
      env: 'EXTERNAL_OBSERVABILITY',
    }),
    insecure: flag('Send the key over plain http to other machines, too', { env: 'SONDE_INSECURE' }),
    isolation: choice(
      ISOLATIONS,
      'How far scripts of checks are kept apart; the strongest that there is unless given',
      {
        standard: 'auto',
      },
    ),
    trustScripts: flag('Run scripts also where nothing keeps them from the files and the key of this agent'),
    browser: text('Run browser checks in this browser; one that is installed unless given', {
      placeholder: 'path',
    }),
    logLevel: text(
      'What is logged, as JSON lines on stderr: trace, debug, info, warn, error or silent; info unless given',
      {
        placeholder: 'level',
        env: 'LOG_LEVEL',
      },
    ),
  },
  examples: [
    {
      line: 'agent start --api-key-file /run/secrets/sonde-key --base-url https://monitoring.example.com',
      does: 'runs one check at a time',
    },
    { line: 'agent start --uptime --concurrency 10', does: 'needs little memory, and runs ten at a time' },
  ],
  exits: [
    [EXIT.credentials, 'the service refuses the key'],
    [
      EXIT.unreachable,
      'it ended in order, and results are left in the spool: the service could not be reached',
    ],
  ],
  // What runs may take longer to finish than other commands may take to end.
  stops: 'itself',
  async run(deps, { options, globals }) {
    closeInherited();
    const { terminal, clock, random, signal, version, self } = deps;
    const settings = readSettings(deps, { ...options, baseUrl: globals.baseUrl });
    const { askNameServers, openAgent } = await import('../../src/agent/main.ts');
    const agent = await openAgent({
      settings: {
        ...settings,
        graceMs: options.grace,
        uptimeOnly: options.uptime,
        lookup: settings.usesOsResolver ? undefined : askNameServers,
      },
      log: { level: settings.logLevel, write: (line) => void terminal.err(line) },
      ...{ clock, random, version, env: settings.env, pid: self.pid, machine: self },
      judge: { path: join(dirname(self.script), 'judge.cjs'), execPath: self.execPath },
      scripts: options.uptime ? undefined : scriptsOf(deps, settings, options),
    });
    self.onHurry(agent.hurry);
    let failure: { readonly error: unknown } | undefined;
    try {
      const port = await agent.listen();
      await terminal.note(`Health probes are answered on port ${port}.`);
      if (agent.problem !== undefined) await terminal.warn(`Not all checks are run here: ${agent.problem}.`);
      const { slugName } = await agent.start(signal);
      const kinds = agent.checkTypes.join(', ');
      await terminal.note(
        `Serving the private location "${slugName}" of ${settings.baseUrl}: ${plural(settings.concurrency, 'check')} at once, of the types ${kinds}.`,
      );
      await Promise.race([untilStopped(signal), agent.refused]);
      await terminal.note('Stopping; running checks may finish.');
    } catch (error) {
      // Stopped before it had found the service.
      if (!signal.aborted) failure = { error };
    }
    const left = await agent.stop();
    if (failure !== undefined) throw told(failure.error);
    if (left > 0) throw undelivered(left, settings.spoolFolder);
    await terminal.note('Stopped: every result is handed in.');
  },
});

/** A refused key in an agent's own words: it has no profile to sign in with. */
function told(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.exitCode !== EXIT.credentials) return error;
  return new CredentialsError(`The service refuses the key: ${error.message}`, {
    hint: 'API_KEY must be a key of the private location that still stands: sonde private-locations create-key <id>',
    cause: error,
  });
}

const undelivered = (left: number, folder: string): NetworkError =>
  new NetworkError(
    `${plural(left, 'result')} could not be handed in`,
    {},
    {
      hint: `they stay in ${folder}: an agent of this location that starts with the same folder hands them in`,
    },
  );

/** Where scripts run, and what they must not see: results that wait, profiles and keys. */
function scriptsOf(
  { env, home, self }: Deps,
  { spoolFolder, concurrency, env: agentEnv }: ReturnType<typeof readSettings>,
  given: {
    readonly isolation: (typeof ISOLATIONS)[number];
    readonly trustScripts: boolean;
    readonly browser: string | undefined;
    readonly apiKeyFile: string | undefined;
  },
) {
  const { config, state, data, cache } = dataFolders(env, home);
  const hidden = [spoolFolder, config, state, data, cache];
  return {
    sandbox: {
      ...{ level: given.isolation, self, home },
      readable: [dirname(self.script)],
      hidden: given.apiKeyFile === undefined ? hidden : [...hidden, given.apiKeyFile],
    },
    browser: {
      named: given.browser,
      atOnce: concurrency,
      programs: dirname(self.script),
      dataFolder: join(data, 'agent-machine'),
      // The one that `sonde browser install` fills, for a service and an agent alike.
      browsersFolder: browsersFolder(data),
    },
    trustScripts: given.trustScripts,
    env: agentEnv,
  };
}

const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    return undefined;
  });
