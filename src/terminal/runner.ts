/** Keeps foreign text from being taken for a command by the runner of GitHub Actions, which reads both our streams. */
import type { Channel, OutputStream } from './channel.ts';
import type { Env } from './color.ts';

/**
 * What the runner takes for a command: `::name::` where a line begins, white space aside, and `##[name]` anywhere. A line
 * break is any that its reader may know.
 */
const AT_LINE_START = /((?:^|[\n\r\u0085\u2028\u2029])[^\S\n\r\u2028\u2029]*):(?=:)/g;
const ANYWHERE = /##(?=\[)/g;

/** A text in which the runner finds no command: a space stands where one would begin. */
export const withoutCommands = (text: string): string =>
  text.includes('::') || text.includes('##[')
    ? text.replace(AT_LINE_START, '$1: ').replace(ANYWHERE, '# #')
    : text;

/** Whether the runner of GitHub Actions (or one that does as it does) reads what this process writes. */
const isRunner = (env: Env): boolean => env.GITHUB_ACTIONS === 'true';

/** Node's stream of a file: nobody but a program reads it later, and wants it as it is. */
const isFile = (stream: OutputStream): boolean => stream.constructor.name === 'SyncWriteStream';

/** A channel through which no command gets to the runner. */
export function guarded(channel: Channel, stream: OutputStream, env: Env): Channel {
  if (!isRunner(env) || isFile(stream)) return channel;
  return Object.assign(Object.create(channel) as Channel, {
    write: (text: string) => channel.write(withoutCommands(text)),
  });
}
