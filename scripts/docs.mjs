/** Writes docs/commands.md from the commands there are; `--check` only says whether it is as it should be. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { commandFiles, loadCommands } from './manifest.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'docs/commands.md');

const HEADINGS = { options: 'Options', query: 'Query', body: 'Fields', input: 'Input' };
const EXITS = [
  [0, 'done; for a gate: every session was seen to end PASSED (or DEGRADED, unless `--fail-on degraded`)'],
  [1, "the gate's verdict is bad: some session FAILED or TIMED_OUT"],
  [2, 'usage: unknown command or flag, invalid value or file, or nobody there to answer. Nothing was sent'],
  [3, 'the API refused the request; its reasons are printed'],
  [4, 'no credentials, or 401 or 403'],
  [5, 'not found'],
  [6, 'the service could not be reached, kept failing or limiting, or what answered is not the API'],
  [7, "the gate's own deadline passed with a session still running: the verdict is unknown"],
  [8, 'a session was CANCELLED'],
  [9, 'a person answered no; nothing was changed'],
  [70, 'a bug in sonde'],
  [74, 'a result or report could not be written'],
  ['129, 130, 143', 'hung up, interrupted, terminated'],
];

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
const code = (text) => `\`${text.replaceAll('|', '\\|')}\``;
const table = (head, rows) =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

const flagTable = (rows) =>
  table(
    ['Option', 'Meaning'],
    rows.map(([typed, does]) => [code(typed), cell(does)]),
  );

function commandText(command, { shapeOf, flagRow, flagsOf, usageOf }) {
  const shape = shapeOf(command);
  const groups = Object.entries(HEADINGS).flatMap(([group, heading]) => {
    const rows = flagsOf(shape, group).map(flagRow);
    return rows.length > 0 ? [`**${heading}**`, flagTable(rows)] : [];
  });
  const { endpoint, examples, exits = [] } = command;
  return [
    `### sonde ${command.name}`,
    `${command.summary}.${command.deprecated ? ` **Deprecated**: use ${command.deprecated}.` : ''}`,
    ...(command.description ? [command.description] : []),
    `\`\`\`sh\n${usageOf(command, shape)}\n\`\`\``,
    ...(endpoint ? [`Calls \`${endpoint.method} ${endpoint.path}\`.`] : []),
    ...groups,
    ...(exits.length > 0
      ? [`Exit codes of its own: ${exits.map(([number, meaning]) => `${number}: ${meaning}`).join('; ')}.`]
      : []),
    ...(examples.length > 0
      ? [`\`\`\`sh\n${examples.map(({ line, does }) => `# ${does}\nsonde ${line}`).join('\n\n')}\n\`\`\``]
      : []),
  ].join('\n\n');
}

/** The reference as it should be now. */
export async function referenceText() {
  const { commands, kernel } = await loadCommands(await commandFiles());
  const everywhere = kernel.shapeOf({ name: '', summary: '', examples: [], run: async () => {} }).flags;
  const rows = (group) => everywhere.filter((flag) => flag.group === group).map(kernel.flagRow);
  return `${[
    '# Commands',
    'Written by `npm run docs` from the commands themselves.',
    'Options may stand before or after the name of a command. `sonde <command> --help` prints the same.',
    table(
      ['Command', ''],
      commands.map(({ name, summary }) => [`[${name}](#sonde-${name.replaceAll(' ', '-')})`, cell(summary)]),
    ),
    '## Everywhere',
    flagTable([...rows('output'), ...rows('global')]),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      EXITS.map(([number, meaning]) => [number, meaning]),
    ),
    '129, 130 and 143 end at once. Of several sessions, or several ids, the code is the first of 70, 1, 8, 4, 5, 3, 6, 7, 74, 0 that applies to any.',
    '## Reference',
    ...commands.map((command) => commandText(command, kernel)),
  ].join('\n\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build();
  const text = await referenceText();
  const current = existsSync(target) ? await readFile(target, 'utf8') : '';
  if (process.argv.includes('--check')) {
    if (text !== current) {
      console.error('docs/commands.md is not what the commands say: run npm run docs');
      process.exitCode = 1;
    }
  } else {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}
