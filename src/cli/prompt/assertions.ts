/** Asks for assertions one by one: source, comparison, target. */
import { COMPARISON_MEANINGS, propertyOf, takesTarget } from '../../contract/value-names.ts';
import { askChoice, askText, confirm } from '../../terminal/index.ts';
import type { Field } from '../framework/body-flags.ts';
import type { Step } from '../framework/types.ts';
import type { Scene } from './context.ts';
import { about, choicesOf, messageOf } from './labels.ts';

/** Chosen instead of an assertion that is offered. */
const OTHER = 'other';
const NONE = 'none';

export async function askAssertions(scene: Scene, field: Field, step: Partial<Step>): Promise<void> {
  const { deps, draft } = scene;
  const { offers = [] } = step;
  const first = await askChoice(deps.terminal, {
    ...about(scene, field),
    message: messageOf(field, step),
    choices: [
      ...offers.map((text) => ({ value: text, name: text })),
      { value: OTHER, name: 'another', description: 'build from source, comparison and target' },
      { value: NONE, name: 'none' },
    ],
  });
  if (first === NONE) return;
  const texts = first === OTHER ? [await askAssertion(scene, field, [])] : [first];
  draft.give(field.flag, texts);
  while (await confirm(deps.terminal, { ...about(scene, field), message: 'Add another assertion?' })) {
    texts.push(await askAssertion(scene, field, texts));
    draft.give(field.flag, texts);
  }
}

/** One assertion as `--assert` takes it, right by the contract together with those before it. */
async function askAssertion(scene: Scene, field: Field, before: readonly string[]): Promise<string> {
  const { terminal } = scene.deps;
  const { source: sources = {}, comparison: comparisons = {} } = field.schema.items?.properties ?? {};
  const ask = about(scene, field);
  const source = await askChoice(terminal, {
    ...ask,
    message: 'Source:',
    choices: choicesOf(sources),
  });
  const example = propertyOf(source);
  const objection = (text: string) => scene.draft.objection(field.flag, [...before, text]);
  const property =
    example === undefined
      ? undefined
      : await askText(terminal, {
          ...ask,
          message: 'Property:',
          default: example,
          validate: (typed) => objection(`${source}(${typed.trim()}) NOT_NULL`),
        });
  const subject = property === undefined ? source : `${source}(${property.trim()})`;
  const comparison = await askChoice(terminal, {
    ...ask,
    message: 'Comparison:',
    choices: Object.entries(COMPARISON_MEANINGS)
      .filter(([name]) => comparisons.enum?.includes(name))
      .map(([name, description]) => ({ value: name, name, description })),
  });
  if (!takesTarget(comparison)) return `${subject} ${comparison}`;
  const target = await askText(terminal, {
    ...ask,
    message: 'Target:',
    validate: (typed) =>
      typed.trim() === '' ? 'A value is required' : objection(`${subject} ${comparison} ${typed.trim()}`),
  });
  return `${subject} ${comparison} ${target.trim()}`;
}
