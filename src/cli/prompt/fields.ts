/** Asks for a field of the request: how, its schema says. */
import { typesOf } from '../../contract/coerce.ts';
import type { JsonSchema } from '../../contract/index.ts';
import { askChoice, askChoices, askText, confirm } from '../../terminal/index.ts';
import type { Field } from '../framework/body-flags.ts';
import { sentenceCase } from '../framework/help-layout.ts';
import type { Step } from '../framework/types.ts';
import { askAssertions } from './assertions.ts';
import type { Scene } from './context.ts';
import { about, choicesOf, messageOf } from './labels.ts';
import { askLocations } from './locations.ts';
import { askScript } from './script.ts';

/** Asks, and puts the answer into the line. A field that may be left out and is left out stands nowhere. */
export async function askField(scene: Scene, field: Field, step: Partial<Step> = {}): Promise<void> {
  const { draft } = scene;
  const { schema, kind, flag } = field;
  if (field.fromFile) return askScript(scene, field, step);
  if (kind === 'assertions') return askAssertions(scene, field, step);
  if (kind === 'list' && schema.items?.['x-values'] === 'locations') return askLocations(scene, field, step);
  const texts =
    kind === 'switch'
      ? await askSwitch(scene, field, step)
      : kind === 'list' && schema.items?.enum
        ? await askList(scene, field, schema.items, step)
        : await askOne(scene, field, step);
  if (texts.length > 0) draft.give(flag, texts);
}

async function askSwitch(scene: Scene, field: Field, step: Partial<Step>): Promise<readonly string[]> {
  const standard = field.schema.default === true;
  const message = messageOf(field, step).replace(
    /^Whether (.*):$/,
    (_, what: string) => `${sentenceCase(what)}?`,
  );
  const answer = await confirm(scene.deps.terminal, { ...about(scene, field), message, default: standard });
  return [String(answer)];
}

async function askList(
  scene: Scene,
  field: Field,
  items: JsonSchema,
  step: Partial<Step>,
): Promise<readonly string[]> {
  const chosen = await askChoices(scene.deps.terminal, {
    ...about(scene, field),
    message: messageOf(field, step),
    choices: choicesOf(items),
    required: field.required,
  });
  return chosen.length === 0 ? [] : [chosen.join(',')];
}

/** One value: chosen where there are few, typed elsewhere. */
async function askOne(scene: Scene, field: Field, step: Partial<Step>): Promise<readonly string[]> {
  const { draft, deps } = scene;
  const { schema, flag, required } = field;
  const message = messageOf(field, step);
  const types = typesOf(schema);
  const isNumber = types.includes('number') || types.includes('integer');
  // Between the bounds of a number a rule may leave but a few.
  const few = schema.enum || !isNumber ? [] : await draft.allowed(flag, String(schema.minimum ?? 1));
  const choices = schema.enum ? choicesOf(schema) : few.map((value) => ({ value, name: value }));
  const standard = schema.default === undefined ? undefined : String(schema.default);
  if (choices.length > 0) {
    const offered = step.offers?.[0] ?? standard;
    const chosen = await askChoice(deps.terminal, {
      ...about(scene, field),
      message,
      choices,
      ...(offered === undefined ? {} : { default: offered }),
    });
    return [chosen];
  }
  const offered = step.offers?.[0] ?? standard;
  const answer = await askText(deps.terminal, {
    ...about(scene, field),
    message: isTime(schema) ? message.replace(/:$/, ' (such as 2026-11-21T08:00:00Z):') : message,
    ...(offered === undefined ? {} : { default: offered }),
    validate: async (typed) => {
      const text = typed.trim();
      if (text === '') return required ? 'A value is required' : undefined;
      return step.objection?.(text) ?? draft.objection(flag, [text]);
    },
  });
  const text = answer.trim();
  return text === '' ? [] : [text];
}

const isTime = ({ format }: JsonSchema): boolean => format === 'date-time' || format === 'date';
