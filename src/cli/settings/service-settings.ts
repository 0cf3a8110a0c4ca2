/** Defines every setting of `sonde service start`: its flags, and the variables of the service. */
import { choice, duration, flag, integer, size, text, texts } from '../framework/options.ts';
import { dataOption } from './data-option.ts';
import { type SettingTable, withDefault, withVariable } from './setting.ts';
import { browserOption, canaryOption, ISOLATIONS, LOG_LEVELS, SCRIPT_VARIABLES } from './shared-settings.ts';

export const SERVICE_SETTINGS = {
  subject: 'Service of "service start"',
  command: 'service start',
  flags: {
    listen: text('Address and port to listen on', { placeholder: 'host:port', default: '127.0.0.1:4100' }),
    trustProxy: withVariable(
      texts(
        'Address or network of a trusted reverse proxy, which reports the client (X-Forwarded-For, X-Forwarded-Proto)',
        { placeholder: 'address[/bits]' },
      ),
      'SONDE_TRUST_PROXY',
    ),
    data: dataOption,
    detach: flag('Start in the background and return when the service is ready'),
    resolver: withVariable(
      texts('DNS resolver for checks without a name server', { placeholder: 'host[:port]' }),
      'SONDE_RESOLVERS',
      'the resolvers of the system',
    ),
    canary: canaryOption,
    concurrency: integer('Maximum concurrent check runs', { default: 50, minimum: 1, maximum: 1000 }),
    grace: duration('Time for running checks to finish at shutdown', { default: '10s' }),
    retentionDays: integer('Retention of raw results in days; hourly and daily summaries remain', {
      default: 30,
      minimum: 1,
      maximum: 36_500,
    }),
    rateLimit: integer('Maximum requests per minute and key', {
      default: 600,
      minimum: 1,
      maximum: 1_000_000,
    }),
    maxConnections: integer('Maximum open connections; at most a quarter of them from one address', {
      default: 1000,
      minimum: 10,
      maximum: 100_000,
    }),
    metricsChecks: integer('Maximum number of checks with series in /metrics; 0 for none', {
      default: 1000,
      minimum: 0,
      maximum: 100_000,
    }),
    metricsListen: withDefault(
      text('Address and port that serve /metrics without a key', { placeholder: 'host:port' }),
      'none',
    ),
    artifactLimit: size('Maximum size of screenshots and traces; the service deletes the oldest above it', {
      default: '10GB',
    }),
    codeBundleLimit: size('Maximum size of code bundles; the service rejects new ones above it', {
      default: '2GB',
    }),
    outboxLimit: size('Maximum size of pending notifications; new ones fail above it', {
      default: '512MB',
    }),
    databaseLimit: withDefault(
      size('Maximum size of the database; above it, the service stores no new resources or result details'),
      '50GB; unlimited on PostgreSQL',
    ),
    databaseWait: withVariable(
      duration('Time to wait at start for a PostgreSQL database'),
      'SONDE_DATABASE_WAIT',
      '60s',
    ),
    databaseConnections: withVariable(
      integer('Maximum connections to PostgreSQL', { minimum: 2, maximum: 1000 }),
      'SONDE_DATABASE_CONNECTIONS',
      '10',
    ),
    isolation: choice(
      ISOLATIONS,
      'Isolation level for scripts of browser checks; auto selects the strongest available',
      { default: 'auto' },
    ),
    trustScripts: flag(
      'Allow browser checks at level "process" even if several accounts or other machines use the service',
    ),
    denyPrivateNetworks: withVariable(
      flag(
        'Block checks and webhooks to this machine and private networks; the default if other machines can reach the service',
      ),
      'SONDE_DENY_PRIVATE_NETWORKS',
    ),
    allowPrivateNetworks: withVariable(
      flag('Allow checks and webhooks to this machine and private networks; the default on loopback'),
      'SONDE_ALLOW_PRIVATE_NETWORKS',
    ),
    allowOwnAddress: flag('Allow checks and webhooks to the addresses that the service itself listens on'),
    trustCustomDomains: flag(
      'Serve pages at their custom domains without verification, for loopback and closed networks',
    ),
    browser: browserOption,
    browsers: integer('Maximum concurrent browser checks', { default: 2, minimum: 1, maximum: 100 }),
    logLevel: choice(LOG_LEVELS, 'Log level of the JSON lines on stderr', { default: 'warn' }),
  },
  variables: {
    SONDE_DATABASE_URL: { summary: 'PostgreSQL URL', default: 'SQLite in the data folder' },
    SONDE_PUBLIC_URL: {
      summary: 'Public URL of the service, for links: https://monitoring.example.com',
      default: 'the address that it listens on',
    },
    ...SCRIPT_VARIABLES,
  },
} satisfies SettingTable;

export const NOTIFICATION_SETTINGS: SettingTable = {
  subject: 'Notifications of the local service',
  flags: {},
  variables: {
    SONDE_SMTP_URL: { summary: 'Mail server: smtp://user:password@host:587 (STARTTLS), or smtps://' },
    SONDE_MAIL_FROM: { summary: 'Sender of e-mails: "Sonde <sonde@example.com>"' },
    SONDE_SMS_URL: { summary: 'HTTP gateway for SMS, which receives to, from and text' },
    SONDE_SMS_TOKEN: { summary: 'Bearer token for the SMS gateway' },
    SONDE_SMS_FROM: { summary: 'Sender of SMS' },
    SONDE_SMS_FORMAT: { summary: 'Request format of the SMS gateway: json or form', default: 'json' },
    SONDE_SLACK_TOKEN: { summary: 'Bot token for SLACK_APP channels without one' },
  },
};
