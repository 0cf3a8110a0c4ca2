/** What the specification only lets one delete, as docs/gaps.md describes it; its requests and answers. Alert channels have a file of their own. */

import { SEVERITIES } from '../enumerations.ts';
import { NAME_LIMIT, TAGS_LIMIT, TEXT_LIMIT, VALUE_LIMIT } from '../limits.ts';
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
  string,
  uuid,
} from '../schema.ts';
import { alertSettings, timestamps } from './shared.ts';
import { statusPageService } from './status-page.ts';

// Snippets
const snippetFields = {
  name: string('Name of the snippet', { minLength: 1, ...NAME_LIMIT }),
  script: string('Node.js code of the snippet'),
};
export const snippetBody = closed(snippetFields, { title: 'SnippetRequest' });
export const snippetChange = closed(allOptional(snippetFields), { title: 'SnippetChange' });
export const snippet = open(
  { id: number('Id of the snippet'), ...snippetFields, ...timestamps },
  { title: 'Snippet' },
);

// Variables
const variableKey = string('Key of the variable', {
  minLength: 1,
  pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
  ...NAME_LIMIT,
});
const variableFields = {
  value: string('Value of the variable', { writeOnly: true, ...VALUE_LIMIT }),
  ...allOptional({
    locked: boolean('Whether the value is hidden in lists', { default: false }),
    secret: boolean('Whether the value is never shown again', { default: false }),
  }),
};
export const variableBody = closed({ key: variableKey, ...variableFields }, { title: 'VariableRequest' });
export const variableChange = closed(
  { key: optional(variableKey), ...variableFields },
  { title: 'VariableChange' },
);
export const variable = open(
  {
    key: string('Key of the variable'),
    value: optional(string('Value of the variable; left out where it is secret')),
    locked: boolean('Whether the value is hidden in lists'),
    secret: boolean('Whether the value is never shown again'),
    ...timestamps,
  },
  { title: 'Variable' },
);

// Private locations
const privateLocationFields = {
  name: string('Name of the private location', { minLength: 1, ...NAME_LIMIT }),
  slugName: string("Slug that checks name it by; no public location's name", {
    minLength: 1,
    maxLength: 30,
    pattern: '^[A-Za-z0-9-]+$',
  }),
};
const privateLocationExtras = {
  icon: string('Name of its icon', NAME_LIMIT),
  proxyUrl: nullable(string('Proxy that its agents use')),
};
export const privateLocationBody = closed(
  { ...privateLocationFields, ...allOptional(privateLocationExtras) },
  { title: 'PrivateLocationRequest' },
);
export const privateLocationChange = closed(
  allOptional({ name: privateLocationFields.name, ...privateLocationExtras }),
  { title: 'PrivateLocationChange' },
);
export const privateLocationKey = open(
  {
    id: uuid('Id of the key'),
    rawKey: optional(string('The key, shown once when it is made', { writeOnly: true })),
    maskedKey: string('Its first characters'),
    created_at: date('When it was created'),
  },
  { title: 'PrivateLocationKey' },
);
export const privateLocation = open(
  {
    id: uuid('Id of the private location'),
    ...privateLocationFields,
    ...allOptional(privateLocationExtras),
    keys: array(privateLocationKey, 'Keys that agents use'),
    lastSeen: nullable(dateTime('When an agent last spoke')),
    agentCount: number('How many agents are running'),
    ...timestamps,
  },
  { title: 'PrivateLocation' },
);

// Dashboards
const dashboardFields = allOptional({
  header: nullable(string('Title shown on top', NAME_LIMIT)),
  customUrl: string('Slug under which the dashboard is served', { minLength: 1, maxLength: 255 }),
  customDomain: nullable(string("A domain of the user's own")),
  description: nullable(string('Text below the title', TEXT_LIMIT)),
  logo: nullable(string('Address of the logo')),
  favicon: nullable(string('Address of the favicon')),
  link: nullable(string('Where a click on the logo leads')),
  tags: array(string('A tag', NAME_LIMIT), 'Tags of the checks that are shown', TAGS_LIMIT),
  hideTags: boolean('Whether tags are hidden', { default: false }),
  useTagsAndOperator: boolean('Whether a check must have all tags', { default: false }),
  width: oneOf(['FULL', '960PX'], 'Width of the page', { default: 'FULL' }),
  refreshRate: oneOfNumbers([60, 300, 600], 'Seconds between refreshes', {
    default: 60,
    'x-unit': 'seconds',
  }),
  paginate: boolean('Whether pages turn by themselves', { default: true }),
  paginationRate: oneOfNumbers([30, 60, 300], 'Seconds a page is shown', {
    default: 60,
    'x-unit': 'seconds',
  }),
  checksPerPage: integer('How many checks a page shows', { minimum: 1, maximum: 20, default: 15 }),
});
export const dashboardBody = closed(dashboardFields, { title: 'DashboardRequest' });
export const dashboard = open(
  { dashboardId: string('Id of the dashboard'), ...dashboardFields, ...timestamps },
  { title: 'Dashboard' },
);

// Status page services and incidents
export const serviceBody = closed(
  { name: string('Name of the service', { minLength: 1, ...NAME_LIMIT }) },
  { title: 'StatusPageServiceRequest' },
);
export { statusPageService as service };

const INCIDENT_STATUSES = ['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'] as const;
const incidentUpdateFields = {
  description: string('What is known', { minLength: 1, ...TEXT_LIMIT }),
  status: oneOf(INCIDENT_STATUSES, 'Where the incident stands'),
  notifySubscribers: optional(boolean('Whether subscribers of the pages are told', { default: false })),
};
const incidentFields = {
  name: string('Name of the incident', { minLength: 1, ...NAME_LIMIT }),
  severity: oneOf(SEVERITIES, 'How bad it is'),
  services: array(closed({ id: string('Id of the service') }), 'Services it concerns'),
};
export const incidentBody = closed(
  {
    ...incidentFields,
    incidentUpdates: array(closed(incidentUpdateFields), 'What is said of it, the first update', {
      minItems: 1,
    }),
  },
  { title: 'IncidentRequest' },
);
export const incidentChange = closed(
  {
    ...allOptional(incidentFields),
    incidentUpdates: optional(array(closed(incidentUpdateFields), 'Updates that are added')),
  },
  { title: 'IncidentChange' },
);
export const incident = open(
  {
    id: uuid('Id of the incident'),
    name: incidentFields.name,
    severity: openOneOf(SEVERITIES, 'How bad it is'),
    services: array(statusPageService, 'Services it concerns'),
    lastUpdateStatus: openOneOf(INCIDENT_STATUSES, 'Where it stands'),
    incidentUpdates: array(
      open({
        id: uuid('Id of the update'),
        description: string('What was known'),
        status: openOneOf(INCIDENT_STATUSES, 'Where it stood'),
        notifySubscribers: boolean('Whether subscribers were told'),
        created_at: date('When it was said'),
      }),
      'What was said of it, the newest first',
    ),
    ...timestamps,
  },
  { title: 'Incident' },
);

// Triggers
const triggerFields = {
  id: number('Id of the trigger'),
  token: string('The secret part of its URL'),
  called_at: nullable(dateTime('When it was last called')),
  ...timestamps,
};
export const checkTrigger = open(
  { ...triggerFields, checkId: string('Check it runs') },
  { title: 'CheckTrigger' },
);
export const groupTrigger = open(
  { ...triggerFields, groupId: number('Group it runs') },
  { title: 'GroupTrigger' },
);

// Account
export { alertSettings as accountAlertSettings };
export const secretDetection = closed(
  { enabled: boolean('Whether tokens and private keys are masked that no variable declares a secret') },
  { title: 'SecretDetection' },
);
