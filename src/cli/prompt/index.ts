/** Asks a person for what a command line leaves open, then does what it says, and shows how to say it at once. */
import { DeclinedError } from '../../base/errors.ts';
import { confirm } from '../../terminal/index.ts';
import type { CommandSpec } from '../framework/command-spec.ts';
import type { ParseResult } from '../framework/parse-command-line.ts';
import { camelCase, type RequestField } from '../framework/request-fields.ts';
import type { TokenizedLine } from '../framework/tokenize-argv.ts';
import type { Command, Deps, Interview } from '../framework/types.ts';
import { askArgument } from './ask-argument.ts';
import { askField } from './ask-field.ts';
import type { PromptContext } from './context.ts';
import { createDraft, type ParseLine } from './draft.ts';
import { equivalentLine } from './equivalent-line.ts';
import { printSummary } from './print-summary.ts';

export interface PromptRequest {
  readonly command: Command;
  readonly spec: CommandSpec;
  /** As it was typed. */
  readonly line: TokenizedLine;
  readonly deps: Deps;
  readonly parse: ParseLine;
  /** Does what a complete line says. Throws where something is wrong with it. */
  readonly run: (examined: ParseResult) => Promise<void>;
}

/** Asks, shows what will be sent where the command wants that, and performs it. Throws DeclinedError for a no. */
export async function promptAndRun({
  command,
  spec,
  line,
  deps,
  parse: examine,
  run: perform,
}: PromptRequest): Promise<void> {
  const { terminal, signal } = deps;
  const scene: PromptContext = { command, spec, deps, draft: createDraft(spec, line, examine) };
  const { draft } = scene;
  const { interview } = command;
  const { endpoint, invocation } = await draft.parse();
  // A question is vain where no key is known.
  if (endpoint && !invocation.dryRun) await deps.client();
  const warning = await interview?.warning?.(deps);
  if (warning !== undefined) await terminal.warn(warning);
  if (interview && isBodyEmpty(spec, line)) await askSteps(scene, interview);
  await askMissing(scene);

  const examined = await draft.parse();
  const printLine = async (): Promise<void> => {
    const said = equivalentLine(command.name, spec, draft.line(), endpoint?.body);
    await terminal.note(`To repeat this without prompts, run:\n  ${said}`);
  };
  if (examined.problems.length > 0) return perform(examined);
  if (!interview) {
    await printLine();
    return perform(examined);
  }
  try {
    if (!invocation.dryRun && !invocation.globals.yes) {
      await printSummary(scene);
      const asked = { message: interview.confirm, flag: '--yes', default: true, signal };
      if (!(await confirm(terminal, asked))) throw new DeclinedError('nothing was created');
    }
    await perform(examined);
  } finally {
    // Also after a no and where the service refuses it: nobody wants to be asked all that again.
    if (!signal.aborted) await printLine();
  }
}

/** Whether the line says nothing of the body. */
const isBodyEmpty = ({ flags }: CommandSpec, { texts }: TokenizedLine): boolean =>
  !flags.some(
    ({ flag, group }) =>
      (group === 'body' || flag === 'file' || flag === 'set') && texts.has(camelCase(flag)),
  );

async function askSteps(scene: PromptContext, { steps }: Interview): Promise<void> {
  const { draft, spec } = scene;
  for (const step of steps) {
    const [flag, text] = step.when ?? [];
    const given = flag === undefined ? undefined : draft.texts(flag);
    if (flag !== undefined && (given === undefined || (text !== undefined && given.at(-1) !== text)))
      continue;
    const field = spec.fields.find((one) => one.flag === step.flag);
    if (field) await askField(scene, field, step);
  }
}

/** What is required and still missing, and what an answer asks for in turn: nothing twice. */
async function askMissing(scene: PromptContext): Promise<void> {
  const { draft, command } = scene;
  const asked = new Set<string>();
  const isNew = (name: string): boolean => !asked.has(name) && asked.add(name).size > 0;
  for (;;) {
    const { missing, missingByGaps: wanted, missingArguments: absent } = await draft.parse();
    const key = absent.map((each) => each.key).find(isNew);
    if (key !== undefined) {
      await askArgument(scene, key);
      continue;
    }
    const field = [...missing, ...wanted].find(({ flag }: RequestField) => isNew(flag));
    if (!field) return;
    const step = command.interview?.steps.find(({ flag }) => flag === field.flag);
    await askField(scene, { ...field, isRequired: true }, step);
  }
}
