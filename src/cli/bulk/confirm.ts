/** Asks before several things change, and shows first what their ids name: bounded, and without a word where that fails. */
import { ApiError } from '../../base/errors.ts';
import { layoutRows, sanitizeLine, type TableColumn } from '../../terminal/index.ts';
import { confirmChange, formatResources, MAX_LISTED, type NamesById } from '../framework/confirm-change.ts';
import type { Deps } from '../framework/index.ts';
import type { Found, LookName } from '../resources/lazy/previews.ts';

type Id = string | number;

export interface Consent {
  /** `Delete` */
  readonly verb: string;
  readonly ids: readonly Id[];
  readonly noun: string;
  readonly plural: string;
  /** Left out where the API has no way. */
  readonly look?: LookName;
  /** The names of the resources that were given by name, by ID. */
  readonly names?: NamesById;
  /** A sentence after the question: `This cannot be undone.` */
  readonly mind?: string;
  readonly yes: boolean;
  /** Whether `--yes` is required where nobody can be asked. */
  readonly required: boolean;
}

/** For how long things are looked up before the question comes without, in ms, and how many at once. */
const PATIENCE = 3000;
const LANES = 4;

/** Throws as `ask` does. */
export async function askAbout(deps: Deps, consent: Consent): Promise<void> {
  const { verb, ids, noun, plural, look, names, mind, yes, required } = consent;
  if (ids.length === 0) return;
  const question = (what: string) => [`${verb} ${what}?`, ...(mind ? [mind] : [])].join(' ');
  const found = look && deps.terminal.canAsk && !yes ? await lookUp(deps, ids, look) : new Map<Id, Found>();
  if (found.size === 0) {
    return confirmChange(deps, {
      message: question(formatResources(ids, noun, plural, names)),
      yes,
      required,
    });
  }
  await show(deps, ids, found);
  const what = ids.length === 1 ? `the ${noun} ${ids[0]}` : `${ids.length} ${plural}`;
  await confirmChange(deps, { message: question(what), yes, required });
}

/** Reads the first of them; what cannot be read in time is not there. */
async function lookUp(deps: Deps, ids: readonly Id[], look: LookName): Promise<ReadonlyMap<Id, Found>> {
  const { terminal, clock, signal } = deps;
  const api = await deps.client();
  const [late, settled] = [new AbortController(), new AbortController()];
  clock.sleep(PATIENCE, settled.signal).then(
    () => late.abort(),
    () => {},
  );
  const within = AbortSignal.any([signal, late.signal]);
  const { looks } = await import('../resources/lazy/previews.ts');
  const read = looks[look](api, { signal: within, retry: false }, clock.now());
  const found = new Map<Id, Found>();
  const queue = ids.slice(0, MAX_LISTED).values();
  const lane = async (): Promise<void> => {
    for (const id of queue) {
      if (within.aborted) return;
      try {
        found.set(id, await read(id));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) found.set(id, { label: 'not found' });
      }
    }
  };
  const spinner = terminal.spinner('Loading resources');
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    settled.abort();
    await spinner.stop();
  }
  signal.throwIfAborted();
  return found;
}

const COLUMNS: readonly TableColumn[] = [
  { heading: 'id', kind: 'id', align: 'left', priority: 100, minWidth: 8 },
  { heading: 'name', kind: 'text', align: 'left', priority: 90, minWidth: 16 },
  { heading: 'details', kind: 'text', align: 'left', priority: 50, minWidth: 16 },
];
const INDENT = '  ';

async function show({ terminal }: Deps, ids: readonly Id[], found: ReadonlyMap<Id, Found>): Promise<void> {
  const { wide } = await import('../../terminal/lazy/width.ts');
  const rows = ids.slice(0, MAX_LISTED).map((id) => {
    const { label, hangs = '' } = found.get(id) ?? { label: '' };
    return [
      { text: sanitizeLine(String(id)), tone: undefined },
      { text: label, tone: undefined },
      { text: hangs, tone: 'faint' as const },
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
