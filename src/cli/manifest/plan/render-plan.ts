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

const NAME_FIELDS: ReadonlySet<string> = new Set(SECTIONS.map((section) => kindOf(section).field));

/** Returns the fields to show: of a new resource all, of others those that change. The line above shows the name. */
function fieldsOf({ action, name, fields, states: { before, after } }: ShownChange): readonly string[] {
  const changed = new Set(fields.map(({ path }) => path.split('.')[0]));
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.filter(
    (field) =>
      (action === 'create' || changed.has(field)) && !(NAME_FIELDS.has(field) && after[field] === name),
  );
}

const toLines = (kind: 'added' | 'removed', text: string): readonly DiffLine[] =>
  text.split('\n').map((line) => ({ kind, text: line }));

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
  const fields = shown.flatMap((change) =>
    fieldsOf(change).map((name) => ({ change, name, ...change.states })),
  );
  const bodies = fields.flatMap(({ name, before, after }) =>
    [before, after].flatMap((state) => (name in state ? [{ [name]: state[name] }] : [])),
  );
  const texts = toYamlEach(bodies, toYaml).values();
  const lines = new Map<ShownChange, DiffLine[]>(shown.map((change) => [change, []]));
  for (const { change, name, before, after } of fields) {
    const old = name in before ? texts.next().value : undefined;
    const fresh = name in after ? texts.next().value : undefined;
    const isBoth = old !== undefined && fresh !== undefined;
    const difference = isBoth
      ? diffYaml(`${old}\n`, `${fresh}\n`)
      : toLines(old === undefined ? 'added' : 'removed', old ?? fresh ?? '');
    lines.get(change)?.push(...difference.map(indent));
  }
  return shown
    .map((change) => {
      const head = styles[TONES[change.action as ShownAction]](styles.bold(formatHead(change, wording)));
      const difference = lines.get(change) ?? [];
      return difference.length === 0 ? `${head}\n` : `${head}\n${renderDiff(difference, layout)}\n`;
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
