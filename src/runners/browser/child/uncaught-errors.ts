/** Catches uncaught errors while a Playwright Test file is read, because they belong to the script. */
import { formatError } from './executor.ts';

export interface UncaughtErrors {
  /** Resolves with the first uncaught error. */
  readonly first: Promise<string>;
  /** Restores the original handlers. */
  stop(): void;
}

/** Prevents the script from ending this process while it is read. */
export function catchUncaughtErrors(host: NodeJS.Process): UncaughtErrors {
  const { exit } = host;
  let resolveFirst: (error: string) => void = () => {};
  const first = new Promise<string>((resolve) => {
    resolveFirst = resolve;
  });
  const onError = (error: unknown) => resolveFirst(formatError(error));
  host.on('uncaughtException', onError);
  host.on('unhandledRejection', onError);
  host.exit = (code) => {
    throw new Error(`the script ended its process with exit code ${code ?? host.exitCode ?? 0}`);
  };
  return {
    first,
    stop() {
      host.exit = exit;
      host.off('uncaughtException', onError);
      host.off('unhandledRejection', onError);
    },
  };
}
