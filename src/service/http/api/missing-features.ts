/** Lists features of published deployments that this service does not have, so that their clients can say why a command fails. */
interface MissingFeature {
  /** The paths of its endpoints. */
  readonly paths: RegExp;
  /** Names the missing feature and an alternative. */
  readonly message: string;
}

const MISSING_FEATURES: readonly MissingFeature[] = [
  {
    paths: /^\/next\/checkly-storage\//,
    message:
      'This service does not store the files of a project: remove screenshot snapshots from browser checks, and create Playwright checks with "sonde checks create-playwright"',
  },
  {
    paths: /^\/next\/test-sessions\/[^/]+\/results(?:\/|$)/,
    message:
      'This service has no message broker that sends results to the client: deploy the project, then run its checks with "checks run"',
  },
  {
    paths: /^\/next\/projects\/[^/]+\/imports(?:\/|$)/,
    message:
      'This service does not generate code from existing resources: "sonde export" writes them to a file',
  },
  {
    paths: /^\/v1\/root-cause-analyses(?:\/|$)/,
    message: 'This service does not analyze root causes: read the errors of the result',
  },
  {
    paths: /^\/v1\/accounts\/[^/]+\/members\/[^/]+$/,
    message:
      'An account of this service has its owner as the only member: create and delete API keys with "sonde service keys"',
  },
  {
    paths: /^\/v1\/maintenance-windows\/[^/]+\/maintenances\/[^/]+\/updates(?:\/[^/]+)?$/,
    message:
      'A maintenance of this service has no status updates: change the description of its window, or its times with PATCH /v1/maintenance-windows/{id}/maintenances/{maintenanceId}',
  },
  {
    paths: /^\/next\/assets\//,
    message:
      'This service stores each file by its ID: GET /v1/artifacts/{id} sends the files that a result lists',
  },
];

/** Returns why a path is not served; undefined if it belongs to no known feature. */
export const missingFeature = (path: string): string | undefined =>
  MISSING_FEATURES.find(({ paths }) => paths.test(path))?.message;
