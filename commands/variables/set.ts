/** `sonde variables set`: creates an environment variable or changes its value. */
import { ApiError, UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { confirmChange } from '../../src/cli/framework/confirm-change.ts';
import { argument, type Deps, defineCommand, text } from '../../src/cli/framework/index.ts';
import { printResource } from '../../src/cli/resource-commands/read.ts';
import { variables } from '../../src/cli/resources/variables.ts';
import { createVariable, getVariable, type Input, updateVariable } from '../../src/contract/index.ts';
import { askSecret } from '../../src/terminal/index.ts';

const KEY = new RegExp(createVariable.body?.properties?.key?.pattern ?? '');

/** Reads the value from a file, a hidden prompt or stdin, without a trailing line break. */
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
  const content = file === undefined || file === '-' ? await readStdin() : await readFile(file);
  const value = content.replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw new UsageError(`no value for variable ${key}`, {
    details: [{ place: file === undefined || file === '-' ? 'stdin' : file, message: 'is empty' }],
    hint: `pass --value-file, or pipe the value: printf %s "$VALUE" | sonde variables set ${key}`,
  });
}

async function variableExists({ client, signal }: Deps, key: string): Promise<boolean> {
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
  // The contract requires a value, which is read only after validation.
  makeBody(fields, { args, reportProblem }) {
    // Do not repeat the argument: `KEY=VALUE` contains the value.
    if (!KEY.test(String(args.key)))
      reportProblem({
        place: '<key>',
        message:
          'must contain only letters, digits and _, and not begin with a digit; pass the value at the prompt, on stdin or with --value-file',
      });
    return { value: '', ...fields };
  },
  async run(deps, line) {
    const { client, terminal, signal, preview } = deps;
    const { input, options, dryRun, globals, output } = line;
    const { key } = input.params;
    const value = input.body.value || (await readValue(deps, key, options.valueFile));
    const exists = await variableExists(deps, key);
    const change: Input<typeof updateVariable> = { params: { key }, body: { ...input.body, value } };
    const creation: Input<typeof createVariable> = { body: { ...input.body, key, value } };
    if (dryRun) {
      return exists ? preview(updateVariable, [change], output) : preview(createVariable, [creation], output);
    }
    const api = await client();
    if (exists) {
      await confirmChange(deps, {
        message: `Replace the value of ${key}?`,
        yes: globals.yes,
        required: false,
      });
    }
    const { body: variable } = exists
      ? await api.call(updateVariable, change, { signal })
      : await api.call(createVariable, creation, { signal });
    await terminal.note(`${exists ? 'Updated' : 'Created'} the variable ${key}.`);
    await printResource(deps, line, variables, variable);
  },
});
