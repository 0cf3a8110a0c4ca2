/** How help groups the fields that checks of all types have. */

/** Where and when a check runs, and what its runs come to. */
export const RUN_FIELDS = [
  'activated',
  'locations',
  'privateLocations',
  'frequency',
  'frequencyOffset',
  'runParallel',
  'retryStrategy',
  'degradedResponseTime',
  'maxResponseTime',
  'shouldFail',
] as const;

/** The same of checks that have no phase to set, and no response time. */
export const LOCATION_FIELDS = [
  'activated',
  'locations',
  'privateLocations',
  'frequency',
  'runParallel',
  'retryStrategy',
  'shouldFail',
] as const;

/** How many packets may be lost. */
export const PACKET_LOSS_FIELDS = ['degradedPacketLossThreshold', 'maxPacketLossThreshold'] as const;

/** What a script needs. */
export const SCRIPT_FIELDS = ['environmentVariables', 'runtimeId', 'dependencies'] as const;

/** Who is told of a failure, and when. */
export const ALERT_FIELDS = [
  'muted',
  'alertSettings',
  'useGlobalAlertSettings',
  'alertChannelSubscriptions',
  'autoAssignAlerts',
  'triggerIncident',
] as const;

/** How checks are found again. */
export const ORGANIZATION_FIELDS = ['tags', 'description', 'groupId', 'groupOrder'] as const;
