/** Prompts for assertions one by one: source, comparison, target. */
import { COMPARISON_MEANINGS, propertyOf, takesTarget } from '../../contract/value-names.ts';
import { askChoice, askText, confirm } from '../../terminal/index.ts';
import type { RequestField } from '../framework/request-fields.ts';
import type { Step } from '../framework/types.ts';
import type { PromptContext } from './context.ts';
import { choicesOf, promptMessage, promptOptions } from './labels.ts';

/** Choices besides the suggested assertions. */
const OTHER = 'other';
const NONE = 'none';

export async function askAssertions(
  context: PromptContext,
  field: RequestField,
  step: Partial<Step>,
): Promise<void> {
  const { deps, draft } = context;
  const { suggestions = [] } = step;
  const first = await askChoice(deps.terminal, {
    ...promptOptions(context, field),
    message: promptMessage(field, step),
    choices: [
      ...suggestions.map((text) => ({ value: text, name: text })),
      { value: OTHER, name: 'another', description: 'build from source, comparison and target' },
      { value: NONE, name: 'none' },
    ],
  });
  if (first === NONE) return;
  const texts = first === OTHER ? [await askAssertion(context, field, [])] : [first];
  draft.setFlag(field.flag, texts);
  while (
    await confirm(deps.terminal, { ...promptOptions(context, field), message: 'Add another assertion?' })
  ) {
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
  const options = promptOptions(context, field);
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
