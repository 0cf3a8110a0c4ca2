/** How large a file may be that a run leaves, in bytes (specification, Limits: artifact upload size). */
export const ARTIFACT_BYTES = 150 * 1024 * 1024;
/** How large the files of one run may be together, in bytes, and how many there may be. */
export const RUN_ARTIFACT_BYTES = 2 * ARTIFACT_BYTES;
export const RUN_ARTIFACTS = 100;
