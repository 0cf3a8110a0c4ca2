/** Presents a plan without secrets, for people and programs. */
import { isObject, type JsonObject } from '../../../base/object.ts';
import { HIDDEN } from '../../../client/redact.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { entrySchemaOf } from '../files/entry-schema.ts';
import { kindOf } from '../kinds.ts';
import type { ResourceId } from '../state/project-state.ts';
import type { Change, PlanAction } from './change.ts';
import { type FieldDifference, findDifferences, withValueAt } from './compare.ts';
import type { Plan } from './create-plan.ts';

/** A field that changes, as `--json` prints it. Null: the field is not set. */
export interface PresentedField {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface PresentedChange {
  readonly action: PlanAction;
  readonly kind: string;
  readonly key: string;
  readonly name: string;
  readonly id: ResourceId | null;
  readonly previousName?: string;
  readonly adopts?: true;
  readonly fields: readonly PresentedField[];
}

/** A change with the states that a difference shows. */
export interface ShownChange extends PresentedChange {
  readonly states: { readonly before: JsonObject; readonly after: JsonObject };
}

export interface PresentedPlan<C = PresentedChange> {
  readonly project: string | null;
  readonly changes: readonly C[];
  readonly undeclared: readonly Pick<PresentedChange, 'kind' | 'key' | 'name' | 'id'>[];
  readonly summary: Readonly<Record<PlanAction, number>>;
}

/** Returns the plan with masked secrets. The states of a difference are only for `renderPlan`. */
export async function presentPlan(
  plan: Pick<Plan, 'project' | 'changes' | 'undeclared' | 'secrets'>,
): Promise<PresentedPlan<ShownChange>> {
  const { maskSecrets } = await import('../../edit/lazy/changes.ts');
  const { project, changes, undeclared, secrets } = plan;
  const present = (change: Change): ShownChange => {
    const { action, section, key, name, id, previousName, adopts, fields } = change;
    const schema = entrySchemaOf(section, (change.after ?? change.before)?.checkType) ?? {};
    const isShown = fields.length > 0;
    const states = isShown ? addDefaults(schema, change) : { before: {}, after: {} };
    const masked = maskSecrets(schema, states.before, states.after);
    const before = hideTexts(masked.before, masked.after, false, secrets) as JsonObject;
    const after = hideTexts(masked.after, masked.before, true, secrets) as JsonObject;
    return {
      action,
      kind: kindOf(section).noun,
      key,
      name,
      id,
      ...(previousName === undefined ? {} : { previousName }),
      ...(adopts ? { adopts } : {}),
      fields: isShown ? findDifferences(before, after).map(presentField) : [],
      states: { before, after },
    };
  };
  const shown = changes.map(present);
  const isDeleted = new Set(
    shown.filter(({ action }) => action === 'delete').map(({ kind, id }) => `${kind} ${id}`),
  );
  const count = (action: PlanAction): number => shown.filter((change) => change.action === action).length;
  return {
    project: project ?? null,
    changes: shown,
    undeclared: undeclared
      .map(({ section, key, name, id }) => ({
        kind: kindOf(section).noun,
        key,
        name,
        id,
      }))
      .filter(({ kind, id }) => !isDeleted.has(`${kind} ${id}`)),
    summary: {
      create: count('create'),
      update: count('update'),
      rename: count('rename'),
      delete: count('delete'),
      unchanged: count('unchanged'),
      skipped: count('skipped'),
    },
  };
}

const presentField = ({ path, before, after }: FieldDifference): PresentedField => ({
  path: path.join('.'),
  before: before ?? null,
  after: after ?? null,
});

/** Returns the states with the defaults of the fields that only the other state has. A new resource has no defaults. */
function addDefaults(
  schema: JsonSchema,
  { before, after = {}, fields }: Change,
): { readonly before: JsonObject; readonly after: JsonObject } {
  if (before === undefined) return { before: {}, after };
  const filled = fields.reduce(
    (states, { path, before: one, after: other }) => {
      const field = path.reduce<JsonSchema | undefined>((here, step) => here?.properties?.[step], schema);
      const fallback = field?.default;
      if (fallback === undefined) return states;
      return {
        before: one === undefined ? withValueAt(states.before, path, fallback) : states.before,
        after: other === undefined ? withValueAt(states.after, path, fallback) : states.after,
      };
    },
    { before, after },
  );
  return { before: inOrder(schema, filled.before), after: inOrder(schema, filled.after) };
}

/** Returns the fields in the order of the contract. */
function inOrder(schema: JsonSchema, body: JsonObject): JsonObject {
  const known = schema.properties ?? {};
  const names = [...Object.keys(known), ...Object.keys(body).filter((name) => !Object.hasOwn(known, name))];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = body[name];
      if (value === undefined) return [];
      return [[name, isObject(value) ? inOrder(known[name] ?? {}, value) : value]];
    }),
  );
}

/** Hides texts that contain a secret, and the present text of a field whose new text contains one. `other`: in the other state. */
function hideTexts(value: unknown, other: unknown, isAfter: boolean, secrets: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const others: readonly unknown[] = Array.isArray(other) ? other : [];
    return value.map((item, index) => hideTexts(item, others[index], isAfter, secrets));
  }
  if (isObject(value)) {
    const pair = isObject(other) ? other : {};
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, hideTexts(item, pair[name], isAfter, secrets)]),
    );
  }
  const isSecret = (text: unknown): boolean =>
    typeof text === 'string' && secrets.some((secret) => secret !== '' && text.includes(secret));
  if (typeof value !== 'string' || !(isSecret(value) || (!isAfter && isSecret(other)))) return value;
  return isAfter && other !== undefined && other !== value ? `${HIDDEN} (another value)` : HIDDEN;
}
