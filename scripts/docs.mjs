/** Writes docs/commands.md, the tables of settings in docs/configuration.md, docs/monitoring.schema.json and the list of man pages in package.json; `--check` only reports outdated files. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { load } from './load.mjs';
import { manFiles } from './man.mjs';
import { commandFiles, loadCommands } from './manifest.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'docs/commands.md');
const packageFile = join(root, 'package.json');
const configurationFile = join(root, 'docs/configuration.md');
const schemaFile = join(root, 'docs/monitoring.schema.json');

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
const sentenceCase = (text) => `${text[0]?.toUpperCase()}${text.slice(1)}`;
const code = (text) => `\`${text.replaceAll('|', '\\|')}\``;
const table = (head, rows) =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

const flagTable = (rows) =>
  table(
    ['Flag', 'Meaning'],
    rows.map(([typed, does]) => [code(typed), cell(does)]),
  );

function commandText(command, { commandSpecOf, flagRow, helpSectionsOf, usageWords }) {
  const spec = commandSpecOf(command);
  const groups = helpSectionsOf(command, spec).flatMap(({ heading, flags }) => [
    `**${heading}**`,
    flagTable(flags.map((flag) => flagRow(flag))),
  ]);
  const { endpoint, examples, exits = [] } = command;
  return [
    `### sonde ${command.name}`,
    `${command.summary}.${command.deprecated ? ` **Deprecated**: use ${command.deprecated}.` : ''}`,
    ...(command.description ? [command.description] : []),
    `\`\`\`sh\n${['sonde', command.name, ...usageWords(spec), '[flags]'].join(' ')}\n\`\`\``,
    ...(endpoint ? [`Calls \`${endpoint.method} ${endpoint.path}\`.`] : []),
    ...groups,
    ...(exits.length > 0
      ? [`Exit codes: ${exits.map(([number, meaning]) => `${number}: ${meaning}`).join('; ')}.`]
      : []),
    ...(examples.length > 0
      ? [linesText(examples.map(({ line, does }) => ({ line: `sonde ${line}`, does })))]
      : []),
  ].join('\n\n');
}

/** Returns a page of `sonde help <topic>`. */
function topicText(topic, { TOPICS, topicBlocks, GENERIC_READER }) {
  return [`## ${TOPICS[topic].split(':')[0]}`, ...topicBlocks(topic, GENERIC_READER).map(blockText)];
}

function blockText(block) {
  switch (block.kind) {
    case 'text':
      return cell(block.text);
    case 'heading':
      return `### ${block.text}`;
    case 'rows':
      return table(
        ['', ''],
        block.rows.map(([left, right]) => [code(left), cell(right)]),
      );
    default:
      return linesText(block.lines);
  }
}

const linesText = (lines) =>
  `\`\`\`sh\n${lines.map(({ line, does }) => `# ${sentenceCase(does)}\n${line}`).join('\n\n')}\n\`\`\``;

/** Returns the current text of docs/commands.md. */
export async function referenceText() {
  const { commands, framework } = await loadCommands(await commandFiles());
  return `${[
    '# Commands',
    'Generated from the source by `npm run docs`.',
    'The same reference is available with `sonde <command> --help`, `sonde help <topic>` and `man sonde`.',
    table(
      ['Command', ''],
      commands.map(({ name, summary }) => [`[${name}](#sonde-${name.replaceAll(' ', '-')})`, cell(summary)]),
    ),
    ...framework.topicNames.flatMap((topic) => topicText(topic, framework)),
    '## Reference',
    ...commands.map((command) => commandText(command, framework)),
  ].join('\n\n')}\n`;
}

/** Returns a table of settings, without the columns that would be empty. */
function settingTable(rows) {
  const columns = [
    ['Flag', ({ flag }) => flag && code(flag)],
    ['Variable', ({ variable, isSwitch }) => variable && code(`${variable}${isSwitch ? '=1' : ''}`)],
    ['Default', ({ default: standard }) => standard && cell(standard)],
    ['Meaning', ({ summary }) => cell(summary)],
  ].filter(([, textOf]) => rows.some(textOf));
  return table(
    columns.map(([head]) => head),
    rows.map((row) => columns.map(([, textOf]) => textOf(row) ?? '')),
  );
}

/** Returns the current text of docs/configuration.md: each table of settings between its two comments. */
export async function configurationText() {
  const { framework } = await loadCommands([]);
  const page = await readFile(configurationFile, 'utf8');
  return framework.SETTING_TABLES.reduce((text, settings) => {
    const [start, end] = [`<!-- settings: ${settings.subject} -->\n`, '<!-- end -->'];
    const from = text.indexOf(start);
    if (from < 0) throw new Error(`docs/configuration.md has no line ${start}`);
    const rows = framework.settingRows(settings);
    return `${text.slice(0, from)}${start}\n${settingTable(rows)}\n\n${text.slice(text.indexOf(end, from))}`;
  }, page);
}

/** Returns the current text of package.json with the man pages, which npm links. */
export async function packageText() {
  const { commands, framework } = await loadCommands(await commandFiles());
  const { man, ...rest } = JSON.parse(await readFile(packageFile, 'utf8'));
  const entries = Object.entries(rest).flatMap(([key, value]) =>
    key === 'files'
      ? [
          ['man', manFiles(commands, framework)],
          ['files', value],
        ]
      : [[key, value]],
  );
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

/** Returns the current text of docs/monitoring.schema.json. */
export async function schemaText() {
  const { createMonitoringSchema } = await load('monitoring-schema', {
    entryPoints: [join(root, 'src/cli/manifest/schema/monitoring-schema.ts')],
  });
  return `${JSON.stringify(createMonitoringSchema(), null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build();
  const files = [
    [target, await referenceText()],
    [configurationFile, await configurationText()],
    [packageFile, await packageText()],
    [schemaFile, await schemaText()],
  ];
  for (const [file, text] of files) {
    if (existsSync(file) && (await readFile(file, 'utf8')) === text) continue;
    if (process.argv.includes('--check')) {
      console.error(`${file} is out of date; run: npm run docs`);
      process.exitCode = 1;
    } else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }
}
