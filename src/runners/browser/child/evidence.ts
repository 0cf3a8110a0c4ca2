/** What a run leaves behind that is worth keeping: pictures and traces, without secrets, and only so many. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { type ArtifactKind, BOUNDS, type Told } from '../protocol.ts';
import { scrubbedTrace } from './trace.ts';

const PICTURES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};
const DEEPEST = 8;
const MOST_FILES = 5000;

interface Found {
  readonly path: string;
  readonly size: number;
  readonly kind: ArtifactKind;
  readonly contentType: string;
  readonly changed: number;
}

export interface Evidence {
  /** Folders to look in, that of the failure's own pictures first. */
  readonly folders: readonly string[];
  /** Files that were there before. */
  readonly known: ReadonlySet<string>;
  readonly secrets: readonly string[];
  /** Masks what nobody declared in a text; left out: nothing is looked for. */
  readonly detect?: ((text: string) => string) | undefined;
  readonly withTraces: boolean;
}

/** Tells of each artifact. Gives how many were too many or too large. */
export function handIn(
  { folders, known, secrets, detect, withTraces }: Evidence,
  tell: (told: Told) => void,
): number {
  const found = folders.flatMap((folder) => filesIn(folder)).filter(({ path }) => !known.has(path));
  const pictures = found.filter(({ kind }) => kind === 'screenshot');
  const traces = withTraces ? found.filter(({ kind }) => kind === 'trace') : [];
  const names = new Set<string>();
  let bytes = 0;
  let dropped =
    Math.max(0, pictures.length - BOUNDS.screenshots) + Math.max(0, traces.length - BOUNDS.traces);
  for (const file of [...pictures.slice(0, BOUNDS.screenshots), ...traces.slice(0, BOUNDS.traces)]) {
    const most = file.kind === 'trace' ? BOUNDS.traceBytes : BOUNDS.screenshotBytes;
    const contents = file.size > most ? undefined : contentsOf(file, secrets, detect);
    if (contents === undefined || contents.length > most || bytes + contents.length > BOUNDS.artifactBytes) {
      dropped += 1;
      continue;
    }
    bytes += contents.length;
    const { kind, contentType, path } = file;
    tell({
      type: 'artifact',
      kind,
      contentType,
      name: unused(basename(path), names),
      base64: contents.toString('base64'),
    });
  }
  return dropped;
}

function contentsOf(
  { path, kind }: Found,
  secrets: readonly string[],
  detect: Evidence['detect'],
): Buffer | undefined {
  try {
    const contents = readFileSync(path);
    const isScrubbed = kind === 'trace' && (secrets.length > 0 || detect !== undefined);
    return isScrubbed ? scrubbedTrace(contents, secrets, detect) : contents;
  } catch {
    // A file that is half written, or no zip at all, is no evidence.
    return undefined;
  }
}

/** Pictures and traces below a folder, the oldest first. Links lead nowhere. */
function filesIn(folder: string): Found[] {
  const found: Found[] = [];
  let seen = 0;
  const visit = (here: string, depth: number): void => {
    if (depth > DEEPEST) return;
    for (const entry of entriesOf(here)) {
      if (++seen > MOST_FILES) return;
      const path = join(here, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules') visit(path, depth + 1);
      const contentType = PICTURES[extname(entry.name).toLowerCase()];
      const isTrace = /^trace.*\.zip$/.test(entry.name);
      if (!entry.isFile() || (contentType === undefined && !isTrace)) continue;
      const { size, mtimeMs } = lstatSync(path);
      if (size === 0) continue;
      found.push({
        ...{ path, size, changed: mtimeMs, kind: isTrace ? 'trace' : 'screenshot' },
        contentType: contentType ?? 'application/zip',
      });
    }
  };
  visit(folder, 0);
  return found.sort((one, other) => one.changed - other.changed);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A name that no other artifact of the run has. */
function unused(name: string, names: Set<string>): string {
  const plain = name.replace(/[^\w.-]+/g, '-').slice(-80);
  const end = extname(plain);
  const stem = plain.slice(0, plain.length - end.length);
  let free = plain;
  for (let n = 2; names.has(free); n++) free = `${stem}-${n}${end}`;
  names.add(free);
  return free;
}
