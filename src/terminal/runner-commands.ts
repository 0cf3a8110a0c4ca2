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
/**
 * A character of each command that counts anywhere in a line: `##[name]`, `##vso[name]` and `##teamcity[name]`,
 * `section_start:0:name` of GitLab, `travis_fold:start:name`, and `[[ATTACHMENT|file]]` of Jenkins.
 */
export const COMMAND_ANYWHERE =
  /#(?=#\w*\[)|(?<=section_(?:start|end)):(?=\d)|(?<=fold|time):(?=(?:start|end):)|\[(?=\[ATTACHMENT\|)/gi;

/** Returns the text with a space in each command that counts anywhere in a line. */
export const splitCommandsAnywhere = (text: string): string => text.replace(COMMAND_ANYWHERE, '$& ');

/** Returns the text with a space in the middle of the start of each command, so that no runner recognizes it. */
export const neutralizeCommands = (text: string): string =>
  splitCommandsAnywhere(text.replace(SIGNS, '$1 ').replace(WORD, '$1 '));

/** Variables that CI systems set. Not all set CI. */
const RUNNERS = [
  ...['CI', 'GITHUB_ACTIONS', 'GITLAB_CI', 'TF_BUILD', 'TEAMCITY_VERSION', 'BUILDKITE', 'JENKINS_URL'],
  ...['TRAVIS', 'APPVEYOR', 'CIRCLECI', 'DRONE', 'BITBUCKET_BUILD_NUMBER', 'CODEBUILD_BUILD_ID'],
];

/** Returns whether a runner reads the output of this process. */
const isRunner = (env: Env): boolean =>
  RUNNERS.some((name) => !['', '0', 'false', undefined].includes(env[name]?.toLowerCase()));

/** Returns whether the stream is a file. Some runners, such as Jenkins, read the output of a step from one. */
const isFile = (stream: OutputStream): boolean => stream.constructor.name === 'SyncWriteStream';

/**
 * The reader of an output: `people` get tables, cards, plans and logs; `programs` get a format that the user selected, or
 * a text that sonde wrote; `anyone` gets the format of a list without `--output`.
 */
export type Reader = 'people' | 'programs' | 'anyone';

/**
 * Returns a channel that neutralizes commands. Results for programs are unchanged, unless a runner reads them, too; in a
 * file of a runner they lose only the commands that count anywhere in a line.
 */
export function guardChannel(channel: Channel, stream: OutputStream, env: Env, reader: Reader): Channel {
  const isRead = stream.isTTY === true || isRunner(env);
  if (reader !== 'people' && !isRead) return channel;
  const neutralize = reader === 'programs' && isFile(stream) ? splitCommandsAnywhere : neutralizeCommands;
  return Object.assign(Object.create(channel) as Channel, {
    write: (text: string | Uint8Array) => channel.write(typeof text === 'string' ? neutralize(text) : text),
  });
}
