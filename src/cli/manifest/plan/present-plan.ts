/** Presents a plan without secrets, for people and programs. */
import { isObject, type JsonObject } from '../../../base/object.ts';
import { HIDDEN } from '../../../client/redact.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { entrySchemaOf } from '../files/entry-schema.ts';
import { hasVariable } from '../files/variables.ts';
import { kindOf } from '../kinds.ts';
import { type FieldDifference, findDifferences, withValueAt } from '../state/compare.ts';
import type { ResourceId } from '../state/project-state.ts';
import { HIDDEN_TEXT, type Shown, type Taint } from '../taint.ts';
import type { Change, PlanAction } from './change.ts';
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
  readonly key: Shown;
  readonly name: Shown;
  readonly id: ResourceId | null;
  readonly previousName?: Shown;
  readonly adopts?: true;
  readonly fields: readonly PresentedField[];
}

/** A change with the states that a difference shows, and what else a person must know. */
export interface ShownChange extends PresentedChange {
  readonly states: { readonly before: JsonObject; readonly after: JsonObject };
  readonly notes: {
    /** The name that matches no resource. */
    readonly renamedFrom: Shown | undefined;
    readonly missingValues: readonly string[];
    readonly secretCount: number;
    /** Whether the resource becomes private. */
    readonly isPrivate: boolean;
  };
}

/** Returns the change as programs and saved plans have it. */
export const withoutStates = ({ states: _, notes: __, ...change }: ShownChange): PresentedChange => change;

export interface PresentedPlan<C = PresentedChange> {
  readonly project: Shown | null;
  readonly changes: readonly C[];
  readonly undeclared: readonly Pick<PresentedChange, 'kind' | 'key' | 'name' | 'id'>[];
  readonly summary: Readonly<Record<PlanAction, number>>;
}

/**
 * Returns the plan without secrets and values of variables. Everything that is printed or saved comes from here. The states of a
 * difference are only for `renderPlan`.
 */
export async function presentPlan(
  plan: Pick<Plan, 'project' | 'changes' | 'undeclared' | 'taint'>,
): Promise<PresentedPlan<ShownChange>> {
  const { maskSecrets } = await import('../../edit/lazy/changes.ts');
  const { project, changes, undeclared, taint } = plan;
  const present = (change: Change): ShownChange => {
    const { action, section, key, name, id, previousName, adopts, fields } = change;
    const schema = entrySchemaOf(section, (change.after ?? change.before)?.checkType) ?? {};
    const isShown = fields.length > 0;
    const states = isShown ? addDefaults(schema, change) : { before: {}, after: {} };
    const masked = maskSecrets(schema, states.before, states.after);
    const written = change.wanted?.entry.written;
    const before = hideValues(masked.before, masked.after, { taint, written, isAfter: false }) as JsonObject;
    const after = hideValues(masked.after, masked.before, { taint, written, isAfter: true }) as JsonObject;
    return {
      action,
      kind: kindOf(section).noun,
      key: taint.show(key),
      name: taint.show(name),
      id,
      ...(previousName === undefined
        ? {}
        : { previousName: taint.show(name) === name ? taint.show(previousName) : HIDDEN_TEXT }),
      ...(adopts ? { adopts } : {}),
      fields: isShown ? findDifferences(before, after).map(presentField) : [],
      states: { before, after },
      notes: presentNotes(change, taint),
    };
  };
  const shown = changes.map(present);
  const isDeleted = new Set(
    shown.filter(({ action }) => action === 'delete').map(({ kind, id }) => `${kind} ${id}`),
  );
  const count = (action: PlanAction): number => shown.filter((change) => change.action === action).length;
  return {
    project: project === undefined ? null : taint.show(project),
    changes: shown,
    undeclared: undeclared
      .map(({ section, key, name, id }) => ({
        kind: kindOf(section).noun,
        key: taint.show(key),
        name: taint.show(name),
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

const presentNotes = ({ wanted }: Change, taint: Taint): ShownChange['notes'] => ({
  renamedFrom: wanted?.entry.renamedFrom === undefined ? undefined : taint.show(wanted.entry.renamedFrom),
  missingValues: taint.showAll(wanted?.missingValues ?? []),
  secretCount: wanted?.secretCount ?? 0,
  isPrivate: wanted?.access?.isPrivate === true,
});

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

interface Hiding {
  readonly taint: Taint;
  /** The same part of the entry as the file has it. */
  readonly written: unknown;
  /** Whether the value is the wanted one. */
  readonly isAfter: boolean;
}

/** Hides the values of variables, and the present value of a field whose new value has one. `other`: in the other state. */
function hideValues(value: unknown, other: unknown, hiding: Hiding): unknown {
  const { taint, written, isAfter } = hiding;
  if (Array.isArray(value)) {
    const [others, texts] = [other, written].map((one) => (Array.isArray(one) ? (one as unknown[]) : []));
    return value.map((item, index) =>
      hideValues(item, others?.[index], { ...hiding, written: texts?.[index] }),
    );
  }
  if (isObject(value)) {
    const [pair, texts] = [other, written].map((one) => (isObject(one) ? one : {}));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        hideValues(item, pair?.[name], { ...hiding, written: texts?.[name] }),
      ]),
    );
  }
  const show = (one: unknown): unknown => {
    if (typeof one === 'string') return taint.show(one);
    // A variable in place of a number or a switch.
    return one !== undefined && one !== null && hasVariable(written) ? written : one;
  };
  const shown = show(value);
  if (isAfter && shown !== value && other !== undefined && other !== value) return `${shown} (another value)`;
  return shown === value && !isAfter && show(other) !== other ? HIDDEN : shown;
}
