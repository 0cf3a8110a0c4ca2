/**
 * What the published API of deployments requires in bodies: each required field with its type, where `?` allows null. A field in an
 * object is required where the object is sent; `[]` stands for each item of a list. Facts, noted by hand from the published
 * description, which is not part of this repository because of its licence.
 */
const CHECK = [
  ['alertChannelSubscriptions[].alertChannelId', 'number'],
  ['alertChannelSubscriptions[].activated', 'boolean'],
  ['retryStrategy.type', 'string'],
  ['triggerIncident.serviceId', 'string'],
  ['triggerIncident.severity', 'string'],
  ['triggerIncident.name', 'string'],
  ['triggerIncident.description', 'string'],
  ['triggerIncident.notifySubscribers', 'boolean'],
  ['environmentVariables[].key', 'string'],
  ['environmentVariables[].value', 'string?'],
] as const;
const NAME = [['name', 'string']] as const;
const REQUEST = [...NAME, ['request', 'object']] as const;
const API_REQUEST = [
  ['request.method', 'string'],
  ['request.url', 'string'],
  ['request.headers[].key', 'string'],
  ['request.headers[].value', 'string'],
  ['request.basicAuth.username', 'string'],
  ['request.basicAuth.password', 'string'],
] as const;
const DNS_REQUEST = [
  ['request.query', 'string'],
  ['request.recordType', 'string'],
] as const;
const HEARTBEAT = [
  ['heartbeat.period', 'number'],
  ['heartbeat.periodUnit', 'string'],
  ['heartbeat.grace', 'number'],
  ['heartbeat.graceUnit', 'string'],
] as const;
const SCRIPT = [...NAME, ['script', 'string?']] as const;
const SSL = [
  ['request.sslConfig', 'object'],
  ['request.sslConfig.hostname', 'string'],
] as const;
const CHANNEL = [
  ['type', 'string'],
  ['config', 'object'],
  ['subscriptions[].activated', 'boolean'],
] as const;
const GROUP = [
  ['apiCheckDefaults.headers[].key', 'string'],
  ['apiCheckDefaults.headers[].value', 'string'],
  ['apiCheckDefaults.basicAuth.username', 'string'],
  ['apiCheckDefaults.basicAuth.password', 'string'],
  ['environmentVariables[].value', 'string'],
  ['alertChannelSubscriptions[].alertChannelId', 'number'],
  ['alertChannelSubscriptions[].activated', 'boolean'],
] as const;
const SNIPPET = [...NAME, ['script', 'string']] as const;
const PAGE = [...NAME, ['url', 'string'], ['cards', 'array'], ['cards[].name', 'string']] as const;
const INCIDENT = [
  ...NAME,
  ['severity', 'string'],
  ['services', 'array'],
  ['services[].name', 'string'],
  ['services[].id', 'string'],
  ['services[].accountId', 'string'],
] as const;

export interface PublishedRequest {
  readonly required: readonly (readonly [path: string, type: string])[];
  /** The only fields of the body, where it has no others. */
  readonly closed?: readonly string[];
}

/** By method and path; `{}` stands for a parameter. A PUT of a check replaces it whole. */
export const PUBLISHED_REQUESTS: Readonly<Record<string, PublishedRequest>> = {
  'POST /v1/alert-channels': { required: CHANNEL },
  'PUT /v1/alert-channels/{}': { required: CHANNEL },
  'POST /v1/check-groups': { required: [...NAME, ...GROUP] },
  'PUT /v1/check-groups/{}': { required: GROUP },
  'PUT /v2/check-groups/{}': { required: [...NAME, ...GROUP] },
  'POST /v1/check-sessions/{}/cancel': { required: [], closed: ['sequenceId'] },
  'POST /v1/test-sessions/{}/cancel': { required: [], closed: ['sequenceId'] },
  'POST /v2/check-sessions/trigger': { required: [] },
  'POST /v1/test-sessions/trigger': { required: [...NAME, ['runLocation', 'string']] },
  'POST /v1/checks/api': { required: [...REQUEST, ...API_REQUEST, ...CHECK] },
  'PUT /v1/checks/api/{}': { required: [...REQUEST, ...API_REQUEST, ...CHECK] },
  'POST /v1/checks/browser': { required: [...SCRIPT, ...CHECK] },
  'PUT /v1/checks/browser/{}': { required: [...SCRIPT, ...CHECK] },
  'POST /v1/checks/dns': { required: [...REQUEST, ...DNS_REQUEST, ...CHECK] },
  'PUT /v1/checks/dns/{}': { required: [...REQUEST, ...DNS_REQUEST, ...CHECK] },
  'POST /v1/checks/heartbeat': { required: [...NAME, ...HEARTBEAT, ...CHECK] },
  'PUT /v1/checks/heartbeat/{}': { required: [...NAME, ...HEARTBEAT, ...CHECK] },
  'POST /v1/checks/icmp': { required: [...REQUEST, ['request.hostname', 'string'], ...CHECK] },
  'PUT /v1/checks/icmp/{}': { required: [...REQUEST, ['request.hostname', 'string'], ...CHECK] },
  'POST /v1/checks/multistep': { required: [...SCRIPT, ...CHECK] },
  'PUT /v1/checks/multistep/{}': { required: [...SCRIPT, ...CHECK] },
  'POST /v1/checks/ssl': { required: [...REQUEST, ...SSL, ...CHECK] },
  'PUT /v1/checks/ssl/{}': { required: [...REQUEST, ...SSL, ...CHECK] },
  'POST /v1/checks/tcp': { required: [...REQUEST, ['request.port', 'number'], ...CHECK] },
  'PUT /v1/checks/tcp/{}': { required: [...REQUEST, ['request.port', 'number'], ...CHECK] },
  'POST /v1/checks/url': { required: [...REQUEST, ['request.url', 'string'], ...CHECK] },
  'PUT /v1/checks/url/{}': { required: [...REQUEST, ['request.url', 'string'], ...CHECK] },
  'POST /v1/dashboards': { required: [['header', 'string']] },
  'PUT /v1/dashboards/{}': { required: [] },
  'PATCH /v1/error-groups/{}': { required: [] },
  'POST /v1/maintenance-windows': {
    required: [...NAME, ['startsAt', 'string'], ['endsAt', 'string'], ['repeatUnit', 'string?']],
  },
  'PUT /v1/maintenance-windows/{}': { required: [] },
  'POST /v1/private-locations': { required: [...NAME, ['slugName', 'string']] },
  'PUT /v1/private-locations/{}': { required: NAME },
  'POST /v1/snippets': { required: SNIPPET },
  'PUT /v1/snippets/{}': { required: SNIPPET },
  'POST /v1/status-pages': { required: PAGE },
  'PUT /v1/status-pages/{}': { required: PAGE },
  'POST /v1/status-pages/incidents': {
    required: [...INCIDENT, ['incidentUpdates', 'array'], ['incidentUpdates[].description', 'string']],
  },
  'PUT /v1/status-pages/incidents/{}': { required: INCIDENT },
  'POST /v1/status-pages/incidents/{}/incident-updates': { required: [['description', 'string']] },
  'POST /v1/status-pages/services': { required: NAME },
  'PUT /v1/status-pages/services/{}': { required: NAME },
  'POST /v1/variables': {
    required: [
      ['key', 'string'],
      ['value', 'string'],
    ],
  },
  'PUT /v1/variables/{}': { required: [['value', 'string']], closed: ['key', 'value', 'locked', 'secret'] },
  'POST /v1/triggers/checks/{}': { required: [] },
  'POST /v1/triggers/check-groups/{}': { required: [] },
};
