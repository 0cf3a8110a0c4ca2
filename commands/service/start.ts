/** `sonde service start`: runs the embedded service in the foreground or background. */

import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { defineCommand } from '../../src/cli/framework/index.ts';
import { browsersFolder, browserWarning, installCommand } from '../../src/cli/local-service/browser.ts';
import { serviceFolder, withDiskErrors } from '../../src/cli/local-service/data-folder.ts';
import { SERVICE_SETTINGS } from '../../src/cli/settings/service-settings.ts';
import { closeInheritedFiles } from '../../src/sandbox/cell/procfs.ts';
import { startInBackground } from './shared/background.ts';
import { warnAboutFolder } from './shared/data-folder.ts';
import { ensureProfile } from './shared/profile.ts';
import {
  databaseSettings,
  deniesPrivateNetworks,
  parseCanaries,
  parseTrustedProxies,
  resolversOf,
} from './shared/read-service-settings.ts';
import { reportNetwork } from './shared/report-network.ts';
import { sandboxOptions } from './shared/sandbox-options.ts';
import { untilStopped } from './shared/until-stopped.ts';

const SIZE_OPTIONS = ['artifactLimit', 'codeBundleLimit', 'outboxLimit', 'databaseLimit'] as const;
const DAY_MS = 24 * 60 * 60 * 1000;

export const command = defineCommand({
  name: 'service start',
  summary: 'Start the embedded monitoring service',
  description:
    'Runs until it receives a signal. The first start creates an account and an API key, and saves them as profile "local". The database is SQLite in the data folder, or the PostgreSQL database in SONDE_DATABASE_URL.',
  options: SERVICE_SETTINGS.flags,
  exits: [[EXIT.unreachable, 'the PostgreSQL database did not respond in time']],
  examples: [
    { line: 'service start', does: 'Listen on http://127.0.0.1:4100 until Ctrl-C' },
    {
      line: 'service start --detach --listen 127.0.0.1:4200 --data ./sonde-data',
      does: 'Run in the background with a separate data folder',
    },
  ],
  // Running checks may take longer to finish than other commands have after a signal.
  stops: 'itself',
  async run(deps, { options }) {
    closeInheritedFiles();
    const { terminal, clock, random, signal, env, version, self } = deps;
    const listen = parseListen(options.listen, '--listen');
    const metricsListen =
      options.metricsListen === undefined
        ? undefined
        : parseListen(options.metricsListen, '--metrics-listen');
    const canaries = parseCanaries(options.canary, env);
    const trustProxy = parseTrustedProxies(options.trustProxy, env);
    const denyPrivateNetworks = deniesPrivateNetworks(options, env, listen.host);
    const database = databaseSettings(options, env);
    const folder = serviceFolder(deps, options.data);
    if (options.detach) {
      const { detach: _, ...rest } = options;
      const sizes = Object.fromEntries(
        SIZE_OPTIONS.map((name) => [name, options[name] === undefined ? undefined : `${options[name]}B`]),
      );
      const wait = options.databaseWait === undefined ? undefined : `${options.databaseWait}ms`;
      const detachedOptions = {
        ...rest,
        ...sizes,
        data: folder,
        grace: `${options.grace}ms`,
        databaseWait: wait,
      };
      return startInBackground(deps, folder, detachedOptions);
    }

    const { openService, writeAdminSecret, writeRuntimeFile, removeRuntimeFile } = await import(
      '../../src/service/main.ts'
    );
    const databaseUrl = env.SONDE_DATABASE_URL;
    const adminSecret = randomBytes(32).toString('base64url');
    const service = await withDiskErrors(folder, () =>
      openService({
        adminSecret,
        store: databaseUrl ? { url: databaseUrl } : { path: join(folder, 'service.db') },
        database: { ...database, signal },
        listen,
        trustProxy,
        canaries,
        clock,
        random,
        resolvers: resolversOf(options.resolver, env),
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
        metricsChecks: options.metricsChecks,
        metricsListen,
        log: { level: options.logLevel, write: (line) => void terminal.err(line) },
        version,
        nodeVersion: self.nodeVersion,
        pid: self.pid,
        sandbox: sandboxOptions(deps, folder, options.isolation),
        trustScripts: options.trustScripts,
        denyPrivateNetworks,
        allowOwnAddress: options.allowOwnAddress,
        trustCustomDomains: options.trustCustomDomains,
        browser: {
          executable: options.browser,
          concurrency: options.browsers,
          programFolder: dirname(self.script),
          dataFolder: folder,
          browsersFolder: browsersFolder(folder),
          installCommand: installCommand(deps, folder),
        },
        env,
      }),
    );
    try {
      const { url } = await withDiskErrors(folder, () => service.start());
      const { name, change, isCurrent } = await withDiskErrors(folder, () =>
        ensureProfile(deps, service, url, databaseUrl ? undefined : folder),
      );
      // Queried before the announcement: later, a database error must not end the service.
      const refusal = await service.findScriptProblem();
      const startedAt = new Date(clock.now()).toISOString();
      await withDiskErrors(folder, async () => {
        await writeAdminSecret(folder, adminSecret);
        await writeRuntimeFile(folder, { pid: self.pid, url, startedAt, version });
      });
      await terminal.note(`Listening on ${url}. The data is in ${databaseUrl ? 'PostgreSQL' : folder}.`);
      const metricsUrl = service.metricsUrl();
      if (metricsUrl !== undefined) await terminal.note(`Metrics without a key: ${metricsUrl}`);
      await terminal.note(PROFILE_NOTES[change](name));
      if (!isCurrent) await terminal.note(`To select it, run: sonde profiles use ${name}`);
      await terminal.note(ISOLATION_NOTES[service.sandbox.level]);
      const { caution, unavailable } = service.sandbox.describe();
      for (const { level, reason } of unavailable)
        await terminal.note(`The stronger isolation level "${level}" is not available: ${reason}.`);
      await warnAboutFolder(terminal, deps.platform, folder);
      if (caution !== undefined) await terminal.warn(`${caution}.`);
      await reportNetwork(terminal, service);
      if (refusal !== undefined) await terminal.warn(`${refusal[0]?.toUpperCase()}${refusal.slice(1)}.`);
      else if (service.browserProblem !== undefined)
        await terminal.warn(browserWarning(service.browserProblem));
      await untilStopped(signal);
      await terminal.note('Stopping after the running checks finish.');
    } finally {
      await service.stop();
      await removeRuntimeFile(folder, self.pid);
    }
  },
});

const PROFILE_NOTES = {
  replaced: (name: string) =>
    `Updated profile "${name}" to this service with a new key: the data of its previous service no longer exists.`,
  saved: (name: string) => `Created profile "${name}" for this service, with a new key.`,
  moved: (name: string) => `Updated profile "${name}" to this service.`,
  unchanged: (name: string) => `Profile "${name}" is for this service.`,
} as const;

const ISOLATION_NOTES = {
  uid: 'Isolation level "uid": each script of a browser check runs under a separate user ID.',
  namespace: 'Isolation level "namespace": each script of a browser check runs in separate namespaces.',
  process:
    'Isolation level "process": scripts of browser checks can read your files; run only scripts that you trust.',
} as const;

/** Parses `127.0.0.1:4100`, `[::1]:4100` or `:4100`. Port 0: any free port. */
function parseListen(text: string, flag: '--listen' | '--metrics-listen'): { host: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new UsageError(`${flag} must be host:port, not "${text}"`, {
      hint: 'for example 127.0.0.1:4100, or [::1]:4100',
    });
  }
  return { host: bracketed ?? (plain || '127.0.0.1'), port };
}
