/** Says which columns Uptime Kuma uses for which types of monitors, and what those mean that have no counterpart. */
import type { FieldRule, FieldRules, Item } from '../convert-item.ts';
import { type Row, textOf } from './tables.ts';

export const HTTP_TYPES = ['http', 'keyword', 'json-query'];
const WEB_TYPES = [...HTTP_TYPES, 'real-browser'];

/** Columns that only some types use; monitors of other types may have values in them. */
const TYPE_COLUMNS: readonly (readonly [types: readonly string[], columns: string])[] = [
  [WEB_TYPES, 'url'],
  [
    HTTP_TYPES,
    'ignore_tls maxredirects accepted_statuscodes_json method body headers basic_auth_user basic_auth_pass proxy_id auth_method auth_domain auth_workstation tls_ca tls_cert tls_key http_body_encoding cache_bust bearer_token oauth_auth_method oauth_client_id oauth_client_secret oauth_token_url oauth_scopes oauth_audience ip_family save_response save_error_response response_max_length',
  ],
  [[...HTTP_TYPES, 'port'], 'expiry_notification domain_expiry_notification'],
  [[...HTTP_TYPES, 'ping'], 'timeout'],
  [['keyword'], 'keyword invert_keyword'],
  [['json-query'], 'json_path json_path_operator expected_value retry_only_on_status_code_failure'],
  [['port', 'ping', 'dns'], 'hostname'],
  [['port', 'dns'], 'port'],
  [['port'], 'smtp_security expected_tls_alert'],
  [['ping'], 'packet_size ping_count ping_numeric ping_per_request_timeout'],
  [['dns'], 'dns_resolve_type dns_resolve_server conditions'],
  [['real-browser'], 'remote_browser screenshot_delay'],
];

/** Columns of types that sonde does not have. */
const FOREIGN =
  /^(?:mqtt|grpc|radius|kafka|snmp|rabbitmq|docker|database|gamedig|ws|oracle|sip|nats|ntp|system_service)_|^(?:game|subtype|location|protocol|wsIgnore\w+)$/;

/** Columns that describe no check. */
const BOOKKEEPING =
  'id user_id weight created_date push_token dns_last_result manual_status path path_name children_i_ds force_inactive maintenance screenshot include_sensitive_data notification_i_d_list tags';

const covered = (columns: string): FieldRules =>
  Object.fromEntries(columns.split(' ').map((column) => [column, 'covered' as const]));

const NO_SETTING: FieldRule = ['changed', 'checks have no such setting'];
const MONITOR_RULES: FieldRules = {
  tls_ca: ['paused', 'the check trusts the authorities of the location'],
  domain_expiry_notification: ['changed', 'sonde does not look up when a domain expires'],
  ping_numeric: ['changed', 'a check shows the address and no name'],
  ping_per_request_timeout: ['changed', 'a check waits 20 s for all replies'],
  timeout: ['changed', 'a check waits 20 s for all replies'],
  remote_browser: ['changed', 'the browser of the location runs the check'],
  screenshot_delay: ['changed', 'add a pause to the script'],
  save_response: ['changed', 'sonde decides which responses it stores'],
  save_error_response: ['changed', 'sonde decides which responses it stores'],
  response_max_length: ['changed', 'sonde decides which responses it stores'],
};

/** The values that columns have if nobody changed them. */
const DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  ping_numeric: ['1', 'true'],
  ping_per_request_timeout: ['2'],
  response_max_length: ['1024', '10240'],
  save_error_response: ['1', 'true'],
  show_powered_by: ['1', 'true'],
  search_engine_index: ['1', 'true'],
  auto_refresh_interval: ['300'],
  theme: ['auto'],
};
const NOTHING = ['0', 'false', '[]', '{}', 'null', 'none', 'undefined'];

/** Whether a column has the value of a new row. */
export const isDefault = (path: string, value: unknown): boolean =>
  (DEFAULTS[path] ?? []).includes(String(value)) || NOTHING.includes(String(value));

/** Returns how to report the columns of a monitor that no converter read. */
export function monitorRules(row: Row): Pick<Item, 'rules' | 'fallback' | 'isDefault'> {
  const type = textOf(row, 'type');
  const others = TYPE_COLUMNS.filter(([types]) => !types.includes(type)).map(([, columns]) => columns);
  const foreign = Object.keys(row).filter((column) => FOREIGN.test(column));
  // The group itself only shows the state of its monitors.
  const own = type === 'group' ? ['interval maxretries retry_interval resend_interval upside_down'] : [];
  const seconds = Number(row.interval) * 0.8;
  return {
    rules: { ...MONITOR_RULES, ...covered([BOOKKEEPING, ...others, ...foreign, ...own].join(' ')) },
    fallback: NO_SETTING,
    isDefault: (path, value) =>
      isDefault(path, value) || (path === 'timeout' && Math.abs(Number(value) - seconds) < 1),
  };
}

/** Settings that another loss covers, that the import uses, or that only the database needs. */
const OWN_SETTINGS =
  'tlsExpiryNotifyDays serverTimezone initServerTimezone jwtSecret migrateAggregateTableState database_version databasePatchedFiles'.split(
    ' ',
  );
export const isOwnSetting = (key: string): boolean => OWN_SETTINGS.includes(key);

export const NOTIFICATION_RULES: FieldRules = covered(
  [
    'id name type active isDefault applyExisting user_id is_default',
    // The losses of the mail server, the gateway and the message name them.
    'smtpHost smtpPort smtpSecure smtpUsername smtpPassword smtpFrom smtpIgnoreTLSError smtpIgnoreSTARTTLS smtpDkimDomain smtpDkimKeySelector smtpDkimPrivateKey smtpDkimHashAlgo smtpDkimheaderFieldNames smtpDkimskipFields',
    'twilioAccountSID twilioApiKey twilioAuthToken twilioFromNumber twilioMessagingServiceSID',
    'webhookContentType webhookCustomBody',
  ].join(' '),
);
export const NOTIFICATION_FALLBACK: FieldRule = ['changed', 'the channel has no such setting'];

export const PAGE_RULES: FieldRules = covered('id created_date modified_date');
export const PAGE_FALLBACK: FieldRule = ['changed', 'pages have no such setting'];

export const MAINTENANCE_RULES: FieldRules = covered(
  'id user_id created_date last_start_date duration start_date end_date start_time end_time weekdays days_of_month interval_day cron timezone',
);
