/** Declares the types of build.mjs. */
export function build(options?: { force?: boolean; hasSourceMaps?: boolean }): Promise<unknown>;
