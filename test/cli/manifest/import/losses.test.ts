/** Every field of a source is either converted or named as a loss: known fields, unknown ones and generated ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertBlackbox } from '../../../../src/cli/manifest/import/blackbox/convert.ts';
import type { BlackboxSource } from '../../../../src/cli/manifest/import/blackbox/read-source.ts';
import { findFiles } from '../../../../src/cli/manifest/import/blackbox/target-files.ts';
import { convertAnswers } from '../../../../src/cli/manifest/import/checkly/convert-answers.ts';
import type { ImportResult } from '../../../../src/cli/manifest/import/conversion.ts';
import { convertGatus } from '../../../../src/cli/manifest/import/gatus/convert.ts';
import { trackSource } from '../../../../src/cli/manifest/import/tracked-source.ts';
import { convertKuma } from '../../../../src/cli/manifest/import/uptime-kuma/convert.ts';
import { type KumaTables, TABLES } from '../../../../src/cli/manifest/import/uptime-kuma/tables.ts';

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
const parsedValue = (text: string): unknown => (text === 'true' ? true : text === 'false' ? false : text);

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

const NO_ROWS = Object.fromEntries(TABLES.map((table) => [table, []])) as unknown as KumaTables;
const kuma = (source: Fields) => convertKuma({ ...NO_ROWS, ...source }, 0);
const KUMA: Fields = {
  monitor: [
    { id: 1, type: 'http', name: 'Web', url: 'https://shop.example.com', interval: 60, timeout: 48 },
    { id: 2, type: 'ping', name: 'Ping', hostname: 'a', interval: 60 },
    { id: 3, type: 'dns', name: 'DNS', hostname: 'a', interval: 60, dns_resolve_server: '192.0.2.1' },
    { id: 4, type: 'port', name: 'Port', hostname: 'a', port: 1, interval: 60 },
    { id: 5, type: 'push', name: 'Push', interval: 60 },
  ],
  notification: [{ id: 1, name: 'N', config: { type: 'slack', slackwebhookURL: 'https://h.example.com' } }],
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
    'ignore_tls:1 maxredirects:0 accepted_statuscodes_json:["300-399"] method:PUT body:{} headers:{"a":"b"} proxy_id:3 auth_method:mtls tls_ca:x auth_method:oauth2-cc http_body_encoding:xml cache_bust:1 ip_family:ipv6 expiry_notification:1 domain_expiry_notification:1 timeout:7 save_response:1 resend_interval:5'
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
  ...settings('slackchannel:#ops slackiconemo:x unknown:x', 'notification.0.config.'),
  ...settings(
    'description:x icon:/x.svg theme:dark published:0 custom_css:x footer_text:y google_analytics_tag_id:g show_certificate_expiry:1 rss_title:r unknown:x',
    'status_page.0.',
  ),
  ...settings('description:x interval_day:3 timezone:Europe/Berlin unknown:x active:0', 'maintenance.0.'),
];

const checkly = (source: Fields) => convertAnswers(source);
const CHECKLY: Fields = {
  alertChannels: [{ id: 1, type: 'SLACK', config: { name: 's', url: 'https://hooks.example.com' } }],
  checks: [
    { id: 'a', checkType: 'API', name: 'Shop', request: { method: 'GET', url: 'https://shop.example.com' } },
  ],
};
const CHECKLY_FIELDS = [
  ...settings('config.channel:#ops config.unknown:x sendRecovery:false unknown:x', 'alertChannels.0.'),
  ...settings(
    'description:d unknown:x unknown.inside:x request.unknown:x request.assertions.0.unknown:x activated:false frequency:5 retryStrategy.unknown:x alertSettings.unknown:x',
    'checks.0.',
  ),
];

describe('an import', () => {
  const formats = [
    ['gatus', gatus, GATUS, GATUS_FIELDS],
    ['blackbox', blackbox, BLACKBOX, BLACKBOX_FIELDS],
    ['uptime-kuma', kuma, KUMA, KUMA_FIELDS],
    ['checkly', checkly, CHECKLY, CHECKLY_FIELDS],
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
