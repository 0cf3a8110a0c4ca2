/** Renders a plan for people: a line for each resource, the fields that change, and a summary. */
import type { JsonObject } from '../../../base/object.ts';
import { plural } from '../../../base/plural.ts';
import { type Styles, sanitizeLine } from '../../../terminal/index.ts';
import type { DiffLine } from '../../edit/lazy/diff.ts';
import { kindOf, SECTIONS } from '../kinds.ts';
import type { PlanAction } from './change.ts';
import type { PresentedPlan, ShownChange } from './present-plan.ts';

interface PlanLayout {
  /** Columns of the terminal. Undefined: a file or pipe. */
  readonly width: number | undefined;
  readonly styles: Styles;
  /** No decoration, for screen readers. */
  readonly plain: boolean;
}

type ShownAction = Exclude<PlanAction, 'unchanged' | 'skipped'>;

/** The words of a plan, or of a comparison with the last apply. */
export interface Wording {
  readonly title: string;
  readonly verbs: Readonly<Record<ShownAction, string>>;
  readonly counts: Readonly<Record<PlanAction, string>>;
  /** Formats the summary without changes. */
  readonly none: (resources: string, verb: 'is' | 'are') => string;
}
export const PLAN: Wording = {
  title: 'Plan',
  verbs: { create: 'create', update: 'update', rename: 'rename', delete: 'delete' },
  counts: {
    create: 'to create',
    update: 'to update',
    rename: 'to rename',
    delete: 'to delete',
    skipped: 'skipped',
    unchanged: 'unchanged',
  },
  none: (resources, verb) => `No changes. ${resources} ${verb} up to date.`,
};
export const DRIFT: Wording = {
  title: 'Changed since the last apply',
  verbs: { create: 'created', update: 'changed', rename: 'renamed', delete: 'deleted' },
  counts: {
    create: 'created',
    update: 'changed',
    rename: 'renamed',
    delete: 'deleted',
    skipped: 'skipped',
    unchanged: 'as applied',
  },
  none: (resources, verb) => `No changes since the last apply. ${resources} ${verb} as applied.`,
};

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

const addedLines = (text: string): readonly DiffLine[] =>
  text.split('\n').map((line) => ({ kind: 'added', text: line }));

const pickFields = (body: JsonObject, names: ReadonlySet<string | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => names.has(name)));

/** Returns the YAML of each body. One document of all is several times as fast as one for each. */
function toYamlEach(bodies: readonly JsonObject[], toYaml: (value: unknown) => string): readonly string[] {
  if (bodies.length === 0) return [];
  const items: string[][] = [];
  for (const line of toYaml(bodies).trimEnd().split('\n')) {
    if (line.startsWith('- ')) items.push([]);
    items.at(-1)?.push(line.slice(2));
  }
  return items.map((lines) => lines.join('\n'));
}

/** Indents a line of a difference below the line of its resource. */
const indent = (line: DiffLine): DiffLine => ({
  ...line,
  text: `${line.kind === 'path' || line.kind === 'folded' ? '  ' : INDENT}${line.text}`,
  ...(line.changed
    ? { changed: [line.changed[0] + INDENT.length, line.changed[1] + INDENT.length] as const }
    : {}),
});
const INDENT = '   ';

function formatHead({ action, previousName, adopts, ...change }: ShownChange, { verbs }: Wording): string {
  const shown = action as ShownAction;
  const words = [SIGNS[shown], verbs[shown], formatResource(change)];
  if (previousName !== undefined) words.push('from', quote(previousName));
  if (adopts) words.push('(without a project so far)');
  return words.join(' ');
}

/** Returns the changes, with a blank line after each resource whose fields are shown; empty without changes. */
export async function renderChanges(
  { changes }: PresentedPlan<ShownChange>,
  layout: PlanLayout,
  wording: Wording,
): Promise<string> {
  const { diffYaml, renderDiff, toYaml } = await import('../../edit/lazy/changes.ts');
  const { styles } = layout;
  const shown = changes.filter(({ action }) => action !== 'unchanged' && action !== 'skipped');
  const states = shown.map(({ states: { before, after }, ...change }) => {
    if (change.action === 'create')
      return { before, after: withoutName({ ...change, states: { before, after } }) };
    const names = new Set(change.fields.map(({ path }) => path.split('.')[0]));
    return { before: pickFields(before, names), after: pickFields(after, names) };
  });
  const before = toYamlEach(
    states.map((state) => state.before),
    toYaml,
  );
  const after = toYamlEach(
    states.map((state) => state.after),
    toYaml,
  );
  return shown
    .map((change, index): string => {
      const head = styles[TONES[change.action as ShownAction]](styles.bold(formatHead(change, wording)));
      const isEmpty = change.action === 'create' && Object.keys(states[index]?.after ?? {}).length === 0;
      if (change.fields.length === 0 || isEmpty) return `${head}\n`;
      const [one = '', other = ''] = [before[index], after[index]];
      const lines = change.action === 'create' ? addedLines(other) : diffYaml(`${one}\n`, `${other}\n`);
      return `${head}\n${renderDiff(lines.map(indent), layout)}\n`;
    })
    .join('');
}

/** Whether applying the plan changes resources. */
export const hasChanges = ({ summary }: Pick<PresentedPlan, 'summary'>): boolean =>
  summary.create + summary.update + summary.rename + summary.delete > 0;

/** Returns `Plan: 2 to create, 40 unchanged.` */
export function formatSummary(
  plan: Pick<PresentedPlan, 'summary'>,
  { title, counts, none }: Wording,
): string {
  const { summary } = plan;
  if (!hasChanges(plan))
    return none(plural(summary.unchanged, 'resource'), summary.unchanged === 1 ? 'is' : 'are');
  const shown = (Object.keys(counts) as PlanAction[]).filter((action) => summary[action] > 0);
  return `${title}: ${shown.map((action) => `${summary[action]} ${counts[action]}`).join(', ')}.`;
}
