/**
 * Keeps texts of others from giving orders to the runner of a CI system, which reads both output streams: `::error::` of GitHub,
 * `##vso[…]` of Azure, `##teamcity[…]`, `section_start:` of GitLab, `--- group` of Buildkite, and the like.
 */
import type { Channel, OutputStream } from './channel.ts';
import type { Env } from './color.ts';

/** The start of a line, with every line break that a runner may recognize, and the blanks and styles that it may skip. */
const LINE_START = String.raw`(?:^|[\n\r\u0085\u2028\u2029])(?:[^\S\n\r\u2028\u2029]|\x1b\[[\d;]*m)*`;
/** Signs that begin a command. Headings (`##`), flags (`--`) and differences (`@@`) are no commands. */
const SIGNS = new RegExp(
  String.raw`(${LINE_START}(?:([:%[\]<>!~|&=+])(?=\2)|-(?=--)|@(?=@@)|\^(?=\^\^ \+)))`,
  'g',
);
/** A word with `_` before a colon without a space: `section_start:0`. Fields of YAML have a space. */
const WORD = new RegExp(`(${LINE_START}[a-z]+_\\w+)(?=:\\S)`, 'g');
/** `##[name]`, `##vso[name]` and `##teamcity[name]` are commands anywhere in a line. */
const ANYWHERE = /#(?=#\w*\[)/g;

/** Returns the text with a space in the middle of the start of each command, so that no runner recognizes it. */
export const neutralizeCommands = (text: string): string =>
  text.replace(SIGNS, '$1 ').replace(WORD, '$1 ').replace(ANYWHERE, '# ');

/** Variables that CI systems set. Not all set CI. */
const RUNNERS = [
  ...['CI', 'GITHUB_ACTIONS', 'GITLAB_CI', 'TF_BUILD', 'TEAMCITY_VERSION', 'BUILDKITE', 'JENKINS_URL'],
  ...['TRAVIS', 'APPVEYOR', 'CIRCLECI', 'DRONE', 'BITBUCKET_BUILD_NUMBER', 'CODEBUILD_BUILD_ID'],
];

/** Returns whether a runner reads the output of this process. */
const isRunner = (env: Env): boolean =>
  RUNNERS.some((name) => !['', '0', 'false', undefined].includes(env[name]?.toLowerCase()));

/** Returns whether the stream is a file. Only programs read it later, so it stays unchanged. */
const isFile = (stream: OutputStream): boolean => stream.constructor.name === 'SyncWriteStream';

/** Returns a channel that neutralizes commands. Results for programs are unchanged, unless a runner reads them, too. */
export function guardChannel(
  channel: Channel,
  stream: OutputStream,
  env: Env,
  reader: 'people' | 'anyone',
): Channel {
  if (reader === 'anyone' && (isFile(stream) || !(stream.isTTY === true || isRunner(env)))) return channel;
  return Object.assign(Object.create(channel) as Channel, {
    write: (text: string | Uint8Array) =>
      channel.write(typeof text === 'string' ? neutralizeCommands(text) : text),
  });
}
