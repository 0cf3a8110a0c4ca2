/** How help groups the fields that checks of all types have. */

/** Where and when a check runs, and what its runs come to. */
export const RUNS = [
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
export const PLACES = [
  'activated',
  'locations',
  'privateLocations',
  'frequency',
  'runParallel',
  'retryStrategy',
  'shouldFail',
] as const;

/** How many packets may be lost. */
export const PACKET_LOSS = ['degradedPacketLossThreshold', 'maxPacketLossThreshold'] as const;

/** What a script needs. */
export const SCRIPT = ['environmentVariables', 'runtimeId', 'dependencies'] as const;

/** Who is told of a failure, and when. */
export const ALERTS = [
  'muted',
  'alertSettings',
  'useGlobalAlertSettings',
  'alertChannelSubscriptions',
  'autoAssignAlerts',
  'triggerIncident',
] as const;

/** How checks are found again. */
export const ORDER = ['tags', 'description', 'groupId', 'groupOrder'] as const;
