/** Asks a person for what a command line leaves open, then does what it says, and shows how to say it at once. */
import { DeclinedError } from '../../base/errors.ts';
import { confirm } from '../../terminal/index.ts';
import { camel, type Field } from '../framework/request-fields.ts';
import type { Shape } from '../framework/command-spec.ts';
import type { Examined } from '../framework/parse-command-line.ts';
import type { Collected } from '../framework/tokenize-argv.ts';
import type { Command, Deps, Interview } from '../framework/types.ts';
import { askArgument } from './ask-argument.ts';
import type { Scene } from './context.ts';
import { type Examine, openDraft } from './draft.ts';
import { lineOf } from './equivalent-line.ts';
import { askField } from './ask-field.ts';
import { tellSummary } from './print-summary.ts';

export interface Work {
  readonly command: Command;
  readonly shape: Shape;
  /** As it was typed. */
  readonly line: Collected;
  readonly deps: Deps;
  readonly examine: Examine;
  /** Does what a complete line says. Throws where something is wrong with it. */
  readonly perform: (examined: Examined) => Promise<void>;
}

/** Asks, shows what will be sent where the command wants that, and performs it. Throws DeclinedError for a no. */
export async function performAsking({ command, shape, line, deps, examine, perform }: Work): Promise<void> {
  const { terminal, signal } = deps;
  const scene: Scene = { command, shape, deps, draft: openDraft(shape, line, examine) };
  const { draft } = scene;
  const { interview } = command;
  const { endpoint, invocation } = await draft.examine();
  // A question is vain where no key is known.
  if (endpoint && !invocation.dryRun) await deps.client();
  const warning = await interview?.warning?.(deps);
  if (warning !== undefined) await terminal.warn(warning);
  if (interview && isBare(shape, line)) await walk(scene, interview);
  await askForTheRest(scene);

  const examined = await draft.examine();
  const tellLine = async (): Promise<void> => {
    const said = lineOf(command.name, shape, draft.line(), endpoint?.body);
    await terminal.note(`To repeat this without prompts, run:\n  ${said}`);
  };
  if (examined.problems.length > 0) return perform(examined);
  if (!interview) {
    await tellLine();
    return perform(examined);
  }
  try {
    if (!invocation.dryRun && !invocation.globals.yes) {
      await tellSummary(scene);
      const asked = { message: interview.confirm, flag: '--yes', default: true, signal };
      if (!(await confirm(terminal, asked))) throw new DeclinedError('nothing was created');
    }
    await perform(examined);
  } finally {
    // Also after a no and where the service refuses it: nobody wants to be asked all that again.
    if (!signal.aborted) await tellLine();
  }
}

/** Whether the line says nothing of the body. */
const isBare = ({ flags }: Shape, { texts }: Collected): boolean =>
  !flags.some(
    ({ flag, group }) => (group === 'body' || flag === 'file' || flag === 'set') && texts.has(camel(flag)),
  );

async function walk(scene: Scene, { steps }: Interview): Promise<void> {
  const { draft, shape } = scene;
  for (const step of steps) {
    const [flag, text] = step.when ?? [];
    const given = flag === undefined ? undefined : draft.texts(flag);
    if (flag !== undefined && (given === undefined || (text !== undefined && given.at(-1) !== text)))
      continue;
    const field = shape.fields.find((one) => one.flag === step.flag);
    if (field) await askField(scene, field, step);
  }
}

/** What is required and still missing, and what an answer asks for in turn: nothing twice. */
async function askForTheRest(scene: Scene): Promise<void> {
  const { draft, command } = scene;
  const asked = new Set<string>();
  const isNew = (name: string): boolean => !asked.has(name) && asked.add(name).size > 0;
  for (;;) {
    const { missing, wanted, absent } = await draft.examine();
    const key = absent.map((each) => each.key).find(isNew);
    if (key !== undefined) {
      await askArgument(scene, key);
      continue;
    }
    const field = [...missing, ...wanted].find(({ flag }: Field) => isNew(flag));
    if (!field) return;
    const step = command.interview?.steps.find(({ flag }) => flag === field.flag);
    await askField(scene, { ...field, required: true }, step);
  }
}
