/** Maximum size of an artifact, in bytes (specification, Limits: artifact upload size). */
export const ARTIFACT_BYTES = 150 * 1024 * 1024;
/** Maximum total size in bytes, and number, of the artifacts of one run. */
export const RUN_ARTIFACT_BYTES = 2 * ARTIFACT_BYTES;
export const RUN_ARTIFACTS = 100;
