/** Finds the command files, and writes the names, summaries and completion reference of the commands. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from './load.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const generated = join(root, 'src/cli/generated');

/**
 * Returns every command's file, relative to the root, with the name from its path; and once more for the alias that each `delete`
 * declares: `delete snippet` for `snippets delete`. Sorted by name.
 */
export async function commandFiles() {
  const files = [];
  for (const entry of await readdir(join(root, 'commands'), { withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.ts')) {
      files.push({ name: entry.name.slice(0, -3), file: `commands/${entry.name}` });
    }
    if (!entry.isDirectory()) continue;
    for (const verb of await readdir(join(root, 'commands', entry.name), { withFileTypes: true })) {
      if (!verb.isFile() || !verb.name.endsWith('.ts')) continue;
      const file = `commands/${entry.name}/${verb.name}`;
      files.push({ name: `${entry.name} ${verb.name.slice(0, -3)}`, file });
      if (verb.name === 'delete.ts')
        files.push({ name: `delete ${entry.name.replace(/s$/, '')}`, file, isAlias: true });
    }
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Loads the commands and the modules of the framework and help that scripts use. */
export async function loadCommands(files) {
  const lines = files.map(({ file }, index) => `export { command as c${index} } from './${file}';`);
  const framework = [
    "export { commandSpecOf, usageWords } from './src/cli/framework/command-spec.ts';",
    "export * from './src/cli/framework/lazy/command-help.ts';",
    "export * from './src/cli/help/topics.ts';",
    "export { GENERIC_READER } from './src/cli/help/topics.ts';",
    "export { FIRST_STEPS } from './src/cli/help/overview.ts';",
    "export { GROUPS, LAST_GROUP } from './src/cli/help/nouns.ts';",
    "export { VARIABLES } from './src/cli/help/lazy/topic-environment.ts';",
    "export { SETTING_TABLES } from './src/cli/settings/tables.ts';",
    "export { settingRows } from './src/cli/settings/setting.ts';",
    "export { topicBlocks } from './src/cli/help/lazy/topic-page.ts';",
    "export { allGlobalOptions } from './src/cli/framework/command-spec.ts';",
    "export { completionReferenceOf } from './src/cli/framework/completion-reference.ts';",
    "export { table } from './src/contract/endpoints/index.ts';",
  ];
  const loaded = await load(`commands-${process.pid}`, {
    stdin: { contents: [...lines, ...framework].join('\n'), resolveDir: root, loader: 'ts' },
  });
  const commands = files.map(({ name, file, isAlias }, index) => {
    const exported = loaded[`c${index}`];
    const command = isAlias ? exported?.alias : exported;
    if (command?.name !== name) throw new Error(`${file} must export a command called "${name}"`);
    return command;
  });
  return { commands, framework: loaded };
}

/** Returns the field names of a response: one resource, a list, or a page of a list. */
function fieldsOf(schema) {
  const { properties = {}, items } = schema ?? {};
  const { entries = items } = properties;
  return Object.keys((entries?.items ?? entries)?.properties ?? properties);
}

/** Formats the reference as a module. Parts that occur several times, such as a flag, are constants. */
function referenceText({ common, commands }) {
  const counts = new Map();
  const count = (value) => {
    const text = JSON.stringify(value);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return counts.get(text) === 1;
  };
  for (const { flags, arguments: args } of [{ flags: common, arguments: [] }, ...commands]) {
    for (const part of [...flags, ...args]) if (count(part) && part.values) count(part.values);
  }
  const constants = new Map();
  const lines = [];
  const once = (value, type, written) => {
    const text = JSON.stringify(value);
    if (counts.get(text) === 1) return written();
    if (!constants.has(text)) {
      const literal = written();
      constants.set(text, `c${constants.size}`);
      lines.push(`const ${constants.get(text)}: ${type} = ${literal};`);
    }
    return constants.get(text);
  };
  const partText = (part, type) =>
    once(part, type, () => {
      if (!part.values) return JSON.stringify(part);
      const values = once(part.values, 'ValueSpec', () => JSON.stringify(part.values));
      return JSON.stringify({ ...part, values: 0 }).replace(/"values":0\}$/, () => `"values":${values}}`);
    });
  const flagsText = (flags) => `[${flags.map((each) => partText(each, 'ReferenceFlag')).join(', ')}]`;
  const entries = commands.map(({ name, summary, arguments: args, flags }) => {
    const words = args.map((each) => partText(each, 'ReferenceArgument')).join(', ');
    return `{ name: ${JSON.stringify(name)}, summary: ${JSON.stringify(summary)}, arguments: [${words}], flags: ${flagsText(flags)} }`;
  });
  const whole = `{ common: ${flagsText(common)}, commands: [\n${entries.join(',\n')}\n] }`;
  return `${lines.join('\n')}\n\nexport const reference: CompletionReference = ${whole};\n`;
}

const HEAD = '/* Written by scripts/build.mjs from the commands. */\n';

async function write(name, text) {
  await mkdir(generated, { recursive: true });
  await writeFile(join(generated, name), `${HEAD}${text}`);
}

/** Writes src/cli/generated: names.ts for the entry, manifest.ts for help, reference.ts for completion. */
export async function writeManifest(files) {
  const list = (type, value) => `readonly ${type}[] = ${JSON.stringify(value, null, 1)};\n`;
  const head =
    "import type { CompletionReference, ReferenceArgument, ReferenceFlag, ValueSpec } from '../framework/completion-reference.ts';\n\n";
  if (!existsSync(join(generated, 'reference.ts'))) {
    // The commands import these modules, and must be loaded to generate them.
    await write(
      'names.ts',
      'export const names: readonly string[] = [];\nexport const flagsWithValue: readonly string[] = [];\n',
    );
    await write('manifest.ts', 'export const manifest: readonly { name: string; summary: string }[] = [];\n');
    await write('reference.ts', `${head}${referenceText({ common: [], commands: [] })}`);
  }
  const { commands, framework } = await loadCommands(files);
  const flagsWithValue = Object.entries(framework.allGlobalOptions).flatMap(([name, { takes, short }]) => {
    if (takes === 'nothing') return [];
    const flag = `--${name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()}`;
    return short ? [flag, `-${short}`] : [flag];
  });
  const names = files.map(({ name }) => name);
  const summaries = commands.map(({ name, summary }) => ({ name, summary }));
  const reference = framework.completionReferenceOf(commands, (name) =>
    fieldsOf(framework.table[name]?.response.schema),
  );
  await write(
    'names.ts',
    `export const names: ${list('string', names)}export const flagsWithValue: ${list('string', flagsWithValue)}`,
  );
  await write(
    'manifest.ts',
    `export const manifest: ${list('{ name: string; summary: string }', summaries)}`,
  );
  await write('reference.ts', `${head}${referenceText(reference)}`);
  return { commands, framework };
}
