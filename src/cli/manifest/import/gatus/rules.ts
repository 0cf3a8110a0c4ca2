/** Says what the settings of Gatus mean that have no counterpart in sonde. */
import type { FieldRules } from '../convert-item.ts';

const STATUS_PAGES = 'status pages have their own settings';
const OWN_STORE = 'the service has its own database and retention';
const OWN_SERVER = 'the service has its own address, users and limits';

/** Settings that belong to no endpoint. */
export const SETTING_RULES: FieldRules = {
  storage: ['skipped', OWN_STORE],
  web: ['skipped', OWN_SERVER],
  security: ['skipped', OWN_SERVER],
  concurrency: ['skipped', OWN_SERVER],
  'disable-monitoring-lock': ['skipped', OWN_SERVER],
  debug: ['skipped', OWN_SERVER],
  metrics: ['skipped', 'the service always has metrics'],
  ui: ['skipped', STATUS_PAGES],
  'skip-invalid-config-update': ['skipped', 'sonde apply refuses invalid files'],
  remote: ['skipped', 'import the configuration of each instance'],
  connectivity: ['skipped', 'sonde runs checks whether or not another target answers'],
  tunneling: ['skipped', 'sonde opens no SSH tunnels; run the check in a private location'],
  'alerting.default-alert': ['skipped', 'Gatus reads the default of each provider alone'],
};

export const ENDPOINT_RULES: FieldRules = {
  'client.oauth2': ['paused', 'sonde does not request OAuth tokens; fetch the token in a setup script'],
  'client.identity-aware-proxy': [
    'paused',
    'sonde does not request tokens of the proxy; fetch the token in a setup script',
  ],
  'client.tls': [
    'paused',
    'client certificates are not part of the files; add it with: sonde client-certificates create',
  ],
  'client.tunnel': ['paused', 'sonde opens no SSH tunnels; run the check in a private location'],
  'client.proxy-url': [
    'changed',
    'the check connects without a proxy; run it in a private location behind one',
  ],
  'client.dns-resolver': ['changed', 'the location resolves the name'],
  'client.store-cookies': ['changed', 'sonde keeps no cookies between runs'],
  'client.network': ['changed', 'only ICMP checks have an IP version in Gatus'],
  client: ['changed', 'this type of check has no such setting'],
  ui: ['changed', STATUS_PAGES],
  ssh: ['changed', 'sonde has no SSH check'],
  'alerts.description': ['changed', 'the text of the message is that of sonde'],
  'alerts.provider-override': ['changed', 'all checks share the settings of the channel'],
  // The loss of the push URL says it.
  token: 'covered',
  graphql: ['changed', 'only HTTP checks send a query'],
  headers: ['changed', 'only HTTP checks send headers'],
  method: ['changed', 'only HTTP checks have a method'],
  body: ['changed', 'this type of check sends no data'],
};

const MAIL_SERVER = {
  from: 'covered',
  username: 'covered',
  password: 'covered',
  host: 'covered',
  port: 'covered',
} as const;

/** Rules of providers whose fields a loss of the channel names together. */
export const PROVIDER_RULES: Readonly<Record<string, FieldRules>> = {
  email: MAIL_SERVER,
  twilio: { sid: 'covered', token: 'covered', from: 'covered' },
};

export const COMMON_PROVIDER_RULES: FieldRules = {
  'default-alert.description': ['changed', 'the text of the message is that of sonde'],
  'default-alert': ['changed', 'each endpoint with this alert sets it itself'],
  overrides: ['changed', 'no endpoint with this alert is in the group'],
  title: ['changed', 'the text of the message is that of sonde'],
  client: ['changed', 'the service sends alerts with its own client'],
};
