/** Asks where a check runs from: public locations by region, and the account's own. */
import { listPrivateLocations } from '../../contract/index.ts';
import { askChoices, type Choice } from '../../terminal/index.ts';
import type { Field } from '../framework/request-fields.ts';
import type { Step } from '../framework/types.ts';
import type { Scene } from './context.ts';
import { about, choicesOf, messageOf } from './labels.ts';

/** The flag of a check's own locations. */
const PRIVATE = 'private-locations';
/** Nobody waits longer than this for what may be offered besides, in ms. */
const PATIENCE = 3000;
const MOST = 100;

export async function askLocations(scene: Scene, field: Field, step: Partial<Step>): Promise<void> {
  const { deps, draft, shape } = scene;
  const takesPrivate =
    shape.fields.some(({ flag }) => flag === PRIVATE) && draft.texts(PRIVATE) === undefined;
  const own = takesPrivate ? await privateLocations(scene) : [];
  const open = choicesOf(field.schema.items ?? {});
  const of = (choice: Choice<string>, flag: string): Choice<readonly [string, string]> => ({
    ...choice,
    value: [flag, choice.value],
  });
  const chosen = await askChoices(deps.terminal, {
    ...about(scene, field),
    message: messageOf(field, step),
    choices: [...own.map((choice) => of(choice, PRIVATE)), ...open.map((choice) => of(choice, field.flag))],
    required: field.required,
  });
  for (const flag of [field.flag, PRIVATE]) {
    const names = chosen.filter(([to]) => to === flag).map(([, name]) => name);
    if (names.length > 0) draft.give(flag, [names.join(',')]);
  }
}

/** Those that the service lists; none where it cannot, for whatever reason: nobody asked for them. */
async function privateLocations({ deps }: Scene): Promise<readonly Choice<string>[]> {
  const enough = AbortSignal.any([deps.signal, AbortSignal.timeout(PATIENCE)]);
  try {
    const client = await deps.client();
    const { body } = await client.call(
      listPrivateLocations,
      { query: { limit: MOST } },
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
