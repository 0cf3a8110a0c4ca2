/** `sonde service start`: runs the embedded monitoring service, in front or in the background. */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { closeInherited } from '../../src/sandbox/inherited.ts';
import { choice, defineCommand, duration, flag, integer, size, text, texts } from '../kernel/index.ts';
import { profileOf } from '../shared/profiles/service-profile.ts';
import { startInBackground } from '../shared/service/background.ts';
import { browsersFolder, browserWarning, installCommand } from '../shared/service/browser.ts';
import { databaseOptions, databaseSettings } from '../shared/service/database.ts';
import { dataOption, serviceFolder } from '../shared/service/folder.ts';
import { deniesPrivateNetworks, tellNetwork } from '../shared/service/network.ts';
import { sandboxOf } from '../shared/service/sandbox.ts';
import { trustedProxies, trustProxyOption } from '../shared/service/trusted-proxies.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
const ISOLATIONS = ['auto', 'uid', 'namespace', 'process'] as const;
const SIZES = ['artifactLimit', 'codeBundleLimit', 'outboxLimit', 'databaseLimit'] as const;
const DAY_MS = 24 * 60 * 60 * 1000;

export const command = defineCommand({
  name: 'service start',
  summary: 'Start the embedded monitoring service',
  description:
    'Runs until it is told to stop. The first start makes an account and an API key, and saves them as the profile "local". The store is SQLite in the data folder, or Postgres where SONDE_DATABASE_URL names one.',
  options: {
    listen: text('Where to listen', { placeholder: 'host:port', standard: '127.0.0.1:4100' }),
    trustProxy: trustProxyOption,
    data: dataOption,
    detach: flag('Start it in the background, and return when it is ready'),
    resolver: texts("Ask this resolver where a check names no name server; the system's unless given", {
      placeholder: 'host[:port]',
    }),
    concurrency: integer('How many checks run at once', { standard: 50, minimum: 1, maximum: 1000 }),
    grace: duration('How long running checks may take to finish at the end', { standard: '10s' }),
    retentionDays: integer('How many days raw results are kept; what they came to by hour and day stays', {
      standard: 30,
      minimum: 1,
      maximum: 36_500,
    }),
    rateLimit: integer('How many requests a key may make in a minute', {
      standard: 600,
      minimum: 1,
      maximum: 1_000_000,
    }),
    maxConnections: integer('How many connections may be open at once, a quarter of them from one address', {
      standard: 1000,
      minimum: 10,
      maximum: 100_000,
    }),
    artifactLimit: size('How much room pictures and traces may take; the oldest are removed above it', {
      standard: '10GB',
    }),
    codeBundleLimit: size('How much room code bundles may take; new ones are refused above it', {
      standard: '2GB',
    }),
    outboxLimit: size('How much room messages that wait may take; new ones fail above it', {
      standard: '512MB',
    }),
    databaseLimit: size(
      'How much room the database may take: 50GB unless given, none on Postgres; new resources and details of results are not stored above it',
    ),
    ...databaseOptions,
    isolation: choice(
      ISOLATIONS,
      'How far scripts of browser checks are kept apart; the strongest that there is unless given',
      {
        standard: 'auto',
      },
    ),
    trustScripts: flag(
      'Run browser checks at the level "process" also where several accounts or other machines reach the service',
    ),
    denyPrivateNetworks: flag(
      'Keep checks and webhooks from this machine and from private networks; the default if other machines reach the service',
    ),
    allowPrivateNetworks: flag(
      'Let checks and webhooks reach this machine and private networks; the default on loopback',
    ),
    browser: text('Run browser checks in this browser; one that is installed unless given', {
      placeholder: 'path',
    }),
    browsers: integer('How many browser checks run at once', { standard: 2, minimum: 1, maximum: 100 }),
    logLevel: choice(LOG_LEVELS, 'What is logged, as JSON lines on stderr', { standard: 'warn' }),
  },
  exits: [[EXIT.unreachable, 'the Postgres database did not answer in time']],
  examples: [
    { line: 'service start', does: 'listens on http://127.0.0.1:4100 until Ctrl-C' },
    {
      line: 'service start --detach --listen 127.0.0.1:4200 --data ./monitoring',
      does: 'runs in the background, with a folder of its own',
    },
  ],
  // Running checks may take longer to finish than other commands may take to end.
  stops: 'itself',
  async run(deps, { options }) {
    closeInherited();
    const { terminal, clock, random, signal, env, version, self } = deps;
    const listen = parseListen(options.listen);
    const trustProxy = trustedProxies(options.trustProxy, env);
    const denyPrivateNetworks = deniesPrivateNetworks(options, env, listen.host);
    const database = databaseSettings(options, env);
    const folder = serviceFolder(deps, options.data);
    if (options.detach) {
      const { detach: _, ...rest } = options;
      const sizes = Object.fromEntries(
        SIZES.map((name) => [name, options[name] === undefined ? undefined : `${options[name]}B`]),
      );
      const wait = options.databaseWait === undefined ? undefined : `${options.databaseWait}ms`;
      const given = { ...rest, ...sizes, data: folder, grace: `${options.grace}ms`, databaseWait: wait };
      return startInBackground(deps, folder, given);
    }

    const { openService, writeDoor, writeRecord, removeRecord } = await import('../../src/service/main.ts');
    const databaseUrl = env.SONDE_DATABASE_URL;
    const resolvers = options.resolver.length > 0 ? options.resolver : env.SONDE_RESOLVERS?.split(',');
    const doorSecret = randomBytes(32).toString('base64url');
    const service = await openService({
      doorSecret,
      store: databaseUrl ? { url: databaseUrl } : { path: join(folder, 'service.db') },
      database: { ...database, signal },
      listen,
      trustProxy,
      clock,
      random,
      resolvers: resolvers ?? [],
      concurrency: options.concurrency,
      graceMs: options.grace,
      keepResultsMs: options.retentionDays * DAY_MS,
      storage: {
        artifacts: options.artifactLimit,
        codeBundles: options.codeBundleLimit,
        outbox: options.outboxLimit,
        ...(options.databaseLimit === undefined ? {} : { database: options.databaseLimit }),
      },
      requestsPerMinute: options.rateLimit,
      maxConnections: options.maxConnections,
      log: { level: options.logLevel, write: (line) => void terminal.err(line) },
      version,
      pid: self.pid,
      sandbox: sandboxOf(deps, folder, options.isolation),
      trustScripts: options.trustScripts,
      denyPrivateNetworks,
      browser: {
        named: options.browser,
        atOnce: options.browsers,
        programs: dirname(self.script),
        dataFolder: folder,
        browsersFolder: browsersFolder(folder),
        installCommand: installCommand(deps, folder),
      },
      env,
    });
    try {
      const { url } = await service.start();
      const { name, change, isCurrent } = await profileOf(
        deps,
        service,
        url,
        databaseUrl ? undefined : folder,
      );
      // Asked before the service is announced: a database that fails from then on does not end it.
      const refusal = await service.whyNoScripts();
      const startedAt = new Date(clock.now()).toISOString();
      await writeDoor(folder, doorSecret);
      await writeRecord(folder, { pid: self.pid, url, startedAt, version });
      await terminal.note(`Listening on ${url}. The data is in ${databaseUrl ? 'Postgres' : folder}.`);
      await terminal.note(PROFILE_WORDS[change](name));
      if (!isCurrent) await terminal.note(`To choose it: sonde profiles use ${name}`);
      await terminal.note(ISOLATION_WORDS[service.sandbox.level]);
      const { caution, unavailable } = service.sandbox.describe();
      for (const { level, reason } of unavailable)
        await terminal.note(`The stronger level "${level}" is not available: ${reason}.`);
      if (caution !== undefined) await terminal.warn(`${caution}.`);
      await tellNetwork(terminal, service);
      if (refusal !== undefined) await terminal.warn(`${refusal[0]?.toUpperCase()}${refusal.slice(1)}.`);
      else if (service.whyNoBrowser !== undefined) await terminal.warn(browserWarning(service.whyNoBrowser));
      await untilStopped(signal);
      await terminal.note('Stopping; running checks may finish.');
    } finally {
      await service.stop();
      await removeRecord(folder, self.pid);
    }
  },
});

const PROFILE_WORDS = {
  replaced: (name: string) =>
    `The profile "${name}" leads here now, with a new key: the data of the service that it led to is gone.`,
  saved: (name: string) => `The profile "${name}" was made: it leads here, with a key of its own.`,
  moved: (name: string) => `The profile "${name}" leads here now.`,
  kept: (name: string) => `The profile "${name}" leads here.`,
} as const;

const ISOLATION_WORDS = {
  uid: 'Scripts of browser checks run isolated (level "uid"): each under a user id of its own.',
  namespace: 'Scripts of browser checks run isolated (level "namespace"): each in namespaces of its own.',
  process:
    'Scripts of browser checks are not kept from your files (level "process"): run none that you would not run yourself.',
} as const;

const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    return undefined;
  });

/** `127.0.0.1:4100`, `[::1]:4100`, `:4100`. Port 0: any that is free. */
function parseListen(given: string): { host: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(given) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new UsageError(`--listen must be host:port, not "${given}"`, {
      hint: 'for example 127.0.0.1:4100, or [::1]:4100',
    });
  }
  return { host: bracketed ?? (plain || '127.0.0.1'), port };
}
