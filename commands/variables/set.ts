/** `sonde variables set`: makes an environment variable, or changes its value. */
import { ApiError, UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { ask } from '../../src/cli/framework/confirm.ts';
import { argument, type Deps, defineCommand, text } from '../../src/cli/framework/index.ts';
import { show } from '../../src/cli/resource-commands/show.ts';
import { variables } from '../../src/cli/resources/variables.ts';
import { createVariable, getVariable, type Input, updateVariable } from '../../src/contract/index.ts';
import { askSecret } from '../../src/terminal/index.ts';

const KEY = new RegExp(createVariable.body?.properties?.key?.pattern ?? '');

/** The value, without the line break that ends it: from a file, from a person who is not seen typing it, or from stdin. */
async function readValue(
  { terminal, readFile, readStdin, signal }: Deps,
  key: string,
  file: string | undefined,
) {
  if (file === undefined && terminal.canAsk) {
    const check = (typed: string) => (typed === '' ? 'A value is required' : undefined);
    return askSecret(terminal, {
      message: `Value of ${key}:`,
      flag: '--value-file',
      signal,
      validate: check,
    });
  }
  const given = file === undefined || file === '-' ? await readStdin() : await readFile(file);
  const value = given.replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw new UsageError(`no value for variable ${key}`, {
    details: [{ place: file === undefined || file === '-' ? 'stdin' : file, message: 'is empty' }],
    hint: `pass --value-file, or pipe the value: printf %s "$VALUE" | sonde variables set ${key}`,
  });
}

/** Whether there is such a variable. */
async function isThere({ client, signal }: Deps, key: string): Promise<boolean> {
  try {
    await (await client()).call(getVariable, { params: { key } }, { signal });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

export const command = defineCommand({
  name: 'variables set',
  summary: 'Create or update an environment variable',
  description:
    'Reads the value from a hidden prompt, from stdin or from a file, and removes a trailing line break. There is no flag for the ' +
    'value, because flags are visible in the process list. Settings that are not specified do not change.',
  endpoint: updateVariable,
  arguments: { key: argument('Key of the variable', { param: 'key', of: 'variable' }) },
  options: { valueFile: text('File to read the value from; - for stdin', { placeholder: 'file' }) },
  flags: { without: ['key', 'value'] },
  dryRun: 'own',
  examples: [
    { line: 'variables set SHOP_PASSWORD --secret', does: 'Enter a secret value at a prompt' },
    { line: 'variables set SHOP_URL --value-file url.txt', does: 'Read the value from a file' },
  ],
  exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
  // The contract wants a value; it is read once all else is right.
  makeBody(given, { args, complain }) {
    // What stands behind `=` is the value, and is not told again.
    if (!KEY.test(String(args.key)))
      complain({
        place: '<key>',
        message:
          'must contain only letters, digits and _, and not begin with a digit; pass the value at the prompt, on stdin or with --value-file',
      });
    return { value: '', ...given };
  },
  async run(deps, line) {
    const { client, terminal, signal, preview } = deps;
    const { input, options, dryRun, globals, output } = line;
    const { key } = input.params;
    const value = input.body.value || (await readValue(deps, key, options.valueFile));
    const exists = await isThere(deps, key);
    const change: Input<typeof updateVariable> = { params: { key }, body: { ...input.body, value } };
    const creation: Input<typeof createVariable> = { body: { ...input.body, key, value } };
    if (dryRun) {
      return exists ? preview(updateVariable, [change], output) : preview(createVariable, [creation], output);
    }
    const api = await client();
    if (exists) {
      await ask(deps, { message: `Replace the value of ${key}?`, yes: globals.yes, required: false });
    }
    const { body: variable } = exists
      ? await api.call(updateVariable, change, { signal })
      : await api.call(createVariable, creation, { signal });
    await terminal.note(`${exists ? 'Updated' : 'Created'} the variable ${key}.`);
    await show(deps, line, variables, variable);
  },
});
