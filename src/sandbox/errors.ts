/** What goes wrong with a cell: always the monitor's fault, never the target's. */
export class SandboxError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SandboxError';
  }
}

/** The system's code of an error (`ENOENT`), or undefined. */
export const errorCode = (error: unknown): unknown => (error as NodeJS.ErrnoException | undefined)?.code;
