/** Puts a bundle together: a command, or what runs where none is named, as the entry calls it. */
import { collect } from './kernel/collect.ts';
import { hostOf, type Program } from './kernel/host.ts';
import { shapeOf } from './kernel/shape.ts';
import type { Command, Host } from './kernel/types.ts';
import { openTerminal, tell, wantsJsonErrors } from './report.ts';

/** What the bundle of a command exports. */
export function programOf(command: Command, run: (host: Host) => Promise<number>): Program {
  return {
    main: (given) => run(hostOf(given)),
    async crash(given, error) {
      const host = hostOf(given);
      const line = collect(command.name, shapeOf(command), host.argv);
      const terminal = openTerminal(host, line);
      const cause = error instanceof Error ? error : new Error(String(error));
      // Whatever its class: nobody was there to catch it.
      await tell(new Error(cause.message, { cause }), terminal, wantsJsonErrors(line), host);
      await terminal.close();
    },
  };
}
