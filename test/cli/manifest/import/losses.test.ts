/** Every field of a source is either converted or named as a loss: known fields, unknown ones and generated ones. */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { convertBlackbox } from '../../../../src/cli/manifest/import/blackbox/convert.ts';
import type { BlackboxSource } from '../../../../src/cli/manifest/import/blackbox/read-source.ts';
import { findFiles } from '../../../../src/cli/manifest/import/blackbox/target-files.ts';
import { convertAnswers } from '../../../../src/cli/manifest/import/checkly/convert-answers.ts';
import type { ImportResult } from '../../../../src/cli/manifest/import/conversion.ts';
import { convertGatus } from '../../../../src/cli/manifest/import/gatus/convert.ts';
import { readYamlDocuments } from '../../../../src/cli/manifest/import/read-yaml.ts';
import { trackSource } from '../../../../src/cli/manifest/import/tracked-source.ts';
import { convertKuma } from '../../../../src/cli/manifest/import/uptime-kuma/convert.ts';
import { type KumaTables, TABLES } from '../../../../src/cli/manifest/import/uptime-kuma/tables.ts';
import { RESERVED_SLUGS } from '../../../../src/contract/limits.ts';

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** Returns a copy with a value at a path; lists and maps on the way are made. */
function withValue(source: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list = Array.isArray(source) ? [...(source as unknown[])] : [];
    list[step] = withValue(list[step], rest, value);
    return list;
  }
  const map = (source ?? {}) as Fields;
  return { ...map, [step]: withValue(map[step], rest, value) };
}

const toPath = (text: string): Path =>
  text.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));

/** Expects that a field changes the entries, or that a loss names it. */
function expectNoSilence(
  convert: (source: Fields) => ImportResult,
  base: Fields,
  at: string,
  value: unknown,
): void {
  const path = toPath(at);
  const result = convert(withValue(base, path, value) as Fields);
  const before = convert(base);
  const shown = ({ entries, secrets }: ImportResult) => JSON.stringify([entries, [...secrets]]);
  const isConverted = shown(result) !== shown(before);
  const added = result.losses.filter(
    (loss) => !before.losses.some((known) => JSON.stringify(known) === JSON.stringify(loss)),
  );
  expect(isConverted || added.length > 0, `${at} is lost`).toBe(true);
}

const gatus = (source: Fields) => convertGatus(source, 0);
const GATUS: Fields = {
  alerting: {
    slack: { 'webhook-url': 'https://hooks.example.com/a', overrides: [{ group: 'core' }] },
    telegram: { token: '1:a', id: '2' },
    ntfy: { topic: 'a' },
    custom: { url: 'https://hooks.example.com/b' },
    gotify: { 'server-url': 'https://g.example.com', token: 'a' },
    opsgenie: { 'api-key': 'a' },
  },
  endpoints: [
    {
      name: 'web',
      group: 'core',
      url: 'https://shop.example.com',
      body: 'q',
      conditions: ['[STATUS] == 200'],
      alerts: ['slack', 'telegram', 'ntfy', 'custom', 'gotify', 'opsgenie'].map((type) => ({ type })),
    },
    {
      name: 'mx',
      url: '192.0.2.1',
      dns: { 'query-type': 'MX', 'query-name': 'a' },
      conditions: ['[DNS_RCODE] == NOERROR'],
    },
    { name: 'ping', url: 'icmp://192.0.2.1', conditions: ['[CONNECTED] == true'] },
    { name: 'tcp', url: 'tcp://192.0.2.1:1', conditions: ['[CONNECTED] == true'] },
    { name: 'tls', url: 'tls://192.0.2.1:1', conditions: ['[CONNECTED] == true'] },
  ],
  'external-endpoints': [{ name: 'push', heartbeat: { interval: '1m' }, alerts: [{ type: 'slack' }] }],
  maintenance: { start: '01:00', duration: '1h' },
};

const HTTP_CLIENT =
  'proxy-url:http://p insecure:true ignore-redirect:true timeout:3s dns-resolver:tcp://1.1.1.1:53 oauth2.token-url:https://t identity-aware-proxy.audience:a network:ip6 tls.certificate-file:/a tls.private-key-file:/b tunnel:t store-cookies:true unknown:x';
const ENDPOINT =
  'enabled:false group:g interval:7m extra-labels.a:b ui.hide-url:true ui.badge.response-time.thresholds.0:1 ssh.username:a ssh.password:b alerts.0.unknown:x unknown:x maintenance-windows.0.start:x maintenance-windows.0.unknown:x';
const ALERTS =
  'enabled:false failure-threshold:2 success-threshold:5 minimum-reminder-interval:15m description:x send-on-resolved:true provider-override.a:b unknown:x';
const settings = (text: string, prefix: string): readonly (readonly [string, string])[] =>
  text.split(' ').map((each) => {
    const [name = '', ...value] = each.split(':');
    return [`${prefix}${name}`, value.join(':')] as const;
  });
const parsedValue = (text: unknown): unknown => (text === 'true' ? true : text === 'false' ? false : text);

const GATUS_FIELDS = [
  ...settings(
    'debug:true metrics:true skip-invalid-config-update:true disable-monitoring-lock:true concurrency:5 unknown:x security.basic.username:a security.oidc.issuer-url:b storage.type:sqlite storage.path:/d storage.caching:true web.port:80 web.tls.certificate-file:/a web.unknown:x ui.title:a ui.buttons.0.name:b remote.instances.0.url:a remote.unknown:x connectivity.checker.target:a tunneling.t.host:a announcements.0.message:a suites.0.name:a services.0.name:x',
    '',
  ),
  ...['0', '1', '2', '3', '4'].flatMap((at) => [
    ...settings(ENDPOINT, `endpoints.${at}.`),
    ...settings(HTTP_CLIENT, `endpoints.${at}.client.`),
    ...settings('method:PUT body:x graphql:true headers.X-A:b', `endpoints.${at}.`),
  ]),
  ...settings(ALERTS, 'endpoints.0.alerts.0.'),
  ...settings(ALERTS, 'external-endpoints.0.alerts.0.'),
  ...settings(
    'enabled:false group:g maintenance-windows.0.start:x unknown:x heartbeat.interval:5m heartbeat.unknown:x',
    'external-endpoints.0.',
  ),
  ...settings(
    'enabled:false start:02:00 duration:2h timezone:Europe/Berlin every.0:Monday every.0:Noday timezone:Mars/X unknown:x',
    'maintenance.',
  ),
  ...settings(
    'title:a default-alert.description:b default-alert.unknown:x overrides.0.webhook-url:https://o.example.com overrides.0.title:x unknown:x client.insecure:true',
    'alerting.slack.',
  ),
  ...settings('topic-id:3 api-url:https://t.example.com client.timeout:1s unknown:x', 'alerting.telegram.'),
  ...settings(
    'url:https://n.example.com priority:5 token:t email:a@b.example click:https://c disable-firebase:true disable-cache:true',
    'alerting.ntfy.',
  ),
  ...settings('method:PUT headers.A:b placeholders.A.B:c client.insecure:true', 'alerting.custom.'),
  ...settings('priority:9 title:a', 'alerting.gotify.'),
  ...settings('priority:P3 source:a entity-prefix:b alias-prefix:c tags.0:d', 'alerting.opsgenie.'),
  ...settings(
    'discord.webhook-url:https://d.example.com pagerduty.integration-key:a matrix.server-url:b',
    'alerting.',
  ),
].filter(([at]) => !/^endpoints\.[1-4]\.dns/.test(at));

function blackbox({ modules, job, global, config }: Fields): ImportResult {
  const view = trackSource({ modules, global, ...(config as Fields) });
  const source: BlackboxSource = {
    configs: [view],
    modules: view.modules as Fields,
    jobs: [{ source: trackSource(job as Fields), global: view.global as Fields, file: '/p.yml' }],
    missing: [],
    targetFiles: new Map(),
    others: [],
  };
  return convertBlackbox(source);
}
const relabeling = [
  { source_labels: ['__address__'], target_label: '__param_target' },
  { source_labels: ['module'], target_label: '__param_module' },
];
const TARGETS = {
  http: 'https://shop.example.com',
  tcp: '192.0.2.1:1',
  dns: 'ns.example.com',
  icmp: 'gw.example.com',
  tls: '192.0.2.1:2',
};
const BLACKBOX: Fields = {
  modules: {
    http: { prober: 'http' },
    tcp: { prober: 'tcp', tcp: { query_response: [{ send: 'a' }, { expect: 'b' }] } },
    dns: { prober: 'dns', dns: { query_name: 'a', query_type: 'A' } },
    icmp: { prober: 'icmp' },
    tls: { prober: 'tcp', tcp: { tls: true } },
  },
  job: {
    job_name: 'probes',
    metrics_path: '/probe',
    static_configs: Object.entries(TARGETS).map(([module, target]) => ({
      targets: [target],
      labels: { module },
    })),
    relabel_configs: relabeling,
  },
  global: {},
  config: {},
};
const BLACKBOX_FIELDS = [
  ...settings(
    'timeout:3s unknown:x valid_status_codes.0:204 valid_http_versions.0:HTTP/2.0 preferred_ip_protocol:ip6 ip_protocol_fallback:false follow_redirects:false no_follow_redirects:true fail_if_ssl:true method:PUT headers.A:b fail_if_body_matches_regexp.0:a fail_if_body_not_matches_regexp.0:a fail_if_body_json_matches_cel:a fail_if_body_json_not_matches_cel:a fail_if_header_matches.0.header:A fail_if_header_not_matches.0.header:A body:x body_file:/x compression:gzip body_size_limit:1MB enable_http3:true skip_resolve_phase_with_proxy:true proxy_url:http://p no_proxy:a proxy_from_environment:true basic_auth.username:a basic_auth.password_file:/p authorization.credentials:a authorization.credentials_file:/c oauth2.client_id:a bearer_token:a bearer_token_file:/b tls_config.ca_file:/a tls_config.ca:a tls_config.cert_file:/a tls_config.key:a tls_config.server_name:a tls_config.insecure_skip_verify:true tls_config.min_version:TLS13 tls_config.max_version:TLS13 http_headers.A.values.0:b http_headers.B.files.0:/x',
    'modules.http.http.',
  ),
  ...['http', 'tcp', 'dns', 'icmp', 'tls'].flatMap((name) =>
    settings('timeout:3s unknown:x grpc.service:a', `modules.${name}.`),
  ),
  ...settings(
    'preferred_ip_protocol:ip6 source_ip_address:192.0.2.9 query_response.1.labels.0.name:a query_response.1.expect_bytes:x query_response.2.send:x query_response.1.starttls:true unknown:x',
    'modules.tcp.tcp.',
  ),
  ...settings(
    'preferred_ip_protocol:ip6 query_response.0.expect:x tls_config.server_name:a tls_config.insecure_skip_verify:true tls_config.ca_file:/a tls_config.key_file:/k',
    'modules.tls.tcp.',
  ),
  ...settings(
    'preferred_ip_protocol:ip6 source_ip_address:192.0.2.9 dns_over_tls:true transport_protocol:tcp query_class:CH query_name:b query_type:MX recursion_desired:false valid_rcodes.0:NXDOMAIN validate_answer_rrs.fail_if_matches_regexp.0:a validate_answer_rrs.fail_if_all_match_regexp.0:a validate_answer_rrs.fail_if_not_matches_regexp.0:a validate_answer_rrs.fail_if_none_matches_regexp.0:a validate_answer_rrs.unknown:x validate_authority_rrs.fail_if_matches_regexp.0:a validate_additional_rrs.fail_if_matches_regexp.0:a unknown:x',
    'modules.dns.dns.',
  ),
  ...settings(
    'preferred_ip_protocol:ip6 source_ip_address:192.0.2.9 payload_size:9 dont_fragment:true ttl:3 unknown:x',
    'modules.icmp.icmp.',
  ),
  ...settings(
    'scrape_interval:5m scrape_timeout:3s params.hostname.0:a params.debug.0:true honor_labels:true honor_timestamps:true scheme:https sample_limit:5 metric_relabel_configs.0.action:drop basic_auth.username:a tls_config.insecure_skip_verify:true proxy_url:http://p unknown:x kubernetes_sd_configs.0.role:pod file_sd_configs.0.files.0:/t.yml file_sd_configs.0.refresh_interval:1m static_configs.0.labels.a:b static_configs.0.unknown:x relabel_configs.0.unknown:x',
    'job.',
  ),
  ...settings('scrape_interval:5m scrape_timeout:3s', 'global.'),
  ...settings(
    'alerting.alertmanagers.0.scheme:https rule_files.0:/r remote_write.0.url:a storage.tsdb.a:b unknown:x',
    'config.',
  ),
];

const NO_ROWS = {
  ...Object.fromEntries(TABLES.map((table) => [table, []])),
  others: new Map(),
} as unknown as KumaTables;
const kuma = (source: Fields) => convertKuma({ ...NO_ROWS, ...source }, 0);
const KUMA: Fields = {
  monitor: [
    { id: 1, type: 'http', name: 'Web', url: 'https://shop.example.com', interval: 60, timeout: 48 },
    { id: 2, type: 'ping', name: 'Ping', hostname: 'a', interval: 60 },
    { id: 3, type: 'dns', name: 'DNS', hostname: 'a', interval: 60, dns_resolve_server: '192.0.2.1' },
    { id: 4, type: 'port', name: 'Port', hostname: 'a', port: 1, interval: 60 },
    { id: 5, type: 'push', name: 'Push', interval: 60 },
    { id: 6, type: 'keyword', name: 'Word', url: 'https://shop.example.com', keyword: 'a', interval: 60 },
    {
      id: 7,
      type: 'json-query',
      name: 'JSON',
      url: 'https://shop.example.com',
      json_path: 'b',
      interval: 60,
    },
    { id: 8, type: 'real-browser', name: 'Page', url: 'https://shop.example.com', interval: 60 },
    { id: 9, type: 'group', name: 'Group' },
  ],
  notification: [
    { type: 'slack', slackwebhookURL: 'https://h.example.com' },
    { type: 'discord', discordWebhookUrl: 'https://d.example.com' },
    { type: 'telegram', telegramBotToken: '1:a', telegramChatID: '2' },
    { type: 'webhook', webhookURL: 'https://w.example.com' },
    { type: 'smtp', smtpTo: 'a@example.com' },
    { type: 'gotify', gotifyserverurl: 'https://g.example.com', gotifyapplicationToken: 'a' },
    { type: 'ntfy', ntfyserverurl: 'https://n.example.com', ntfytopic: 'a' },
    { type: 'PagerDuty', pagerdutyIntegrationKey: 'a' },
    { type: 'Opsgenie', opsgenieApiKey: 'a' },
  ].map((config, id) => ({ id, name: config.type, config })),
  status_page: [{ id: 1, slug: 'p', title: 'P' }],
  maintenance: [
    {
      id: 1,
      title: 'M',
      strategy: 'recurring-interval',
      start_time: '01:00',
      end_time: '02:00',
      interval_day: 1,
    },
  ],
};
const KUMA_FIELDS = [
  ...['0', '1', '2', '3', '4'].flatMap((at) =>
    settings(
      `active:0 interval:120 description:x maxretries:2 upside_down:1 unknown:x description:${'x'.repeat(600)}`,
      `monitor.${at}.`,
    ),
  ),
  ...settings(
    'ignore_tls:1 maxredirects:0 maxredirects:3 accepted_statuscodes_json:["300-399"] method:PUT body:{} headers:{"a":"b"} proxy_id:3 auth_method:mtls tls_ca:x auth_method:oauth2-cc http_body_encoding:xml cache_bust:1 ip_family:ipv6 expiry_notification:1 domain_expiry_notification:1 timeout:7 save_response:1 resend_interval:5'
      .replace('body:{} ', 'body:{"a":1} ')
      .replace('http_body_encoding:xml ', ''),
    'monitor.0.',
  ),
  ...settings(
    'packet_size:99 ping_count:5 ping_numeric:0x ping_per_request_timeout:9 timeout:7',
    'monitor.1.',
  ),
  ...settings(
    'dns_resolve_type:MX dns_resolve_server:192.0.2.2,192.0.2.3 port:5353 conditions:[{"type":"expression","variable":"record","operator":"equals","value":"x"}]',
    'monitor.2.',
  ),
  ...settings('expected_tls_alert:a unknown:x port:7', 'monitor.3.'),
  ...['5', '6', '7'].flatMap((at) =>
    settings(
      'active:0 interval:120 description:x maxretries:2 resend_interval:5 unknown:x',
      `monitor.${at}.`,
    ),
  ),
  ...['0', '5', '6'].flatMap((at) =>
    settings(
      'basic_auth_user:a auth_method:basic auth_method:ntlm auth_domain:a auth_workstation:a bearer_token:a tls_cert:a tls_key:a oauth_client_id:a oauth_client_secret:a oauth_token_url:a oauth_scopes:a oauth_audience:a oauth_auth_method:a response_max_length:9 save_error_response:x',
      `monitor.${at}.`,
    ),
  ),
  ...settings('keyword:b invert_keyword:1', 'monitor.5.'),
  ...settings(
    'json_path:c json_path:$sum(a) json_path_operator:!= json_path_operator:x expected_value:b retry_only_on_status_code_failure:1',
    'monitor.6.',
  ),
  ...settings('url:https://b.example.com remote_browser:1 screenshot_delay:5', 'monitor.7.'),
  ...settings('active:0 name:x unknown:x', 'monitor.8.'),
  ...settings(
    'slackchannel:#ops slackiconemo:x slackusername:a slackchannelnotify:true slackrichmessage:true slackbutton:a unknown:x',
    'notification.0.config.',
  ),
  ...settings(
    'discordUsername:a discordPrefixMessage:a discordChannelType:a threadId:1 postName:a',
    'notification.1.config.',
  ),
  ...settings(
    'telegramMessageThreadID:3 telegramServerUrl:https://t.example.com telegramSendSilently:true telegramProtectContent:true telegramUseTemplate:true telegramTemplate:a',
    'notification.2.config.',
  ),
  ...settings('httpMethod:put webhookAdditionalHeaders:{"A":"b"} unknown:x', 'notification.3.config.'),
  ...settings(
    'smtpTo:b@example.com smtpCC:c@example.com smtpBCC:d@example.com customSubject:a customBody:a htmlBody:true',
    'notification.4.config.',
  ),
  ...settings('gotifyPriority:9 unknown:x', 'notification.5.config.'),
  ...settings(
    'ntfyPriority:5 ntfyPriorityDown:5 ntfyaccesstoken:a ntfyusername:a ntfyIcon:a ntfyCall:a ntfyCustomTitle:a',
    'notification.6.config.',
  ),
  ...settings(
    'pagerdutyIntegrationUrl:a pagerdutyPriority:a pagerdutyAutoResolve:a',
    'notification.7.config.',
  ),
  ...settings('opsgenieRegion:eu opsgeniePriority:2 unknown:x', 'notification.8.config.'),
  ...settings(
    'description:x icon:/x.svg theme:dark published:0 custom_css:x footer_text:y search_engine_index:0 google_analytics_tag_id:g show_certificate_expiry:1 rss_title:r unknown:x',
    'status_page.0.',
  ),
  ...settings('description:x interval_day:3 timezone:Europe/Berlin unknown:x active:0', 'maintenance.0.'),
  ...settings('title:x style:danger', 'incident.0.'),
  ['setting', [{ key: 'primaryBaseURL', value: '"https://kuma.example.com"' }]] as const,
  ['others', new Map([['docker_host', 1]])] as const,
];

const checkly = (source: Fields) => convertAnswers(source);
const CHECKLY: Fields = {
  alertChannels: [{ id: 1, type: 'SLACK', config: { name: 's', url: 'https://hooks.example.com' } }],
  checks: [
    { id: 'a', checkType: 'API', name: 'Shop', request: { method: 'GET', url: 'https://shop.example.com' } },
    { id: 'b', checkType: 'BROWSER', name: 'Cart', script: 'a' },
    { id: 'c', checkType: 'MULTI_STEP', name: 'Steps', script: 'a' },
    { id: 'd', checkType: 'TCP', name: 'Port', request: { hostname: 'a', port: 1 } },
    { id: 'e', checkType: 'URL', name: 'Page', request: { url: 'https://shop.example.com' } },
    { id: 'f', checkType: 'DNS', name: 'Zone', request: { query: 'a', recordType: 'A' } },
    { id: 'g', checkType: 'ICMP', name: 'Ping', request: { hostname: 'a' } },
    {
      id: 'h',
      checkType: 'HEARTBEAT',
      name: 'Job',
      heartbeat: { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' },
    },
  ],
  groups: [{ id: 1, name: 'All' }],
  variables: [{ key: 'A', value: 'b' }],
  snippets: [{ id: 1, name: 'Token', script: 'a' }],
  privateLocations: [{ id: 'p', name: 'Office', slugName: 'office' }],
  maintenanceWindows: [
    { id: 1, name: 'Night', startsAt: '2026-01-01T00:00:00Z', endsAt: '2026-01-01T01:00:00Z' },
  ],
  statusPages: [{ id: 's', name: 'Status', url: 'status', cards: [] }],
};
const CHECKLY_FIELDS = [
  ...settings('config.channel:#ops config.unknown:x sendRecovery:false unknown:x', 'alertChannels.0.'),
  ...settings(
    'description:d unknown:x unknown.inside:x request.unknown:x request.assertions.0.unknown:x activated:false frequency:5 retryStrategy.unknown:x alertSettings.unknown:x',
    'checks.0.',
  ),
];

const CHECKLY_CHECK =
  'name:x description:d unknown:x unknown.inside:x activated:false muted:true frequency:5 frequencyOffset:20 tags.0:a locations.0:eu-west-1 privateLocations.0:office groupId:7 groupOrder:3 alertSettings.unknown:x alertSettings.reminders.amount:3 retryStrategy.type:FIXED retryStrategy.unknown:x runParallel:true triggerIncident.unknown:x useGlobalAlertSettings:false shouldFail:true degradedResponseTime:7 maxResponseTime:8 environmentVariables.0.key:A runtimeId:2024.02 sslCheckDomain:a.example.com alertChannelSubscriptions.0.alertChannelId:9';
const CHECKLY_ALL = [
  ...['0', '1', '2', '3', '4', '5', '6', '7'].flatMap((at) => settings(CHECKLY_CHECK, `checks.${at}.`)),
  ...['0', '3', '4', '5', '6'].flatMap((at) =>
    settings('unknown:x ipFamily:IPv6 assertions.0.source:A', `checks.${at}.request.`),
  ),
  ...settings(
    'method:PUT url:https://b.example.com body:a bodyType:RAW followRedirects:false skipSSL:true headers.0.key:A queryParameters.0.key:a basicAuth.username:a',
    'checks.0.request.',
  ),
  ...['setupSnippetId', 'tearDownSnippetId', 'localSetupScript', 'localTearDownScript'].map(
    (name) => [`checks.0.${name}`, 'a'] as const,
  ),
  ...['1', '2'].flatMap((at) =>
    settings('script:b dependencies.0.path:a scriptPath:a playwrightConfig.use:x', `checks.${at}.`),
  ),
  ...settings('hostname:b port:2 data:a', 'checks.3.request.'),
  ...settings('followRedirects:false skipSSL:true url:https://b.example.com', 'checks.4.request.'),
  ...settings('query:b recordType:MX nameServer:a port:53 protocol:TCP', 'checks.5.request.'),
  ...settings('hostname:b pingCount:5', 'checks.6.request.'),
  ...settings('degradedPacketLossThreshold:3 maxPacketLossThreshold:4', 'checks.6.'),
  ...settings(
    'period:2 periodUnit:hours grace:2 graceUnit:minutes pingToken:a unknown:x',
    'checks.7.heartbeat.',
  ),
  ...settings(
    'name:x activated:false muted:true tags.0:a locations.0:a concurrency:5 apiCheckDefaults.url:https://a environmentVariables.0.key:A doubleCheck:true useGlobalAlertSettings:false alertSettings.unknown:x setupSnippetId:9 localSetupScript:a runParallel:true unknown:x',
    'groups.0.',
  ),
  ...settings('value:c locked:true secret:true unknown:x', 'variables.0.'),
  ...settings('script:b unknown:x', 'snippets.0.'),
  ...settings('name:x icon:a proxyUrl:https://p unknown:x', 'privateLocations.0.'),
  ...settings(
    'tags.0:a repeatInterval:2 repeatUnit:DAY repeatEndsAt:2026-02-01T00:00:00Z unknown:x',
    'maintenanceWindows.0.',
  ),
  ...settings(
    'customDomain:a.example.com logo:https://a/b redirectTo:https://a favicon:https://a/f description:a defaultTheme:DARK isPrivate:true cards.0.name:a unknown:x',
    'statusPages.0.',
  ),
];

describe('an import', () => {
  const formats = [
    ['gatus', gatus, GATUS, GATUS_FIELDS],
    ['blackbox', blackbox, BLACKBOX, BLACKBOX_FIELDS],
    ['uptime-kuma', kuma, KUMA, KUMA_FIELDS],
    ['checkly', checkly, CHECKLY, [...CHECKLY_FIELDS, ...CHECKLY_ALL]],
  ] as const;
  for (const [format, convert, base, fields] of formats)
    it.each(fields)(`of ${format} converts or names %s: %s`, (at, value) => {
      expectNoSilence(convert, base, at, parsedValue(value));
    });

  it.each(formats)('of %s names every unknown field at every level', (_, convert, base) => {
    const places = (value: unknown, path: string): readonly string[] => {
      if (typeof value !== 'object' || value === null) return [];
      const below = Object.entries(value).flatMap(([name, item]) =>
        places(item, path === '' ? name : `${path}.${name}`),
      );
      return Array.isArray(value) || path === '' ? below : [path, ...below];
    };
    // Maps of labels have names that the user chooses.
    const open = /labels$|^(?:modules|alerting)$/;
    const names = fc.stringMatching(/^zz[a-z_]{1,8}$/);
    const values = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.integer({ min: 2 }),
      fc.array(fc.constant('a'), { minLength: 1 }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...places(base, '').filter((path) => !open.test(path))),
        names,
        values,
        (path, name, value) => {
          const { losses } = convert(withValue(base, toPath(`${path}.${name}`), value) as Fields);
          expect(
            losses.some((loss) => loss.name === path || JSON.stringify(loss).includes(name)),
            `${path}.${name}`,
          ).toBe(true);
        },
      ),
    );
  });
});

describe('a status page of Uptime Kuma', () => {
  it.each(RESERVED_SLUGS)('with the slug %s of the service gets another one', (slug) => {
    const { entries, losses } = kuma({ status_page: [{ id: 1, slug, title: 'P' }] });
    expect(entries[0]?.fields).toMatchObject({ name: 'P', url: `${slug}-page` });
    expect(losses).toMatchObject([{ outcome: 'changed', name: 'P', field: 'slug' }]);
  });
});

describe('a number in YAML', () => {
  it('keeps its text', async () => {
    const texts = fc.stringMatching(/^-?0{0,2}(?:0|[1-9]\d{0,22})(?:\.\d{1,4})?$/);
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const source = { cwd: '/', readFile: async () => '', readStdin: async () => `name: ${text}` };
        const [document] = await readYamlDocuments(source, '-');
        expect(document?.value).toEqual({ name: String(Number(text)) === text ? Number(text) : text });
      }),
    );
  });
});

describe('a list or map as a key', () => {
  const name = fc.stringMatching(/^[A-Za-z_]{1,12}$/);
  const key = fc.oneof(
    name.map((text) => `{ ${text} }`),
    name.map((text) => `[${text}]`),
    fc.tuple(name, name).map(([field, text]) => `{${field}: [${text}]}`),
  );

  it('is read without a warning of Node, as in a template without quotes', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error): unknown => warnings.push(message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    await fc.assert(
      fc.asyncProperty(key, name, async (text, field) => {
        const source = { cwd: '/', readFile: async () => '', readStdin: async () => `${field}: {${text}: }` };
        const [document] = await readYamlDocuments(source, '-');
        expect(Object.keys(document?.value as Fields)).toEqual([field]);
      }),
    );
    // Node emits warnings in later turns of the loop.
    await setImmediate();
    expect(warnings).toEqual([]);
  });
});

describe('a boolean', () => {
  const words = [
    [true, ['yes', 'Yes', 'YES', 'on', 'ON', 'y', 'Y', 'True', 'TRUE']],
    [false, ['no', 'No', 'NO', 'off', 'OFF', 'n', 'N', 'False', 'FALSE']],
  ] as const;
  const word = fc
    .constantFrom(...words)
    .chain(([flag, texts]) => fc.constantFrom(...texts).map((text) => [flag, text] as const));
  const flags = [
    ...[
      ...['0', '1', '2', '3', '4'].map((at) => `endpoints.${at}.enabled`),
      ...['0', '4'].map((at) => `endpoints.${at}.client.insecure`),
      ...['endpoints.0.client.ignore-redirect', 'endpoints.0.graphql', 'endpoints.0.alerts.0.enabled'],
      ...['endpoints.0.alerts.0.send-on-resolved', 'maintenance.enabled', 'external-endpoints.0.enabled'],
    ].map((at) => ['gatus', at] as const),
    ...[
      ...['fail_if_ssl', 'fail_if_not_ssl', 'follow_redirects', 'ip_protocol_fallback'].map(
        (name) => `modules.http.http.${name}`,
      ),
      'modules.http.http.tls_config.insecure_skip_verify',
      'modules.tcp.tcp.tls',
      'modules.tcp.tcp.query_response.1.starttls',
      'modules.tls.tcp.tls_config.insecure_skip_verify',
      'modules.dns.dns.recursion_desired',
      'modules.dns.dns.dns_over_tls',
    ].map((at) => ['blackbox', at] as const),
  ] as const;
  const convertFlag = (format: 'gatus' | 'blackbox', at: string, value: unknown): ImportResult =>
    format === 'gatus'
      ? gatus(withValue(GATUS, toPath(at), value) as Fields)
      : blackbox(withValue(BLACKBOX, toPath(at), value) as Fields);

  it('can be any word that Go reads as one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...flags), word, ([format, at], [flag, text]) => {
        expect(convertFlag(format, at, text), `${at}: ${text}`).toEqual(convertFlag(format, at, flag));
      }),
    );
  });

  it.each(flags)('of %s at %s is named if it is a variable', (format, at) => {
    const { losses } = convertFlag(format, at, 'a variable');
    expect(JSON.stringify(losses)).toContain(at.split('.').at(-1));
  });
});

describe('a probe of blackbox_exporter', () => {
  it('is not paused by an IP version that its target has anyway', () => {
    for (const preferred_ip_protocol of ['ip4', 'ip6']) {
      const dns = { query_name: 'a', query_type: 'A', preferred_ip_protocol, ip_protocol_fallback: true };
      const { entries, losses } = blackbox({
        modules: { dns: { prober: 'dns', dns } },
        job: {
          job_name: 'probes',
          metrics_path: '/probe',
          params: { module: ['dns'] },
          scrape_timeout: '3s',
          static_configs: [{ targets: ['192.0.2.53'] }],
          relabel_configs: relabeling.slice(0, 1),
        },
        global: {},
      });
      expect(losses).toEqual([]);
      expect(entries.at(-1)?.fields).not.toHaveProperty('activated');
    }
  });
});

describe('the target files of a job', () => {
  it('belong to the pattern whose folder agrees', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 2, maxLength: 5 }),
        (folders) => {
          const files = folders.map((folder) => `/home/ada/config/targets/${folder}/t.yml`);
          const patterns = folders.map((folder) => ({
            pattern: `/etc/prometheus/targets/${folder}/*.yml`,
            from: '/home/ada/config/p.yml',
          }));
          const found = findFiles(files, patterns);
          expect(patterns.map((pattern) => found.of(pattern))).toEqual(files.map((file) => [file]));
        },
      ),
    );
  });

  it("are nobody's if the folders of two patterns fit", () => {
    const patterns = ['http', 'icmp'].map((folder) => ({ pattern: `/etc/${folder}/t.yml`, from: '/p.yml' }));
    const found = findFiles(['/config/t.yml'], patterns);
    for (const pattern of patterns) {
      expect(found.of(pattern)).toEqual([]);
      expect(found.rivalsOf(pattern)).toEqual(['/config/t.yml']);
    }
  });
});
