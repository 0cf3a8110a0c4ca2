/** Asks for a field of the request: how, its schema says. */
import { typesOf } from '../../contract/coerce.ts';
import type { JsonSchema } from '../../contract/index.ts';
import { askChoice, askChoices, askText, confirm } from '../../terminal/index.ts';
import { sentenceCase } from '../framework/help-layout.ts';
import type { RequestField } from '../framework/request-fields.ts';
import type { Step } from '../framework/types.ts';
import { askAssertions } from './ask-assertions.ts';
import { askLocations } from './ask-locations.ts';
import { askScript } from './ask-script.ts';
import type { PromptContext } from './context.ts';
import { choicesOf, promptMessage, promptOptions } from './labels.ts';

/** Asks, and puts the answer into the line. A field that may be left out and is left out stands nowhere. */
export async function askField(
  scene: PromptContext,
  field: RequestField,
  step: Partial<Step> = {},
): Promise<void> {
  const { draft } = scene;
  const { schema, kind, flag } = field;
  if (field.hasFileFlag) return askScript(scene, field, step);
  if (kind === 'assertions') return askAssertions(scene, field, step);
  if (kind === 'list' && schema.items?.['x-values'] === 'locations') return askLocations(scene, field, step);
  const texts =
    kind === 'switch'
      ? await askSwitch(scene, field, step)
      : kind === 'list' && schema.items?.enum
        ? await askList(scene, field, schema.items, step)
        : await askOne(scene, field, step);
  if (texts.length > 0) draft.setFlag(flag, texts);
}

async function askSwitch(
  scene: PromptContext,
  field: RequestField,
  step: Partial<Step>,
): Promise<readonly string[]> {
  const standard = field.schema.default === true;
  const message = promptMessage(field, step).replace(
    /^Whether (.*):$/,
    (_, what: string) => `${sentenceCase(what)}?`,
  );
  const answer = await confirm(scene.deps.terminal, {
    ...promptOptions(scene, field),
    message,
    default: standard,
  });
  return [String(answer)];
}

async function askList(
  scene: PromptContext,
  field: RequestField,
  items: JsonSchema,
  step: Partial<Step>,
): Promise<readonly string[]> {
  const chosen = await askChoices(scene.deps.terminal, {
    ...promptOptions(scene, field),
    message: promptMessage(field, step),
    choices: choicesOf(items),
    required: field.isRequired,
  });
  return chosen.length === 0 ? [] : [chosen.join(',')];
}

/** One value: chosen where there are few, typed elsewhere. */
async function askOne(
  scene: PromptContext,
  field: RequestField,
  step: Partial<Step>,
): Promise<readonly string[]> {
  const { draft, deps } = scene;
  const { schema, flag, isRequired: required } = field;
  const message = promptMessage(field, step);
  const types = typesOf(schema);
  const isNumber = types.includes('number') || types.includes('integer');
  // Between the bounds of a number a rule may leave but a few.
  const few = schema.enum || !isNumber ? [] : await draft.allowedValues(flag, String(schema.minimum ?? 1));
  const choices = schema.enum ? choicesOf(schema) : few.map((value) => ({ value, name: value }));
  const standard = schema.default === undefined ? undefined : String(schema.default);
  if (choices.length > 0) {
    const offered = step.suggestions?.[0] ?? standard;
    const chosen = await askChoice(deps.terminal, {
      ...promptOptions(scene, field),
      message,
      choices,
      ...(offered === undefined ? {} : { default: offered }),
    });
    return [chosen];
  }
  const offered = step.suggestions?.[0] ?? standard;
  const answer = await askText(deps.terminal, {
    ...promptOptions(scene, field),
    message: isTime(schema) ? message.replace(/:$/, ' (such as 2026-11-21T08:00:00Z):') : message,
    ...(offered === undefined ? {} : { default: offered }),
    check: async (typed) => {
      const text = typed.trim();
      if (text === '') return required ? 'A value is required' : undefined;
      return step.validate?.(text) ?? draft.validateFlag(flag, [text]);
    },
  });
  const text = answer.trim();
  return text === '' ? [] : [text];
}

const isTime = ({ format }: JsonSchema): boolean => format === 'date-time' || format === 'date';
