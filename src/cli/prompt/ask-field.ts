/** Prompts for a request field in the way that fits its schema. */
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

/** Prompts for a field and sets its flag. An empty answer for an optional field sets nothing. */
export async function askField(
  context: PromptContext,
  field: RequestField,
  step: Partial<Step> = {},
): Promise<void> {
  const { draft } = context;
  const { schema, kind, flag } = field;
  if (field.hasFileFlag) return askScript(context, field, step);
  if (kind === 'assertions') return askAssertions(context, field, step);
  if (kind === 'list' && schema.items?.['x-values'] === 'locations')
    return askLocations(context, field, step);
  const texts =
    kind === 'switch'
      ? await askSwitch(context, field, step)
      : kind === 'list' && schema.items?.enum
        ? await askList(context, field, schema.items, step)
        : await askOne(context, field, step);
  if (texts.length > 0) draft.setFlag(flag, texts);
}

async function askSwitch(
  context: PromptContext,
  field: RequestField,
  step: Partial<Step>,
): Promise<readonly string[]> {
  const message = promptMessage(field, step).replace(
    /^Whether (.*):$/,
    (_, what: string) => `${sentenceCase(what)}?`,
  );
  const answer = await confirm(context.deps.terminal, {
    ...promptOptions(context, field),
    message,
    default: field.schema.default === true,
  });
  return [String(answer)];
}

async function askList(
  context: PromptContext,
  field: RequestField,
  items: JsonSchema,
  step: Partial<Step>,
): Promise<readonly string[]> {
  const chosen = await askChoices(context.deps.terminal, {
    ...promptOptions(context, field),
    message: promptMessage(field, step),
    choices: choicesOf(items),
    required: field.isRequired,
  });
  return chosen.length === 0 ? [] : [chosen.join(',')];
}

/** Prompts for one value: a choice if there are few values, otherwise text. */
async function askOne(
  context: PromptContext,
  field: RequestField,
  step: Partial<Step>,
): Promise<readonly string[]> {
  const { draft, deps } = context;
  const { schema, flag, isRequired } = field;
  const message = promptMessage(field, step);
  const types = typesOf(schema);
  const isNumber = types.includes('number') || types.includes('integer');
  // A rule may allow only a few values of a number.
  const few = schema.enum || !isNumber ? [] : await draft.allowedValues(flag, String(schema.minimum ?? 1));
  const choices = schema.enum ? choicesOf(schema) : few.map((value) => ({ value, name: value }));
  const schemaDefault = schema.default === undefined ? undefined : String(schema.default);
  const suggestion = step.suggestions?.[0] ?? schemaDefault;
  if (choices.length > 0) {
    const chosen = await askChoice(deps.terminal, {
      ...promptOptions(context, field),
      message,
      choices,
      ...(suggestion === undefined ? {} : { default: suggestion }),
    });
    return [chosen];
  }
  const answer = await askText(deps.terminal, {
    ...promptOptions(context, field),
    message: isTime(schema) ? message.replace(/:$/, ' (such as 2026-11-21T08:00:00Z):') : message,
    ...(suggestion === undefined ? {} : { default: suggestion }),
    validate: async (typed) => {
      const text = typed.trim();
      if (text === '') return isRequired ? 'A value is required' : undefined;
      return step.validate?.(text) ?? draft.validateFlag(flag, [text]);
    },
  });
  const text = answer.trim();
  return text === '' ? [] : [text];
}

const isTime = ({ format }: JsonSchema): boolean => format === 'date-time' || format === 'date';
