/** Prompts for a request field in the way that fits its schema. */
import { typesOf } from '../../contract/coerce.ts';
import { type JsonSchema, listPrivateLocations } from '../../contract/index.ts';
import { COMPARISON_MEANINGS, propertyOf, takesTarget } from '../../contract/value-names.ts';
import { askChoice, askChoices, askText, type Choice, confirm } from '../../terminal/index.ts';
import { sentenceCase } from '../framework/help-layout.ts';
import type { RequestField } from '../framework/request-fields.ts';
import type { Step } from '../framework/types.ts';
import { askScript } from './ask-script.ts';
import { choicesOf, type PromptContext, promptMessage, promptOptions, type Question } from './draft.ts';

/** Prompts for a field and sets its flag. An empty answer for an optional field sets nothing. */
export async function askField(
  context: PromptContext,
  field: RequestField,
  step: Partial<Step> = {},
): Promise<void> {
  const { draft } = context;
  const question = { context, field, step };
  const { schema, kind, flag } = field;
  if (field.hasFileFlag && !schema.writeOnly) return askScript(question);
  if (kind === 'assertions') return askAssertions(question);
  if (kind === 'list' && schema.items?.['x-values'] === 'locations') return askLocations(question);
  const texts =
    kind === 'switch'
      ? await askSwitch(question)
      : kind === 'list' && schema.items?.enum
        ? await askList(question)
        : await askOne(question);
  if (texts.length > 0) draft.setFlag(flag, texts);
}

async function askSwitch(question: Question): Promise<readonly string[]> {
  const { context, field } = question;
  const message = promptMessage(question).replace(
    /^Whether (.*):$/,
    (_, what: string) => `${sentenceCase(what)}?`,
  );
  const answer = await confirm(context.deps.terminal, {
    ...promptOptions(question),
    message,
    default: field.schema.default === true,
  });
  return [String(answer)];
}

async function askList(question: Question): Promise<readonly string[]> {
  const { context, field } = question;
  const chosen = await askChoices(context.deps.terminal, {
    ...promptOptions(question),
    message: promptMessage(question),
    choices: choicesOf(field.schema.items ?? {}),
    required: field.isRequired,
  });
  return chosen.length === 0 ? [] : [chosen.join(',')];
}

/** Prompts for one value: a choice if there are few values, otherwise text. */
async function askOne(question: Question): Promise<readonly string[]> {
  const { context, field, step } = question;
  const { draft, deps } = context;
  const { schema, flag, isRequired } = field;
  const message = promptMessage(question);
  const types = typesOf(schema);
  const isNumber = types.includes('number') || types.includes('integer');
  // A rule may allow only a few values of a number.
  const few = schema.enum || !isNumber ? [] : await draft.allowedValues(flag, String(schema.minimum ?? 1));
  const choices = schema.enum ? choicesOf(schema) : few.map((value) => ({ value, name: value }));
  const schemaDefault = schema.default === undefined ? undefined : String(schema.default);
  const suggestion = step.suggestions?.[0] ?? schemaDefault;
  if (choices.length > 0) {
    const chosen = await askChoice(deps.terminal, {
      ...promptOptions(question),
      message,
      choices,
      ...(suggestion === undefined ? {} : { default: suggestion }),
    });
    return [chosen];
  }
  const answer = await askText(deps.terminal, {
    ...promptOptions(question),
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

const OTHER = 'other';
const NONE = 'none';

export async function askAssertions(question: Question): Promise<void> {
  const { context, field, step } = question;
  const { deps, draft } = context;
  const { suggestions = [] } = step;
  const first = await askChoice(deps.terminal, {
    ...promptOptions(question),
    message: promptMessage(question),
    choices: [
      ...suggestions.map((text) => ({ value: text, name: text })),
      { value: OTHER, name: 'another', description: 'build from source, comparison and target' },
      { value: NONE, name: 'none' },
    ],
  });
  if (first === NONE) return;
  const texts = first === OTHER ? [await askAssertion(context, field, [])] : [first];
  draft.setFlag(field.flag, texts);
  while (await confirm(deps.terminal, { ...promptOptions(question), message: 'Add another assertion?' })) {
    texts.push(await askAssertion(context, field, texts));
    draft.setFlag(field.flag, texts);
  }
}

/** Prompts for one assertion in the syntax of `--assert`, valid together with those before it. */
async function askAssertion(
  context: PromptContext,
  field: RequestField,
  before: readonly string[],
): Promise<string> {
  const { terminal } = context.deps;
  const { source: sources = {}, comparison: comparisons = {} } = field.schema.items?.properties ?? {};
  const options = promptOptions({ context, field });
  const source = await askChoice(terminal, {
    ...options,
    message: 'Source:',
    choices: choicesOf(sources),
  });
  const example = propertyOf(source);
  const validate = (text: string) => context.draft.validateFlag(field.flag, [...before, text]);
  const property =
    example === undefined
      ? undefined
      : await askText(terminal, {
          ...options,
          message: 'Property:',
          default: example,
          validate: (typed) => validate(`${source}(${typed.trim()}) NOT_NULL`),
        });
  const subject = property === undefined ? source : `${source}(${property.trim()})`;
  const comparison = await askChoice(terminal, {
    ...options,
    message: 'Comparison:',
    choices: Object.entries(COMPARISON_MEANINGS)
      .filter(([name]) => comparisons.enum?.includes(name))
      .map(([name, description]) => ({ value: name, name, description })),
  });
  if (!takesTarget(comparison)) return `${subject} ${comparison}`;
  const target = await askText(terminal, {
    ...options,
    message: 'Target:',
    validate: (typed) =>
      typed.trim() === '' ? 'A value is required' : validate(`${subject} ${comparison} ${typed.trim()}`),
  });
  return `${subject} ${comparison} ${target.trim()}`;
}

const PRIVATE_FLAG = 'private-locations';
const LIST_TIMEOUT_MS = 3000;
const MAX_PRIVATE_LOCATIONS = 100;

export async function askLocations(question: Question): Promise<void> {
  const { context, field } = question;
  const { deps, draft, spec } = context;
  const takesPrivate =
    spec.fields.some(({ flag }) => flag === PRIVATE_FLAG) && draft.texts(PRIVATE_FLAG) === undefined;
  const privateChoices = takesPrivate ? await listPrivateChoices(context) : [];
  const publicChoices = choicesOf(field.schema.items ?? {});
  const withFlag = (choice: Choice<string>, flag: string): Choice<readonly [string, string]> => ({
    ...choice,
    value: [flag, choice.value],
  });
  const chosen = await askChoices(deps.terminal, {
    ...promptOptions(question),
    message: promptMessage(question),
    choices: [
      ...privateChoices.map((choice) => withFlag(choice, PRIVATE_FLAG)),
      ...publicChoices.map((choice) => withFlag(choice, field.flag)),
    ],
    required: field.isRequired,
  });
  for (const flag of [field.flag, PRIVATE_FLAG]) {
    const names = chosen.filter(([to]) => to === flag).map(([, name]) => name);
    if (names.length > 0) draft.setFlag(flag, [names.join(',')]);
  }
}

/** Returns the private locations, or none if the service cannot list them, because they are optional. */
async function listPrivateChoices({ deps }: PromptContext): Promise<readonly Choice<string>[]> {
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
  try {
    const client = await deps.client();
    const { body } = await client.call(
      listPrivateLocations,
      { query: { limit: MAX_PRIVATE_LOCATIONS } },
      { signal, budgetMs: 0 },
    );
    return body.map(({ slugName, name }) => ({
      value: slugName,
      name: slugName,
      description: name,
      group: 'Private locations',
    }));
  } catch {
    deps.signal.throwIfAborted();
    return [];
  }
}
