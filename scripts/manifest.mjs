/** Finds the commands by their place in the tree and writes what the entry, help and completion know of them. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from './load.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const generated = join(root, 'src/cli/generated');

/**
 * Every command's file, relative to the root, with the name that its place gives it; and once more for the alias that each
 * `delete` declares: `delete snippet` for `snippets delete`. Sorted by name.
 */
export async function commandFiles() {
  const found = [];
  for (const entry of await readdir(join(root, 'commands'), { withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.ts')) {
      found.push({ name: entry.name.slice(0, -3), file: `commands/${entry.name}` });
    }
    if (!entry.isDirectory()) continue;
    for (const verb of await readdir(join(root, 'commands', entry.name), { withFileTypes: true })) {
      if (!verb.isFile() || !verb.name.endsWith('.ts')) continue;
      const file = `commands/${entry.name}/${verb.name}`;
      found.push({ name: `${entry.name} ${verb.name.slice(0, -3)}`, file });
      if (verb.name === 'delete.ts')
        found.push({ name: `delete ${entry.name.replace(/s$/, '')}`, file, isAlias: true });
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The commands themselves with what the framework knows of them, loaded as they stand. */
export async function loadCommands(files) {
  const lines = files.map(({ file }, index) => `export { command as c${index} } from './${file}';`);
  const framework = [
    "export { shapeOf } from './src/cli/framework/command-spec.ts';",
    "export * from './src/cli/framework/help-sections.ts';",
    "export * from './src/cli/framework/global-flags-help.ts';",
    "export * from './src/cli/help/topics.ts';",
    "export { ANYBODY } from './src/cli/help/blocks.ts';",
    "export { FIRST_STEPS } from './src/cli/help/overview.ts';",
    "export { GROUPS, LAST_GROUP } from './src/cli/help/nouns.ts';",
    "export { VARIABLES } from './src/cli/help/lazy/topics/environment.ts';",
    "export { blocksOf } from './src/cli/help/lazy/page.ts';",
    "export { everyGlobal } from './src/cli/framework/global-flags.ts';",
    "export { referenceOf } from './src/cli/framework/completion-reference.ts';",
    "export * as table from './src/contract/endpoints/index.ts';",
    "export { spelling } from './src/cli/framework/tokenize-argv.ts';",
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

/** The names of what an endpoint answers: one thing, a list, or a page of one. */
function fieldsOf(schema) {
  const { properties = {}, items } = schema ?? {};
  const { entries = items } = properties;
  return Object.keys((entries?.items ?? entries)?.properties ?? properties);
}

/** The reference as a program: what several commands have alike, such as an option or the names of all locations, stands once. */
function referenceText({ common, commands }) {
  const counts = new Map();
  const count = (value) => {
    const text = JSON.stringify(value);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return counts.get(text) === 1;
  };
  for (const { flags, arguments: given } of [{ flags: common, arguments: [] }, ...commands]) {
    for (const part of [...flags, ...given]) if (count(part) && part.values) count(part.values);
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
      const values = once(part.values, 'Values', () => JSON.stringify(part.values));
      return JSON.stringify({ ...part, values: 0 }).replace(/"values":0\}$/, () => `"values":${values}}`);
    });
  const flagsText = (flags) => `[${flags.map((each) => partText(each, 'ReferenceFlag')).join(', ')}]`;
  const entries = commands.map(({ name, summary, arguments: given, flags }) => {
    const words = given.map((each) => partText(each, 'ReferenceArgument')).join(', ');
    return `{ name: ${JSON.stringify(name)}, summary: ${JSON.stringify(summary)}, arguments: [${words}], flags: ${flagsText(flags)} }`;
  });
  const whole = `{ common: ${flagsText(common)}, commands: [\n${entries.join(',\n')}\n] }`;
  return `${lines.join('\n')}\n\nexport const reference: Reference = ${whole};\n`;
}

const HEAD = '/* Written by scripts/build.mjs from the commands there are. */\n';

async function write(name, text) {
  await mkdir(generated, { recursive: true });
  await writeFile(join(generated, name), `${HEAD}${text}`);
}

/** Writes src/cli/generated: names.ts for the entry, manifest.ts for help, reference.ts for completion. */
export async function writeManifest(files) {
  const list = (type, value) => `readonly ${type}[] = ${JSON.stringify(value, null, 1)};\n`;
  const head =
    "import type { Reference, ReferenceArgument, ReferenceFlag, Values } from '../framework/completion-reference.ts';\n\n";
  if (!existsSync(join(generated, 'reference.ts'))) {
    // Commands may import these, and are themselves loaded to write them.
    await write(
      'names.ts',
      'export const names: readonly string[] = [];\nexport const valued: readonly string[] = [];\n',
    );
    await write('manifest.ts', 'export const manifest: readonly { name: string; summary: string }[] = [];\n');
    await write('reference.ts', `${head}${referenceText({ common: [], commands: [] })}`);
  }
  const { commands, framework } = await loadCommands(files);
  const valued = Object.entries(framework.everyGlobal).flatMap(([name, { takes, short }]) => {
    if (takes === 'nothing') return [];
    const flag = `--${name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()}`;
    return short ? [flag, `-${short}`] : [flag];
  });
  const names = files.map(({ name }) => name);
  const summaries = commands.map(({ name, summary }) => ({ name, summary }));
  const reference = framework.referenceOf(commands, (name) =>
    fieldsOf(framework.table[name]?.response.schema),
  );
  await write(
    'names.ts',
    `export const names: ${list('string', names)}export const valued: ${list('string', valued)}`,
  );
  await write(
    'manifest.ts',
    `export const manifest: ${list('{ name: string; summary: string }', summaries)}`,
  );
  await write('reference.ts', `${head}${referenceText(reference)}`);
  return { commands, framework };
}
