/** Prompts for a script: an existing file, or a new file that the user writes in an editor. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { DeclinedError } from '../../base/errors.ts';
import { askChoice, askText, confirm } from '../../terminal/index.ts';
import { findEditor, openEditor } from '../edit/editor.ts';
import type { RequestField } from '../framework/request-fields.ts';
import { type PromptContext, promptMessage, promptOptions, type Question } from './draft.ts';

export async function askScript(question: Question): Promise<void> {
  const { context, field, step } = question;
  const { deps, draft } = context;
  const { template } = step;
  // Without an editor, the user can still name a file.
  const editor = template === undefined ? undefined : await findEditor(deps).catch(() => undefined);
  const source =
    editor === undefined
      ? 'file'
      : await askChoice(deps.terminal, {
          ...promptOptions(question),
          message: promptMessage(question),
          choices: [
            { value: 'file', name: 'from a file', description: 'an existing file' },
            { value: 'editor', name: 'from an editor', description: `${editor}, with a working template` },
          ],
        });
  const path =
    source === 'file' || editor === undefined
      ? await askPath(context, field)
      : await writeInEditor(context, field, editor, template ?? '');
  draft.setFlag(`${field.flag}-file`, [path]);
}

/** Expands `~` in a path from a prompt, where no shell does. */
const expandHome = (path: string, home: string): string => {
  const trimmed = path.trim();
  return trimmed.startsWith('~/') ? join(home, trimmed.slice(2)) : trimmed;
};

async function askPath(context: PromptContext, field: RequestField): Promise<string> {
  const { deps, draft } = context;
  const answer = await askText(deps.terminal, {
    ...promptOptions({ context, field }),
    message: 'Script file:',
    validate: async (typed) => {
      const path = expandHome(typed, deps.home);
      if (path === '') return 'A value is required';
      const problem = await draft.validateFlag(`${field.flag}-file`, [path]);
      return problem ?? validateScript(await deps.readFile(path), path);
    },
  });
  return expandHome(answer, deps.home);
}

async function writeInEditor(
  context: PromptContext,
  field: RequestField,
  editor: string,
  template: string,
): Promise<string> {
  const { deps } = context;
  const checkName = context.draft.texts('name')?.at(-1) ?? '';
  const answer = await askText(deps.terminal, {
    ...promptOptions({ context, field }),
    message: 'Save the script as:',
    default: `${slugOf(checkName)}.spec.js`,
    validate: async (typed) => {
      const path = expandHome(typed, deps.home);
      if (path === '') return 'A value is required';
      if (await exists(resolve(deps.cwd, path)))
        return 'The file exists; enter another name, or choose the file as the source';
      return (await exists(join(resolve(deps.cwd, path), '..'))) ? undefined : 'The folder does not exist';
    },
  });
  const path = expandHome(answer, deps.home);
  const file = resolve(deps.cwd, path);
  await writeFile(file, template, { flag: 'wx' });
  try {
    await editUntilValid(context, field, editor, path);
  } catch (error) {
    // Removes an unchanged template, but never the user's work.
    if ((await readFile(file, 'utf8').catch(() => template)) === template) await rm(file, { force: true });
    else await deps.terminal.note(`sonde saved your script in ${path}.`);
    throw error;
  }
  await deps.terminal.note(`sonde saved the script in ${path}.`);
  return path;
}

async function editUntilValid(
  context: PromptContext,
  field: RequestField,
  editor: string,
  path: string,
): Promise<void> {
  const { deps } = context;
  for (;;) {
    await openEditor(deps, editor, resolve(deps.cwd, path));
    const problem = validateScript(await deps.readFile(path), path);
    if (problem === undefined) return;
    await deps.terminal.warn(`The script is not valid: ${problem}`);
    const question = {
      ...promptOptions({ context, field }),
      message: 'Edit the script again?',
      default: true,
    };
    if (!(await confirm(deps.terminal, question))) throw new DeclinedError('nothing was created');
  }
}

const exists = (path: string): Promise<boolean> => stat(path).then(Boolean, () => false);

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'check';

/** Returns the first syntax error with its line. The runner validates modules and TypeScript. */
function validateScript(text: string, path: string): string | undefined {
  if (text.trim() === '') return 'The script is empty';
  if (/\.[mc]?tsx?$/.test(path) || /^[^\S\n]*(?:import|export)\b/m.test(text)) return undefined;
  try {
    // Node reads a script inside a function; this one is async, so that the script can await.
    new Script(`(async () => {\n${text.replace(/^#!.*/, '')}\n})`, { filename: 'script', lineOffset: -1 });
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const line = Number(error.stack?.match(/^script:(\d+)/)?.[1] ?? 0);
    if (line > text.trimEnd().split('\n').length) return 'The script is incomplete';
    return `${line === 0 ? 'The script' : `Line ${line}`} has a syntax error: ${error.message}`;
  }
}
