/** Asks for confirmation before a change, and shows the affected resources first if they can be read in time. */
import { ApiError } from '../../base/errors.ts';
import { sanitizeLine, type TableColumn } from '../../terminal/index.ts';
import {
  confirmChange as askToConfirm,
  formatResources,
  MAX_LISTED,
  type NamesById,
} from '../framework/confirm-change.ts';
import type { Deps } from '../framework/index.ts';
import type { Preview, PreviewSource } from '../resources/lazy/preview.ts';

type Id = string | number;

export interface ConfirmOptions {
  /** `Delete` */
  readonly verb: string;
  readonly ids: readonly Id[];
  readonly noun: string;
  readonly plural: string;
  /** How to read the resources; left out if the API cannot. */
  readonly preview?: PreviewSource;
  /** The names of the resources that were given by name, by ID. */
  readonly names?: NamesById;
  /** A sentence after the question: `You cannot undo this.` */
  readonly warning?: string;
  readonly yes: boolean;
  /** Whether `--yes` is required without a terminal. */
  readonly required: boolean;
}

/** Time to load previews before the question appears without them, in ms. */
const PREVIEW_TIMEOUT_MS = 3000;
const CONCURRENCY = 4;

/** Throws as `ask` does. */
export async function confirmChange(deps: Deps, options: ConfirmOptions): Promise<void> {
  const { verb, ids, noun, plural, preview, names, warning, yes, required } = options;
  if (ids.length === 0) return;
  const question = (target: string) => [`${verb} ${target}?`, ...(warning ? [warning] : [])].join(' ');
  const previews =
    preview && deps.terminal.canAsk && !yes ? await loadPreviews(deps, ids, preview) : new Map<Id, Preview>();
  if (previews.size === 0) {
    return askToConfirm(deps, {
      message: question(formatResources(ids, noun, plural, names)),
      yes,
      required,
    });
  }
  await printPreviews(deps, ids, previews);
  const target = ids.length === 1 ? `the ${noun} ${ids[0]}` : `${ids.length} ${plural}`;
  await askToConfirm(deps, { message: question(target), yes, required });
}

/** Reads the first resources; leaves out those that cannot be read in time. */
async function loadPreviews(
  deps: Deps,
  ids: readonly Id[],
  source: PreviewSource,
): Promise<ReadonlyMap<Id, Preview>> {
  const { terminal, clock, signal } = deps;
  const api = await deps.client();
  const [late, settled] = [new AbortController(), new AbortController()];
  clock.sleep(PREVIEW_TIMEOUT_MS, settled.signal).then(
    () => late.abort(),
    () => {},
  );
  const deadline = AbortSignal.any([signal, late.signal]);
  const { createPreviewReader } = await import('../resources/lazy/preview.ts');
  const read = createPreviewReader(api, source, { signal: deadline, retry: false }, clock.now());
  const previews = new Map<Id, Preview>();
  const queue = ids.slice(0, MAX_LISTED).values();
  const runLane = async (): Promise<void> => {
    for (const id of queue) {
      if (deadline.aborted) return;
      try {
        previews.set(id, await read(id));
      } catch (error) {
        if (error instanceof ApiError && error.absence === 'resource')
          previews.set(id, { label: 'not found' });
      }
    }
  };
  const spinner = terminal.spinner('Loading resources');
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, runLane));
  } finally {
    settled.abort();
    await spinner.stop();
  }
  signal.throwIfAborted();
  return previews;
}

const COLUMNS: readonly TableColumn[] = [
  { heading: 'id', kind: 'id', align: 'left', priority: 100, minWidth: 8 },
  { heading: 'name', kind: 'text', align: 'left', priority: 90, minWidth: 16 },
  { heading: 'details', kind: 'text', align: 'left', priority: 50, minWidth: 16 },
];
const INDENT = '  ';

async function printPreviews(
  { terminal }: Deps,
  ids: readonly Id[],
  previews: ReadonlyMap<Id, Preview>,
): Promise<void> {
  const { layoutRows } = await import('../../terminal/lazy/table.ts');
  const { wide } = await import('../../terminal/lazy/width.ts');
  const rows = ids.slice(0, MAX_LISTED).map((id) => {
    const { label, details = '' } = previews.get(id) ?? { label: '' };
    return [
      { text: sanitizeLine(String(id)), tone: undefined },
      { text: label, tone: undefined },
      { text: details, tone: 'faint' as const },
    ];
  });
  const canvas = {
    width: (terminal.stderr.columns ?? 80) - INDENT.length,
    measure: wide,
    styles: await terminal.styles('stderr'),
  };
  const lines = layoutRows(COLUMNS, rows, canvas);
  const rest = ids.length - MAX_LISTED;
  await terminal.err(
    [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])]
      .map((line) => `${INDENT}${line.trimEnd()}\n`)
      .join(''),
  );
}
