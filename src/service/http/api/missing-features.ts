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
    paths: /^\/(?:v1\/test-sessions\/(?:run|scheduling)|next\/test-sessions)(?:\/|$)/,
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
    paths: /^\/(?:next\/assets\/|v1\/(?:check-results|test-sessions)\/.+\/assets$)/,
    message:
      'This service has no asset manifests: a result lists its files in "artifacts", and GET /v1/artifacts/{id} sends them',
  },
];

/** Returns why a path is not served; undefined if it belongs to no known feature. */
export const missingFeature = (path: string): string | undefined =>
  MISSING_FEATURES.find(({ paths }) => paths.test(path))?.message;
