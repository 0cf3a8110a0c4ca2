/** Defines every enumeration of the specification and of docs/gaps.md. */

export const LOCATIONS = [
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
  'ca-central-1',
  'sa-east-1',
  'eu-west-1',
  'eu-central-1',
  'eu-west-2',
  'eu-west-3',
  'eu-north-1',
  'eu-south-1',
  'me-south-1',
  'ap-southeast-1',
  'ap-northeast-1',
  'ap-east-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'af-south-1',
] as const;
export type Location = (typeof LOCATIONS)[number];

export const RUNTIME_IDS = [
  '2026.04',
  '2025.04',
  '2024.09',
  '2024.02',
  '2023.09',
  '2023.02',
  '2022.10',
] as const;

/** Minutes between two runs. 0: every `frequencyOffset` seconds. */
export const UPTIME_FREQUENCIES = [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const;
export const SCRIPTED_FREQUENCIES = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const;

export const RUN_SOURCES = [
  'CLI_DEPLOY',
  'DEPLOYMENT',
  'DEPLOYMENT_CACHE_WARMER',
  'EDITOR',
  'GROUP_RUN_ALL',
  'LEGACY_TRIGGER',
  'SCHEDULER',
  'SCHEDULE_NOW',
  'TEST_NO_RECORD',
  'TEST_RECORD',
  'TRIGGER_NO_RECORD',
  'TRIGGER_RECORD',
  'TRIGGER_API',
] as const;
export type RunSource = (typeof RUN_SOURCES)[number];

export const REPEAT_UNITS = ['DAY', 'WEEK', 'MONTH'] as const;
export const THEMES = ['LIGHT', 'DARK', 'AUTO'] as const;
export const RESULT_TYPE_FILTERS = ['FINAL', 'ATTEMPT', 'ALL'] as const;
export const RESULT_TYPES = ['FINAL', 'ATTEMPT'] as const;

/** All statuses of a check session. */
export const CHECK_SESSION_STATUSES = [
  'STARTED',
  'PROGRESS',
  'FAILED',
  'PASSED',
  'DEGRADED',
  'PROGRESS_FAILED',
  'PROGRESS_DEGRADED',
  'TIMED_OUT',
  'CANCELLED',
] as const;
export type CheckSessionStatus = (typeof CHECK_SESSION_STATUSES)[number];
/** The final statuses, which the completion endpoint returns. */
export const TERMINAL_CHECK_SESSION_STATUSES = [
  'PASSED',
  'FAILED',
  'DEGRADED',
  'TIMED_OUT',
  'CANCELLED',
] as const;
export const TEST_SESSION_STATUSES = ['RUNNING', 'FAILED', 'PASSED', 'CANCELLED'] as const;
/** Published sources of test sessions. */
export const TEST_SESSION_PROVIDERS = ['GITHUB', 'VERCEL', 'API', 'TRIGGER', 'PW_REPORTER'] as const;
export type TestSessionStatus = (typeof TEST_SESSION_STATUSES)[number];

export const ESCALATION_TYPES = ['RUN_BASED', 'TIME_BASED'] as const;
export const RETRY_TYPES = ['FIXED', 'LINEAR', 'EXPONENTIAL', 'SINGLE_RETRY'] as const;
export const SEVERITIES = ['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR'] as const;
/** Impacts of automation rules, the worst first. */
export const TARGET_IMPACTS = [
  'MAJOR_OUTAGE',
  'PARTIAL_OUTAGE',
  'DEGRADED_PERFORMANCE',
  'UNDER_MAINTENANCE',
] as const;
export const DNS_RECORD_TYPES = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'NS',
  'TXT',
  'SOA',
  'CAA',
  'DNSKEY',
  'DS',
  'HTTPS',
  'NAPTR',
  'PTR',
  'SRV',
  'SVCB',
  'TLSA',
] as const;
export const DNS_PROTOCOLS = ['UDP', 'TCP'] as const;
export const URL_METHODS = ['GET', 'HEAD'] as const;
export const API_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'DELETE', 'OPTIONS'] as const;
export const API_BODY_TYPES = ['NONE', 'JSON', 'FORM', 'RAW', 'GRAPHQL'] as const;
/** Units of the period and grace of a heartbeat. */
export const TIME_UNITS = ['seconds', 'minutes', 'hours', 'days'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];
export const SUITE_ENGINES = ['node', 'bun'] as const;
export const COMPARISONS = [
  'EQUALS',
  'NOT_EQUALS',
  'HAS_KEY',
  'NOT_HAS_KEY',
  'HAS_VALUE',
  'NOT_HAS_VALUE',
  'IS_EMPTY',
  'NOT_EMPTY',
  'GREATER_THAN',
  'LESS_THAN',
  'CONTAINS',
  'NOT_CONTAINS',
  'IS_NULL',
  'NOT_NULL',
] as const;
export const ALERT_KINDS = [
  'ALERT_FAILURE',
  'ALERT_FAILURE_REMAIN',
  'ALERT_FAILURE_DEGRADED',
  'ALERT_RECOVERY',
  'ALERT_DEGRADED',
  'ALERT_DEGRADED_REMAIN',
  'ALERT_DEGRADED_FAILURE',
  'ALERT_DEGRADED_RECOVERY',
  'ALERT_SSL',
  'ALERT_LOCATION',
  'ALERT_LOCATION_RECOVERY',
] as const;
export const NOTIFICATION_STATES = ['QUEUED', 'SENDING', 'SENT', 'FAILED'] as const;
export const ALERT_CHANNEL_TYPES = [
  'EMAIL',
  'SLACK',
  'SLACK_APP',
  'WEBHOOK',
  'SMS',
  'PAGERDUTY',
  'OPSGENIE',
  'MSTEAMS',
  'DISCORD',
  'TELEGRAM',
  'NTFY',
] as const;
