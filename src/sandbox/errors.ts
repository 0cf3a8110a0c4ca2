/** A failure of a cell, which is always a monitor error. */
export class SandboxError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SandboxError';
  }
}

/** Returns the system's code of an error (`ENOENT`), or undefined. */
export const errorCode = (error: unknown): unknown => (error as NodeJS.ErrnoException | undefined)?.code;
