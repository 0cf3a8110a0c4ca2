/** Prompts for the locations of a check: public locations by region, and private locations. */
import { listPrivateLocations } from '../../contract/index.ts';
import { askChoices, type Choice } from '../../terminal/index.ts';
import type { RequestField } from '../framework/request-fields.ts';
import type { Step } from '../framework/types.ts';
import type { PromptContext } from './context.ts';
import { choicesOf, promptMessage, promptOptions } from './labels.ts';

/** The flag of private locations. */
const PRIVATE_FLAG = 'private-locations';
/** The maximum time to wait for the list of private locations. */
const LIST_TIMEOUT_MS = 3000;
const MAX_PRIVATE_LOCATIONS = 100;

export async function askLocations(
  context: PromptContext,
  field: RequestField,
  step: Partial<Step>,
): Promise<void> {
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
    ...promptOptions(context, field),
    message: promptMessage(field, step),
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
