/** Runs a command line in a test as a person at a terminal would: answers what is asked. */
import type { Command } from '../../src/cli/framework/types.ts';
import { runCommand } from '../../src/cli/program/run-command.ts';
import { type LineOptions, type LineOutcome, makeHost } from './command.ts';

/** What stderr shows, and the keys that are typed then. */
export type Reply = readonly [question: string, keys: string];

/** Without colour, so that tests read words. A question that never comes lets the test run into its time limit. */
export async function askedLine(
  command: Command,
  argv: readonly string[],
  options: LineOptions,
  ...replies: readonly Reply[]
): Promise<LineOutcome> {
  const { host, screen } = await makeHost([...argv, '--no-color'], { isTTY: true, ...options });
  const running = runCommand(command, host);
  for (const [question, keys] of replies) {
    await screen.saw(question);
    screen.type(keys);
  }
  return { code: await running, stdout: screen.stdout(), stderr: screen.stderr() };
}
