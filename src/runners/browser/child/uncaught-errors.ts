/** What a file of Playwright Test does to the process that reads it: an error that nobody catches there is the script's. */
import { textOf } from './executor.ts';

export interface Strays {
  /** Resolves with the first error that nobody caught. */
  readonly first: Promise<string>;
  /** Gives back what was there. */
  stop(): void;
}

/** From now on nothing that the script does while it is read ends this process. */
export function catchStrays(host: NodeJS.Process): Strays {
  const { exit } = host;
  let tell: (error: string) => void = () => {};
  const first = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const onError = (error: unknown) => tell(textOf(error));
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
