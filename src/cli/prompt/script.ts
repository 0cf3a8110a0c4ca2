/** Asks for a script: a file that is there, or one that is written now in the person's editor and kept in a file. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { DeclinedError } from '../../base/errors.ts';
import { askChoice, askText, confirm } from '../../terminal/index.ts';
import { findEditor, openEditor } from '../edit/editor.ts';
import type { Field } from '../framework/body-flags.ts';
import type { Step } from '../framework/types.ts';
import type { Scene } from './context.ts';
import { about, messageOf } from './labels.ts';

export async function askScript(scene: Scene, field: Field, step: Partial<Step>): Promise<void> {
  const { deps, draft } = scene;
  const { template } = step;
  // Where there is no editor a file can still be named.
  const editor = template === undefined ? undefined : await findEditor(deps).catch(() => undefined);
  const way =
    editor === undefined
      ? 'file'
      : await askChoice(deps.terminal, {
          ...about(scene, field),
          message: messageOf(field, step),
          choices: [
            { value: 'file', name: 'from a file', description: 'an existing file' },
            { value: 'editor', name: 'from an editor', description: `${editor}, with a working template` },
          ],
        });
  const path =
    way === 'file' || editor === undefined
      ? await askPath(scene, field)
      : await writeNew(scene, field, editor, template ?? '');
  draft.give(`${field.flag}-file`, [path]);
}

/** A file as it is typed at a prompt, where no shell reads `~`. */
const expanded = (path: string, home: string): string => {
  const given = path.trim();
  return given.startsWith('~/') ? join(home, given.slice(2)) : given;
};

async function askPath(scene: Scene, field: Field): Promise<string> {
  const { deps, draft } = scene;
  const answer = await askText(deps.terminal, {
    ...about(scene, field),
    message: 'Script file:',
    validate: async (typed) => {
      const path = expanded(typed, deps.home);
      if (path === '') return 'A value is required';
      const objection = await draft.objection(`${field.flag}-file`, [path]);
      return objection ?? wrongWith(await deps.readFile(path), path);
    },
  });
  return expanded(answer, deps.home);
}

async function writeNew(scene: Scene, field: Field, editor: string, template: string): Promise<string> {
  const { deps } = scene;
  const named = scene.draft.texts('name')?.at(-1) ?? '';
  const answer = await askText(deps.terminal, {
    ...about(scene, field),
    message: 'Save the script as:',
    default: `${slugOf(named)}.spec.js`,
    validate: async (typed) => {
      const path = expanded(typed, deps.home);
      if (path === '') return 'A value is required';
      if (await exists(resolve(deps.cwd, path)))
        return 'The file exists; enter another name, or choose the file as the source';
      return (await exists(join(resolve(deps.cwd, path), '..'))) ? undefined : 'The folder does not exist';
    },
  });
  const path = expanded(answer, deps.home);
  const file = resolve(deps.cwd, path);
  await writeFile(file, template, { flag: 'wx' });
  try {
    await edit(scene, field, editor, path);
  } catch (error) {
    // What somebody wrote is not thrown away; what nobody wrote is in the way.
    if ((await readFile(file, 'utf8').catch(() => template)) === template) await rm(file, { force: true });
    else await deps.terminal.note(`sonde saved your script in ${path}.`);
    throw error;
  }
  await deps.terminal.note(`sonde saved the script in ${path}.`);
  return path;
}

/** Opens the editor until what it leaves can be read as a script. */
async function edit(scene: Scene, field: Field, editor: string, path: string): Promise<void> {
  const { deps } = scene;
  for (;;) {
    await openEditor(deps, editor, resolve(deps.cwd, path));
    const wrong = wrongWith(await deps.readFile(path), path);
    if (wrong === undefined) return;
    await deps.terminal.warn(`The script is not valid: ${wrong}`);
    const again = { ...about(scene, field), message: 'Edit the script again?', default: true };
    if (!(await confirm(deps.terminal, again))) throw new DeclinedError('nothing was created');
  }
}

const exists = (path: string): Promise<boolean> => stat(path).then(Boolean, () => false);

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'check';

/** What keeps a text from being a script, with its line. Modules and TypeScript are for their runner to judge. */
function wrongWith(text: string, path: string): string | undefined {
  if (text.trim() === '') return 'The script is empty';
  if (/\.[mc]?tsx?$/.test(path) || /^\s*(?:import|export)\b/m.test(text)) return undefined;
  try {
    // As Node reads it: inside a function, here one that may wait.
    new Script(`(async () => {\n${text.replace(/^#!.*/, '')}\n})`, { filename: 'script', lineOffset: -1 });
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const line = Number(error.stack?.match(/^script:(\d+)/)?.[1] ?? 0);
    if (line > text.trimEnd().split('\n').length) return 'The script is incomplete';
    return `${line === 0 ? 'The script' : `Line ${line}`} has a syntax error: ${error.message}`;
  }
}
