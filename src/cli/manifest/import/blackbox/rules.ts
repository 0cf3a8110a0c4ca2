/** Says what the settings of Prometheus and blackbox_exporter mean that have no counterpart in sonde. */
import type { FieldRule, FieldRules } from '../convert-item.ts';

const ALERTS = 'sonde does not import alerting rules; subscribe the checks to alert channels';
const METRICS = 'it concerns the metrics of Prometheus, not the probe';
const EXPORTER = 'it concerns the request to blackbox_exporter, not the probe';

export const PROMETHEUS_FALLBACK: FieldRule = ['skipped', 'it concerns Prometheus, not the probes'];
export const PROMETHEUS_RULES: FieldRules = {
  rule_files: ['skipped', ALERTS],
  alerting: ['skipped', ALERTS],
};

export const JOB_FALLBACK: FieldRule = ['changed', METRICS];
export const JOB_RULES: FieldRules = {
  'file_sd_configs.refresh_interval': ['changed', 'sonde read the file once; import again after a change'],
  basic_auth: ['changed', EXPORTER],
  authorization: ['changed', EXPORTER],
  oauth2: ['changed', EXPORTER],
  bearer_token: ['changed', EXPORTER],
  bearer_token_file: ['changed', EXPORTER],
  tls_config: ['changed', EXPORTER],
  scheme: ['changed', EXPORTER],
  proxy_url: ['changed', EXPORTER],
  no_proxy: ['changed', EXPORTER],
  follow_redirects: ['changed', EXPORTER],
  http_headers: ['changed', EXPORTER],
};

/** blackbox_exporter refuses fields that it does not know, so that another field may decide about the result. */
export const MODULE_FALLBACK: FieldRule = ['paused', 'it has no counterpart; write an assertion'];
const UNUSED: FieldRule = ['changed', 'the prober of the module does not use it'];
export const SECTION_RULES: FieldRules = {
  http: UNUSED,
  tcp: UNUSED,
  dns: UNUSED,
  icmp: UNUSED,
  grpc: UNUSED,
  unix: UNUSED,
  websocket: UNUSED,
};
export const MODULE_RULES: FieldRules = {
  'tcp.query_response.labels': ['changed', 'it concerns the metrics of Prometheus, not the probe'],
  'tcp.query_response.send': ['changed', 'the module expects nothing after it'],
  'http.skip_resolve_phase_with_proxy': ['changed', 'the check connects without a proxy'],
  'http.no_proxy': ['changed', 'the check connects without a proxy'],
  'http.proxy_from_environment': ['changed', 'the check connects without a proxy'],
  'http.proxy_connect_header': ['changed', 'the check connects without a proxy'],
};
