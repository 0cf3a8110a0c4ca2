/** Neutralizes workflow commands of GitHub Actions in untrusted text. Its runner reads both stdout and stderr. */
import type { Channel, OutputStream } from './channel.ts';
import type { Env } from './color.ts';

/**
 * The runner accepts two forms of commands: `::name::` at the start of a line, after optional white space, and
 * `##[name]` anywhere. The pattern includes every line break that its reader may recognize.
 */
const AT_LINE_START = /((?:^|[\n\r\u0085\u2028\u2029])[^\S\n\r\u2028\u2029]*):(?=:)/g;
const ANYWHERE = /##(?=\[)/g;

/** Returns the text with a space inserted at the start of each command, so that the runner does not recognize it. */
export const neutralizeCommands = (text: string): string =>
  text.includes('::') || text.includes('##[')
    ? text.replace(AT_LINE_START, '$1: ').replace(ANYWHERE, '# #')
    : text;

/** Returns whether a runner of GitHub Actions, or a compatible one, reads the output of this process. */
const isGitHubRunner = (env: Env): boolean => env.GITHUB_ACTIONS === 'true';

/** Returns whether the stream is a file. Only programs read it later, so it stays unchanged. */
const isFile = (stream: OutputStream): boolean => stream.constructor.name === 'SyncWriteStream';

/** Returns a channel that neutralizes commands, if a runner reads the stream. */
export function guardChannel(channel: Channel, stream: OutputStream, env: Env): Channel {
  if (!isGitHubRunner(env) || isFile(stream)) return channel;
  return Object.assign(Object.create(channel) as Channel, {
    write: (text: string) => channel.write(neutralizeCommands(text)),
  });
}
