/** Prompts for missing values, runs the command, and prints the equivalent command line. */
import { DeclinedError } from '../../base/errors.ts';
import { confirm } from '../../terminal/index.ts';
import type { CommandSpec } from '../framework/command-spec.ts';
import type { ParseResult } from '../framework/parse-command-line.ts';
import type { TokenizedLine } from '../framework/program.ts';
import { camelCase, type RequestField } from '../framework/request-fields.ts';
import type { Command, Deps, Interview } from '../framework/types.ts';
import { askArgument } from './ask-argument.ts';
import { askField } from './ask-field.ts';
import { createDraft, type ParseLine, type PromptContext } from './draft.ts';
import { equivalentLine, printSummary } from './equivalent-line.ts';

export interface PromptRequest {
  readonly command: Command;
  readonly spec: CommandSpec;
  /** The line from the user. */
  readonly line: TokenizedLine;
  readonly deps: Deps;
  readonly parse: ParseLine;
  /** Runs the command with a complete line. Throws if the line has problems. */
  readonly run: (result: ParseResult) => Promise<void>;
  /** Shows what follows from the body, once. */
  readonly showPreview: (result: ParseResult) => Promise<void>;
}

/** Prompts, shows a summary if the command has an interview, and runs the command. Throws DeclinedError if the user declines. */
export async function promptAndRun({
  command,
  spec,
  line,
  deps,
  parse,
  run,
  showPreview,
}: PromptRequest): Promise<void> {
  const { terminal, signal } = deps;
  const context: PromptContext = { command, spec, deps, draft: createDraft(spec, line, parse) };
  const { draft } = context;
  const { interview } = command;
  const { endpoint, invocation } = await draft.parse();
  // Reports a missing key before the first prompt.
  if (endpoint && !invocation.dryRun) await deps.client();
  const warning = await interview?.warning?.(deps);
  if (warning !== undefined) await terminal.warn(warning);
  if (interview && isBodyEmpty(spec, line)) await askSteps(context, interview);
  await askMissing(context);

  const result = await draft.parse();
  const printLine = async (): Promise<void> => {
    const equivalent = equivalentLine(command.name, spec, draft.line(), endpoint?.body);
    await terminal.note(`To repeat this without prompts, run:\n  ${equivalent}`);
  };
  if (result.problems.length > 0) return run(result);
  if (!interview) {
    await printLine();
    return run(result);
  }
  try {
    if (!invocation.dryRun && !invocation.globals.yes) {
      await printSummary(context);
      await showPreview(result);
      const question = { message: interview.confirm, flag: '--yes', default: true, signal };
      if (!(await confirm(terminal, question))) throw new DeclinedError('nothing was created');
    }
    await run(result);
  } finally {
    // Also after an error or a no, so that the user need not answer all prompts again.
    if (!signal.aborted) await printLine();
  }
}

const isBodyEmpty = ({ flags }: CommandSpec, { texts }: TokenizedLine): boolean =>
  !flags.some(
    ({ flag, group }) =>
      (group === 'body' || flag === 'file' || flag === 'set') && texts.has(camelCase(flag)),
  );

async function askSteps(context: PromptContext, { steps }: Interview): Promise<void> {
  const { draft, spec } = context;
  for (const step of steps) {
    if (step.unless !== undefined && draft.texts(step.unless)?.at(-1)) continue;
    const [flag, text] = step.when ?? [];
    const texts = flag === undefined ? undefined : draft.texts(flag);
    if (flag !== undefined && (texts === undefined || (text !== undefined && texts.at(-1) !== text)))
      continue;
    const field = spec.fields.find((one) => one.flag === step.flag);
    if (field) await askField(context, field, step);
  }
}

/** Prompts for missing values, including those that an answer makes required, once each. */
async function askMissing(context: PromptContext): Promise<void> {
  const { draft, command } = context;
  const asked = new Set<string>();
  const isNew = (name: string): boolean => !asked.has(name) && asked.add(name).size > 0;
  for (;;) {
    const { missing, missingByGaps, missingArguments } = await draft.parse();
    const key = missingArguments.map((each) => each.key).find(isNew);
    if (key !== undefined) {
      await askArgument(context, key);
      continue;
    }
    const field = [...missing, ...missingByGaps].find(({ flag }: RequestField) => isNew(flag));
    if (!field) return;
    const step = command.interview?.steps.find(({ flag }) => flag === field.flag);
    await askField(context, { ...field, isRequired: true }, step);
  }
}
