/** `sonde variables set`: creates an environment variable or changes its value. */
import { isMissingResource, mayLackEndpoint, UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { confirmChange } from '../../src/cli/framework/confirm-change.ts';
import { argument, type Deps, defineCommand, text } from '../../src/cli/framework/index.ts';
import { printResource } from '../../src/cli/resource-commands/read.ts';
import { variables } from '../../src/cli/resources/variables.ts';
import type { Client } from '../../src/client/index.ts';
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

/** Returns whether the variable exists. Prints a warning and returns `unknown` if the deployment cannot say. */
async function findVariable(
  { client, signal, terminal }: Deps,
  key: string,
): Promise<'exists' | 'missing' | 'unknown'> {
  try {
    await (await client()).call(getVariable, { params: { key } }, { signal });
    return 'exists';
  } catch (error) {
    if (mayLackEndpoint(error) && error.absence === 'endpoint') {
      await terminal.warn(
        `cannot tell whether ${key} exists: this deployment does not offer ${error.endpoint}`,
      );
      return 'unknown';
    }
    if (isMissingResource(error)) return 'missing';
    throw error;
  }
}

interface Requests {
  readonly change: Input<typeof updateVariable>;
  readonly creation: Input<typeof createVariable>;
}

/** Updates the variable, or creates it if the update finds none. */
async function updateOrCreate(api: Client, { change, creation }: Requests, signal: AbortSignal) {
  try {
    return { ...(await api.call(updateVariable, change, { signal })), done: 'Updated' };
  } catch (error) {
    if (!isMissingResource(error)) throw error;
    return { ...(await api.call(createVariable, creation, { signal })), done: 'Created' };
  }
}

export const command = defineCommand({
  name: 'variables set',
  summary: 'Create or update an environment variable',
  description:
    'Reads the value from a hidden prompt, from stdin or from a file, and removes a trailing line break. There is no flag for the ' +
    'value, because flags are visible in the process list. Settings that are not specified do not change.',
  endpoint: updateVariable,
  printedBy: getVariable,
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
    const found = await findVariable(deps, key);
    const change: Input<typeof updateVariable> = { params: { key }, body: { ...input.body, value } };
    const creation: Input<typeof createVariable> = { body: { ...input.body, key, value } };
    if (dryRun) {
      return found === 'missing'
        ? preview(createVariable, [creation], output)
        : preview(updateVariable, [change], output);
    }
    const api = await client();
    if (found !== 'missing') {
      await confirmChange(deps, {
        message:
          found === 'exists' ? `Replace the value of ${key}?` : `Set ${key}, whether it exists or not?`,
        yes: globals.yes,
        required: found === 'unknown',
      });
    }
    const { body: variable, done } =
      found === 'missing'
        ? { ...(await api.call(createVariable, creation, { signal })), done: 'Created' }
        : await updateOrCreate(api, { change, creation }, signal);
    await terminal.note(`${done} the variable ${key}.`);
    await printResource(deps, line, variables, variable);
  },
});
