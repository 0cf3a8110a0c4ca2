/** Asks where a check runs from: public locations by region, and the account's own. */
import { listPrivateLocations } from '../../contract/index.ts';
import { askChoices, type Choice } from '../../terminal/index.ts';
import type { RequestField } from '../framework/request-fields.ts';
import type { Step } from '../framework/types.ts';
import type { PromptContext } from './context.ts';
import { choicesOf, promptMessage, promptOptions } from './labels.ts';

/** The flag of a check's own locations. */
const PRIVATE_FLAG = 'private-locations';
/** Nobody waits longer than this for what may be offered besides, in ms. */
const LIST_TIMEOUT_MS = 3000;
const MAX_PRIVATE_LOCATIONS = 100;

export async function askLocations(
  scene: PromptContext,
  field: RequestField,
  step: Partial<Step>,
): Promise<void> {
  const { deps, draft, spec } = scene;
  const takesPrivate =
    spec.fields.some(({ flag }) => flag === PRIVATE_FLAG) && draft.texts(PRIVATE_FLAG) === undefined;
  const own = takesPrivate ? await privateLocations(scene) : [];
  const open = choicesOf(field.schema.items ?? {});
  const of = (choice: Choice<string>, flag: string): Choice<readonly [string, string]> => ({
    ...choice,
    value: [flag, choice.value],
  });
  const chosen = await askChoices(deps.terminal, {
    ...promptOptions(scene, field),
    message: promptMessage(field, step),
    choices: [
      ...own.map((choice) => of(choice, PRIVATE_FLAG)),
      ...open.map((choice) => of(choice, field.flag)),
    ],
    required: field.isRequired,
  });
  for (const flag of [field.flag, PRIVATE_FLAG]) {
    const names = chosen.filter(([to]) => to === flag).map(([, name]) => name);
    if (names.length > 0) draft.setFlag(flag, [names.join(',')]);
  }
}

/** Those that the service lists; none where it cannot, for whatever reason: nobody asked for them. */
async function privateLocations({ deps }: PromptContext): Promise<readonly Choice<string>[]> {
  const enough = AbortSignal.any([deps.signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
  try {
    const client = await deps.client();
    const { body } = await client.call(
      listPrivateLocations,
      { query: { limit: MAX_PRIVATE_LOCATIONS } },
      { signal: enough, budgetMs: 0 },
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
