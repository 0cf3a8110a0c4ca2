/** What a file of Playwright Test does to the process that reads it: an error that nobody catches there is the script's. */
import { formatError } from './executor.ts';

export interface UncaughtErrors {
  /** Resolves with the first error that nobody caught. */
  readonly first: Promise<string>;
  /** Gives back what was there. */
  stop(): void;
}

/** From now on nothing that the script does while it is read ends this process. */
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
