/** How large a file may be that a run leaves, in bytes (specification, Limits: artifact upload size). */
export const ARTIFACT_BYTES = 150 * 1024 * 1024;
