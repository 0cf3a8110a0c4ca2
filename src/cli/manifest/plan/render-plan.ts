/** Renders a plan for people: a line for each resource, the fields that change, and a summary. */
import type { JsonObject } from '../../../base/object.ts';
import { plural } from '../../../base/plural.ts';
import { type Styles, sanitizeLine } from '../../../terminal/index.ts';
import { kindOf, SECTIONS } from '../kinds.ts';
import type { PlanAction } from './create-plan.ts';
import type { PresentedPlan, ShownChange } from './present-plan.ts';

interface PlanLayout {
  /** Columns of the terminal. Undefined: a file or pipe. */
  readonly width: number | undefined;
  readonly styles: Styles;
  /** No decoration, for screen readers. */
  readonly plain: boolean;
}

type ShownAction = Exclude<PlanAction, 'unchanged' | 'skipped'>;
const SIGNS: Readonly<Record<ShownAction, string>> = { create: '+', update: '~', rename: '>', delete: '-' };
const TONES = { create: 'green', update: 'yellow', rename: 'yellow', delete: 'red' } as const;

const quote = (text: string): string => `"${sanitizeLine(text)}"`;
/** Formats `check "Apex record"`. */
export const formatResource = ({ kind, name }: Pick<ShownChange, 'kind' | 'name'>): string =>
  `${kind} ${quote(name)}`;

/** Returns a new resource without the field whose value its line shows. */
const withoutName = ({ name, states }: ShownChange): JsonObject =>
  Object.fromEntries(
    Object.entries(states.after).filter(([field, value]) => value !== name || !NAME_FIELDS.has(field)),
  );
const NAME_FIELDS: ReadonlySet<string> = new Set(SECTIONS.map((section) => kindOf(section).field));

/** Returns the changes, with a blank line between resources that have fields; empty without changes. */
export async function renderChanges(
  { changes }: PresentedPlan<ShownChange>,
  { width, styles, plain }: PlanLayout,
): Promise<string> {
  const { diffYaml, renderDiff, toYaml } = await import('../../edit/lazy/changes.ts');
  const blocks = changes.flatMap((change): readonly string[] => {
    const { action, previousName, adopts, fields, states } = change;
    if (action === 'unchanged' || action === 'skipped') return [];
    const details = [
      ...(previousName === undefined ? [] : [`from ${quote(previousName)}`]),
      ...(adopts ? ['(has no project yet)'] : []),
    ];
    const head = styles[TONES[action]](
      styles.bold([SIGNS[action], action, formatResource(change), ...details].join(' ')),
    );
    if (fields.length === 0 || (action === 'create' && Object.keys(withoutName(change)).length === 0))
      return [`${head}\n`];
    const diff =
      action === 'create'
        ? diffYaml('', toYaml(withoutName(change))).filter(({ kind }) => kind === 'added')
        : diffYaml(toYaml(states.before), toYaml(states.after));
    const indented = diff.map((line) =>
      line.kind === 'path' || line.kind === 'folded'
        ? { ...line, text: `  ${line.text}` }
        : {
            ...line,
            text: `   ${line.text}`,
            ...(line.changed ? { changed: [line.changed[0] + 3, line.changed[1] + 3] as const } : {}),
          },
    );
    return [`${head}\n${renderDiff(indented, { width, styles, plain })}\n`];
  });
  return blocks.join('');
}

const LABELS: readonly (readonly [action: PlanAction, label: string])[] = [
  ['create', 'to create'],
  ['update', 'to update'],
  ['rename', 'to rename'],
  ['delete', 'to delete'],
  ['skipped', 'skipped'],
  ['unchanged', 'unchanged'],
];

/** Whether applying the plan changes resources. */
export const hasChanges = ({ summary }: Pick<PresentedPlan, 'summary'>): boolean =>
  summary.create + summary.update + summary.rename + summary.delete > 0;

/** Returns `Plan: 2 to create, 40 unchanged.` */
export function formatSummary(plan: Pick<PresentedPlan, 'summary'>): string {
  const { summary } = plan;
  if (!hasChanges(plan)) {
    const count = summary.unchanged;
    return `No changes. ${plural(count, 'resource')} ${count === 1 ? 'is' : 'are'} up to date.`;
  }
  const counts = LABELS.filter(([action]) => summary[action] > 0);
  return `Plan: ${counts.map(([action, label]) => `${summary[action]} ${label}`).join(', ')}.`;
}
