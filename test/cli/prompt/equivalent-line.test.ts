/** The line that says the same: read back it is the same, and it tells no secret. */
import { expect, it } from 'vitest';
import { command } from '../../../commands/checks/create-browser.ts';
import { commandSpecOf } from '../../../src/cli/framework/command-spec.ts';
import { declareProgram, tokenizeArgv } from '../../../src/cli/framework/program.ts';
import { equivalentLine } from '../../../src/cli/prompt/equivalent-line.ts';
import { createBrowserCheck } from '../../../src/contract/index.ts';

const spec = commandSpecOf(command);
const said = (...argv: string[]) =>
  equivalentLine(
    command.name,
    spec,
    tokenizeArgv(declareProgram(command, spec), argv),
    createBrowserCheck.body,
  );

it('quotes for a shell, and keeps switches as they were', () => {
  expect(said('--name', "it's $HOME", '--no-activated', '--run-parallel')).toBe(
    "sonde checks create-browser --name 'it'\\''s $HOME' --no-activated --run-parallel",
  );
});

it.each([
  [['--env', 'TOKEN=hush'], '--env TOKEN'],
  [['--env', '[{"key":"TOKEN","value":"hush","secret":true}]'], '--env TOKEN'],
  [['--env', '[{"key": hush'], ''],
  [['--set', 'environmentVariables[0].value=hush'], "--set 'environmentVariables[0].value=…'"],
  [['--set', 'environmentVariables=[{"key":"TOKEN","value":"hush"}]'], "--set 'environmentVariables=…'"],
])('tells of %j its name alone', (argv, told) => {
  expect(said(...argv)).toBe(`sonde checks create-browser ${told}`.trim());
});
