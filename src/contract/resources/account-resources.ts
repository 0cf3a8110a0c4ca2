/** Schemas of resources that only docs/gaps.md describes: snippets, variables, private locations, dashboards, services and others. */

import { SEVERITIES } from '../enumerations.ts';
import {
  LOCATION_SLUG_LIMIT,
  NAME_LIMIT,
  RESOURCE_NAME_LIMIT,
  SLUG_LIMIT,
  TAGS_LIMIT,
  TEXT_LIMIT,
  VALUE_LIMIT,
  VARIABLE_KEY_LIMIT,
} from '../limits.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  date,
  dateTime,
  integer,
  nullable,
  number,
  oneOf,
  oneOfNumbers,
  open,
  openOneOf,
  optional,
  secret,
  set,
  string,
  uuid,
} from '../schema.ts';
import {
  changedIncidentUpdate,
  INCIDENT_STATUSES,
  incidentUpdate,
  nestedIncidentUpdate,
} from './incident-update.ts';
import { alertSettings, timestamps } from './shared.ts';
import { customDomainAnswer, serviceFields, statusPageService } from './status-page.ts';

// Snippets
const snippetFields = {
  name: string('Name of the snippet', RESOURCE_NAME_LIMIT),
  script: string('Node.js code of the snippet'),
};
export const snippetBody = closed(snippetFields, { title: 'SnippetRequest' });
export const snippetChange = closed(allOptional(snippetFields), { title: 'SnippetChange' });
export const snippet = open(
  { id: number('ID of the snippet'), ...snippetFields, ...timestamps },
  { title: 'Snippet' },
);

// Variables
const variableKey = string('Key of the variable', VARIABLE_KEY_LIMIT);
const variableFields = {
  value: secret('omitted', 'Value of the variable', VALUE_LIMIT),
  ...allOptional({
    locked: boolean('Whether lists hide the value', { default: false }),
    secret: boolean('Whether the value is write-only', { default: false }),
  }),
};
export const variableBody = closed({ key: variableKey, ...variableFields }, { title: 'VariableRequest' });
/** The value is optional, because responses omit that of a secret variable. */
export const variableChange = closed(allOptional({ key: variableKey, ...variableFields }), {
  title: 'VariableChange',
});
export const variable = open(
  {
    key: string('Key of the variable'),
    value: optional(secret('omitted', 'Value of the variable; omitted if secret')),
    locked: boolean('Whether lists hide the value'),
    secret: boolean('Whether the value is write-only'),
    ...timestamps,
  },
  { title: 'Variable' },
);

// Private locations
const privateLocationFields = {
  name: string('Name of the private location', RESOURCE_NAME_LIMIT),
  slugName: string(
    'Slug of the private location, used in checks; must differ from all public locations',
    LOCATION_SLUG_LIMIT,
  ),
};
const privateLocationExtras = {
  icon: string('Icon name', NAME_LIMIT),
  proxyUrl: nullable(string('Proxy URL for agents')),
  muted: boolean('Whether nobody is alerted if the location has no agent', { default: false }),
};
export const privateLocationBody = closed(
  { ...privateLocationFields, ...allOptional(privateLocationExtras) },
  { title: 'PrivateLocationRequest' },
);
export const privateLocationChange = closed(
  allOptional({ name: privateLocationFields.name, ...privateLocationExtras }),
  { title: 'PrivateLocationChange' },
);
/** The key of agents or of readers, with a title. */
const secretKey = (title: string) =>
  open(
    {
      id: uuid('ID of the key'),
      rawKey: optional(secret('once', 'The key, returned only on creation')),
      maskedKey: string('First characters of the key'),
      created_at: date('Creation time'),
    },
    { title },
  );
export const privateLocationKey = secretKey('PrivateLocationKey');
export const privateLocationMetrics = open(
  {
    timestamps: array(dateTime('Time of a sample'), 'Times of the samples, oldest first'),
    queueSize: array(number('Number of check runs'), 'Number of check runs that waited for an agent'),
    oldestScheduledCheckRun: array(
      number('Age in seconds', { 'x-unit': 'seconds' }),
      'How long the check run that was due first had waited, in seconds',
    ),
  },
  { title: 'PrivateLocationMetrics' },
);
export const privateLocation = open(
  {
    id: uuid('ID of the private location'),
    ...privateLocationFields,
    ...allOptional(privateLocationExtras),
    keys: array(privateLocationKey, 'Keys for agents'),
    lastSeen: nullable(dateTime('Time of the last agent contact')),
    agentCount: number('Number of running agents'),
    minAgentVersion: optional(
      nullable(string('Lowest version of the running agents; null: no agent reports its version')),
    ),
    runningAgents: optional(
      array(
        open({
          version: string('Version of the agents; unknown: they have not reported it'),
          isOutdated: boolean('Whether the service has another version'),
          count: number('Number of agents'),
          agents: array(
            open({ id: string('ID of the agent'), lastSeenAt: dateTime('Time of its last contact') }),
            'The agents',
          ),
        }),
        'Running agents by version, if requested',
      ),
    ),
    ...timestamps,
  },
  { title: 'PrivateLocation' },
);

// Dashboards
const dashboardFields = allOptional({
  header: nullable(string('Title of the dashboard', RESOURCE_NAME_LIMIT)),
  customUrl: string('Slug of the dashboard: its path on the dashboard server', {
    ...SLUG_LIMIT,
    'x-unset': '',
  }),
  customDomain: nullable(string('Custom domain')),
  description: nullable(string('Text below the title', TEXT_LIMIT)),
  logo: nullable(string('URL of the logo')),
  favicon: nullable(string('URL of the favicon')),
  link: nullable(string('URL that the logo links to')),
  tags: set(string('Tag', NAME_LIMIT), 'Tags of the checks to show', TAGS_LIMIT),
  hideTags: boolean('Whether tags are hidden', { default: false }),
  useTagsAndOperator: boolean('Whether a check must have all of the tags', { default: false }),
  width: oneOf(['FULL', '960PX'], 'Width of the page', { default: 'FULL' }),
  refreshRate: oneOfNumbers([60, 300, 600], 'Seconds between refreshes', {
    default: 60,
    'x-unset': 0,
    'x-unit': 'seconds',
  }),
  paginate: boolean('Whether the dashboard rotates through its pages', { default: true }),
  paginationRate: oneOfNumbers([30, 60, 300], 'Seconds between page rotations', {
    default: 60,
    'x-unset': 0,
    'x-unit': 'seconds',
  }),
  checksPerPage: integer('Number of checks per page', { minimum: 1, maximum: 20, default: 15 }),
  sortByStatus: boolean('Whether failing checks come first', { default: false }),
  expandChecks: boolean('Whether each check has its charts on the page', { default: false }),
  showHeader: boolean('Whether the page has the title and the description', { default: true }),
  showGroupNames: boolean('Whether checks have the name of their group', { default: true }),
  showP95: boolean('Whether the 95th percentile of response times is shown', { default: true }),
  showP99: boolean('Whether the 99th percentile of response times is shown', { default: true }),
  showCheckRunLinks: boolean('Whether checks link to their latest sessions', { default: false }),
  enableIncidents: boolean('Whether open incidents of the checks are shown', { default: false }),
  isPrivate: boolean('Whether readers need a key', { default: false }),
});
export const dashboardKey = secretKey('DashboardKey');
export const dashboardBody = closed(dashboardFields, { title: 'DashboardRequest' });
export const dashboard = open(
  {
    id: optional(number('Number of the dashboard; its path has dashboardId')),
    dashboardId: string('ID of the dashboard'),
    ...dashboardFields,
    ...customDomainAnswer,
    keys: optional(array(dashboardKey, 'Key of a private dashboard')),
    ...timestamps,
  },
  { title: 'Dashboard' },
);

// Status page services and incidents
export const serviceBody = closed(
  { name: string('Name of the service', RESOURCE_NAME_LIMIT), ...serviceFields },
  { title: 'StatusPageServiceRequest' },
);
export { statusPageService as service };

const incidentFields = {
  name: string('Name of the incident', RESOURCE_NAME_LIMIT),
  severity: oneOf(SEVERITIES, 'Severity of the incident'),
  services: array(
    closed({
      id: string('ID of the service'),
      ...allOptional({
        name: string('Name of the service; deployments require it'),
        accountId: string('ID of the account; deployments require it'),
      }),
    }),
    'Affected services',
  ),
};
export const incidentBody = closed(
  {
    ...incidentFields,
    incidentUpdates: array(nestedIncidentUpdate, 'First update of the incident', {
      minItems: 1,
    }),
  },
  { title: 'IncidentRequest' },
);
export const incidentChange = closed(
  {
    ...allOptional(incidentFields),
    incidentUpdates: optional(array(changedIncidentUpdate, 'Updates to add')),
  },
  { title: 'IncidentChange' },
);
export const incident = open(
  {
    id: uuid('ID of the incident'),
    name: incidentFields.name,
    severity: openOneOf(SEVERITIES, 'Severity of the incident'),
    services: array(statusPageService, 'Affected services'),
    lastUpdateStatus: openOneOf(INCIDENT_STATUSES, 'Status of the incident'),
    incidentUpdates: array(incidentUpdate, 'Updates, newest first'),
    duration: optional(
      nullable(
        integer('Milliseconds from the first update to the resolution, or to now', { 'x-unit': 'ms' }),
      ),
    ),
    ...timestamps,
  },
  { title: 'Incident' },
);

// Triggers
const triggerFields = {
  id: number('ID of the trigger'),
  token: secret('shown', 'Secret part of the trigger URL'),
  called_at: nullable(dateTime('Time of the last call')),
  ...timestamps,
};
export const checkTrigger = open(
  { ...triggerFields, checkId: string('ID of the check to run') },
  { title: 'CheckTrigger' },
);
export const groupTrigger = open(
  { ...triggerFields, groupId: number('ID of the group to run') },
  { title: 'GroupTrigger' },
);

// Account
export { alertSettings as accountAlertSettings };
export const secretDetection = closed(
  {
    enabled: boolean(
      'Whether tokens and private keys are masked even if no variable declares them as secret',
    ),
  },
  { title: 'SecretDetection' },
);
export const publicBadges = closed(
  { enabled: boolean('Whether everyone can see the badges of all checks and groups, without a key') },
  { title: 'PublicBadges' },
);
