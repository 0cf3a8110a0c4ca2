/** Groups the common fields of checks for help. */

/** Schedule, locations and thresholds. */
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

/** The same without an offset and response times. */
export const LOCATION_FIELDS = [
  'activated',
  'locations',
  'privateLocations',
  'frequency',
  'runParallel',
  'retryStrategy',
  'shouldFail',
] as const;

export const PACKET_LOSS_FIELDS = ['degradedPacketLossThreshold', 'maxPacketLossThreshold'] as const;

export const SCRIPT_FIELDS = ['environmentVariables', 'runtimeId', 'dependencies'] as const;

export const ALERT_FIELDS = [
  'muted',
  'alertSettings',
  'useGlobalAlertSettings',
  'alertChannelSubscriptions',
  'autoAssignAlerts',
  'triggerIncident',
] as const;

export const ORGANIZATION_FIELDS = ['tags', 'description', 'groupId', 'groupOrder'] as const;
