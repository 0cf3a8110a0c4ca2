/** Lists the types of resources that a project can contain, with the handlers that create, update and delete them. */
import { CHECK_TYPE_NAMES, isCheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPE_ENDPOINTS } from '../../../contract/generated/check-type-endpoints.js';
import {
  createAlertChannel,
  createAutomationRule,
  createCheckGroup,
  createCheckGroupV2,
  createDashboard,
  createMaintenanceWindow,
  createPrivateLocation,
  createService,
  createSnippet,
  createStatusPage,
  deleteAlertChannel,
  deleteAutomationRule,
  deleteCheck,
  deleteCheckGroup,
  deleteDashboard,
  deleteMaintenanceWindow,
  deletePrivateLocation,
  deleteService,
  deleteSnippet,
  deleteStatusPage,
  type Endpoint,
  updateAlertChannel,
  updateAutomationRule,
  updateCheckGroup,
  updateCheckGroupV2,
  updateDashboard,
  updateMaintenanceWindow,
  updatePrivateLocation,
  updateService,
  updateSnippet,
  updateStatusPage,
} from '../../../contract/index.ts';
import { fieldsOfComponent } from '../../../contract/page-components.ts';
import type { ResourceStore, SubscriptionTarget } from '../../store/index.ts';
import { invalid, violation } from '../api/problem.ts';
import type { Body, PayloadContext } from './payloads.ts';
import {
  toChannelBody,
  toCheckBody,
  toDashboardBody,
  toGroupBody,
  toPageBody,
  toWindowBody,
} from './payloads.ts';

/** How a resource of a project is written. */
interface Writers {
  readonly create: Endpoint;
  readonly update: Endpoint;
  /** The endpoint whose body schema defines the resource, with its defaults. */
  readonly schema: Endpoint;
}

export interface ResourceType {
  /** The collection of the store that contains the resources. */
  readonly collection: Extract<
    keyof ResourceStore,
    | 'alertChannels'
    | 'automationRules'
    | 'checks'
    | 'dashboards'
    | 'groups'
    | 'maintenanceWindows'
    | 'privateLocations'
    | 'services'
    | 'snippets'
    | 'statusPages'
  >;
  /** The name of the ID in paths. */
  readonly param: 'id' | 'statusPageId' | 'dashboardId';
  readonly hasNumber: boolean;
  /** Returns the writers for a payload. Throws `Problem` 400 if there are none. */
  readonly writers: (payload: Body) => Writers;
  readonly remove: Endpoint;
  /** Returns the body for the API. Throws `Problem` 400. */
  readonly toBody: (payload: Body, context: PayloadContext) => Body;
  /** Whether other resources of the project may refer to it. It is deleted after they have changed. */
  readonly isReferenced: boolean;
  /** Returns the target of the subscriptions of a resource that alerts. */
  readonly target?: (id: string) => SubscriptionTarget;
  /** Fields of its payload that contain references to a type, besides those of all payloads. */
  readonly references?: Readonly<Record<string, string>>;
  /** A field that cannot change. */
  readonly fixed?: string;
}

const unchanged = (payload: Body): Body => payload;
const only =
  (create: Endpoint, update: Endpoint): ResourceType['writers'] =>
  () => ({ create, update, schema: create });

function checkWriters({ checkType: type }: Body): Writers {
  if (!isCheckType(type)) {
    const message = `must be one of ${CHECK_TYPE_NAMES.join(', ')}`;
    throw invalid([violation('body', ['checkType'], 'enum', message, { allowed: CHECK_TYPE_NAMES })]);
  }
  const { create, update } = CHECK_TYPE_ENDPOINTS[type];
  return { create, update, schema: create };
}

const groupWriters = ({ v }: Body): Writers =>
  v === 2
    ? { create: createCheckGroupV2, update: updateCheckGroupV2, schema: createCheckGroupV2 }
    : { create: createCheckGroup, update: updateCheckGroup, schema: createCheckGroup };

/** The types in the order in which they are created: a type refers only to those before it. */
export const RESOURCE_TYPES: Readonly<Record<string, ResourceType>> = {
  'status-page-service': {
    collection: 'services',
    param: 'id',
    hasNumber: false,
    writers: only(createService, updateService),
    remove: deleteService,
    toBody: unchanged,
    isReferenced: true,
  },
  'status-page-component': {
    collection: 'services',
    param: 'id',
    hasNumber: false,
    writers: only(createService, updateService),
    remove: deleteService,
    toBody: fieldsOfComponent,
    isReferenced: true,
  },
  'private-location': {
    collection: 'privateLocations',
    param: 'id',
    hasNumber: false,
    writers: only(createPrivateLocation, updatePrivateLocation),
    remove: deletePrivateLocation,
    toBody: unchanged,
    isReferenced: true,
    fixed: 'slugName',
  },
  snippet: {
    collection: 'snippets',
    param: 'id',
    hasNumber: true,
    writers: only(createSnippet, updateSnippet),
    remove: deleteSnippet,
    toBody: unchanged,
    isReferenced: true,
  },
  'alert-channel': {
    collection: 'alertChannels',
    param: 'id',
    hasNumber: true,
    writers: only(createAlertChannel, updateAlertChannel),
    remove: deleteAlertChannel,
    toBody: toChannelBody,
    isReferenced: true,
  },
  'status-page': {
    collection: 'statusPages',
    param: 'statusPageId',
    hasNumber: false,
    writers: only(createStatusPage, updateStatusPage),
    remove: deleteStatusPage,
    toBody: toPageBody,
    isReferenced: false,
  },
  'status-page-automation-rule': {
    collection: 'automationRules',
    param: 'id',
    hasNumber: false,
    writers: only(createAutomationRule, updateAutomationRule),
    remove: deleteAutomationRule,
    toBody: unchanged,
    isReferenced: false,
    references: { componentId: 'status-page-component', statusPageId: 'status-page' },
  },
  'check-group': {
    collection: 'groups',
    param: 'id',
    hasNumber: true,
    writers: groupWriters,
    remove: deleteCheckGroup,
    toBody: toGroupBody,
    target: (id) => ({ groupId: Number(id) }),
    isReferenced: true,
  },
  check: {
    collection: 'checks',
    param: 'id',
    hasNumber: false,
    writers: checkWriters,
    remove: deleteCheck,
    toBody: toCheckBody,
    target: (id) => ({ checkId: id }),
    isReferenced: false,
    fixed: 'checkType',
  },
  'maintenance-window': {
    collection: 'maintenanceWindows',
    param: 'id',
    hasNumber: true,
    writers: only(createMaintenanceWindow, updateMaintenanceWindow),
    remove: deleteMaintenanceWindow,
    toBody: toWindowBody,
    isReferenced: false,
  },
  dashboard: {
    collection: 'dashboards',
    param: 'dashboardId',
    hasNumber: false,
    writers: only(createDashboard, updateDashboard),
    remove: deleteDashboard,
    toBody: toDashboardBody,
    isReferenced: false,
  },
};

/** Returns the ID of a resource as the API has it. Projects store IDs as text. */
export const toApiId = ({ hasNumber }: ResourceType, id: string): string | number =>
  hasNumber ? Number(id) : id;
