/** Defines the settings that the service and the agent share. */
import { text, texts } from '../framework/options.ts';
import { type SettingTable, withVariable } from './setting.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export const ISOLATIONS = ['auto', 'uid', 'namespace', 'process'] as const;

export const canaryOption = withVariable(
  texts(
    'URL or host:port that answers while this machine has a network; if none does, failures become monitor errors',
    { placeholder: 'url|host:port' },
  ),
  'SONDE_CANARIES',
);

export const browserOption = withVariable(
  text('Browser for browser checks', { placeholder: 'path' }),
  'SONDE_BROWSER',
  'an installed browser',
);

export const SCRIPT_VARIABLES = {
  SONDE_RUNTIMES: { summary: 'Folder of other runtimes', default: 'runtimes in the data folder' },
  PLAYWRIGHT_BROWSERS_PATH: { summary: 'Browser folder of Playwright, used if there is no other browser' },
} satisfies SettingTable['variables'];

export const MODEL_SETTINGS: SettingTable = {
  subject: 'Model for agentic checks',
  flags: {},
  variables: {
    SONDE_MODEL_URL: {
      summary: 'OpenAI-compatible endpoint for "service start" and "agent start": http://127.0.0.1:11434/v1',
    },
    SONDE_MODEL: { summary: 'Name of the model' },
    SONDE_MODEL_KEY: { summary: 'Bearer token for the endpoint; checks and browsers cannot read it' },
  },
};

export const TRACING_SETTINGS: SettingTable = {
  subject: 'Traces of runs (OpenTelemetry)',
  flags: {},
  variables: {
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      summary:
        'OTLP/HTTP address of the collector for "service start" and "agent start": http://localhost:4318; /v1/traces is appended',
      default: 'none: no traces',
    },
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { summary: 'Whole URL for traces, instead of that address' },
    OTEL_EXPORTER_OTLP_PROTOCOL: { summary: 'Protocol; grpc is refused', default: 'http/json' },
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: { summary: 'Protocol for traces, instead' },
    OTEL_EXPORTER_OTLP_HEADERS: {
      summary: 'Headers for the collector, percent-encoded: name=value,other=value',
    },
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: { summary: 'More headers for traces' },
    OTEL_EXPORTER_OTLP_TIMEOUT: { summary: 'Milliseconds for a request', default: '10000' },
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: { summary: 'Milliseconds for a request of traces, instead' },
    OTEL_SERVICE_NAME: { summary: 'Name of the service in traces', default: 'sonde, sonde-agent' },
    OTEL_RESOURCE_ATTRIBUTES: { summary: 'More attributes of the service: name=value,other=value' },
    OTEL_SDK_DISABLED: { summary: '"true" exports nothing' },
    OTEL_TRACES_EXPORTER: { summary: '"none" exports nothing' },
    OTEL_BSP_MAX_QUEUE_SIZE: { summary: 'Maximum number of spans that wait', default: '2048' },
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: { summary: 'Maximum number of spans in a request', default: '512' },
    OTEL_BSP_SCHEDULE_DELAY: { summary: 'Milliseconds between requests', default: '5000' },
  },
};
