/** Formats prompts and choices of request fields. */
import type { JsonSchema } from '../../contract/index.ts';
import { nameOfValue } from '../../contract/value-names.ts';
import type { Choice } from '../../terminal/index.ts';
import type { RequestField } from '../framework/request-fields.ts';
import type { Step } from '../framework/types.ts';
import type { PromptContext } from './context.ts';

/** Returns the message of a prompt: that of the step, or else the field's description. */
export const promptMessage = ({ schema, flag }: RequestField, { message }: Partial<Step>): string =>
  `${message ?? schema.description ?? flag}:`;

export const promptOptions = ({ deps }: PromptContext, { flag }: RequestField) => ({
  flag: `--${flag}`,
  signal: deps.signal,
});

/** Returns a value as a choice: a number by its meaning, a word unchanged. */
function choiceOf(schema: JsonSchema, value: unknown): Choice<string> {
  const named = nameOfValue(schema, value);
  const text = String(value);
  const group = named?.group === undefined ? {} : { group: named.group };
  if (typeof value === 'number' && named) return { value: text, name: named.description, ...group };
  const unit = typeof value === 'number' && schema['x-unit'] ? ` ${schema['x-unit']}` : '';
  const described = named === undefined || named.description === '' ? {} : { description: named.description };
  return { value: text, name: `${text}${unit}`, ...described, ...group };
}

/** Returns the values of an enumeration, sorted by group. */
export function choicesOf(schema: JsonSchema): readonly Choice<string>[] {
  const all = (schema.enum ?? []).filter((value) => value !== null).map((value) => choiceOf(schema, value));
  const groups = [...new Set(all.map(({ group }) => group))];
  return groups.flatMap((group) => all.filter((one) => one.group === group));
}
