/** What a run leaves behind that is worth keeping: pictures and traces, without secrets, only so many, and handed out part by part. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { tooLarge, tooMuch } from '../../files/format-lost-files.ts';
import { scrubber } from '../../scrub.ts';
import { type ArtifactKind, BOUNDS } from '../protocol.ts';
import type { Channel } from './channel.ts';
import { scrubTrace } from './scrub-trace.ts';
import { partsOf } from './zip-reader.ts';

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
  /** All is handed in by then, by `performance.now()`. */
  readonly until: number;
}

export interface HandedIn {
  /** How many were too many, or not kept. */
  readonly dropped: number;
  /** Of those that were not kept for what they are: why. */
  readonly lost: readonly string[];
}

/** Hands each out. What goes wrong with one costs that one alone. */
export async function handIn(evidence: Evidence, channel: Channel): Promise<HandedIn> {
  const { folders, known, secrets, detect, withTraces } = evidence;
  const scrub = scrubber(secrets, detect);
  const found = folders.flatMap((folder) => filesIn(folder)).filter(({ path }) => !known.has(path));
  const pictures = found.filter(({ kind }) => kind === 'screenshot');
  const traces = withTraces ? found.filter(({ kind }) => kind === 'trace') : [];
  const names = new Set<string>();
  const lost: string[] = [];
  let sent = 0;
  for (const file of [...pictures.slice(0, BOUNDS.screenshots), ...traces.slice(0, BOUNDS.traces)]) {
    const name = unused(scrubbedName(file.path, scrub), names);
    const opened = openOwn(file.path);
    if (opened === undefined) {
      lost.push(`${name} is not a regular file`);
      continue;
    }
    const told = await handOut({ ...file, ...opened, name, sent }, evidence, channel);
    closeSync(opened.fd);
    if (typeof told === 'string') lost.push(told);
    else sent += told;
  }
  const tooMany =
    Math.max(0, pictures.length - BOUNDS.screenshots) + Math.max(0, traces.length - BOUNDS.traces);
  return { dropped: tooMany + lost.length, lost };
}

interface Opened {
  readonly fd: number;
  readonly size: number;
}

/** Scripts may put anything there, also while it is looked at: no link, no pipe, no second name of another's file is followed. */
function openOwn(path: string): Opened | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const about = fstatSync(fd);
    if (about.isFile() && about.nlink === 1) return { fd, size: about.size };
    closeSync(fd);
  } catch {
    // Gone, or not to be opened so.
  }
  return undefined;
}

type Handing = Found & Opened & { readonly name: string; readonly sent: number };

/** How many bytes were handed out, or why it is not kept. */
async function handOut(
  { fd, size, kind, contentType, name, sent }: Handing,
  { secrets, detect, until }: Evidence,
  { tell, send }: Channel,
): Promise<number | string> {
  const why = (bytes: number): string | undefined => {
    if (bytes > BOUNDS.artifactBytes) return tooLarge(name, bytes);
    if (sent + bytes > BOUNDS.runBytes) return tooMuch(name, BOUNDS.runBytes);
    return performance.now() > until ? `${name} is not stored: no time was left` : undefined;
  };
  const refused = why(size);
  if (refused !== undefined) return refused;
  let bytes = 0;
  const isScrubbed = kind === 'trace' && (secrets.length > 0 || detect !== undefined);
  const goOn = () => {
    const reason = why(bytes);
    if (reason !== undefined) throw new Refused(reason);
  };
  const sendOn = (part: Uint8Array) => {
    bytes += part.length;
    if (bytes <= BOUNDS.artifactBytes) send(part);
  };
  tell({ type: 'artifact', kind, contentType, name });
  try {
    if (isScrubbed) await scrubTrace(fd, size, { secrets, detect, tell: sendOn, goOn });
    else
      for (const part of partsOf(fd, 0, size)) {
        goOn();
        sendOn(part);
      }
    goOn();
    tell({ type: 'artifact-end', isWhole: true });
    return bytes;
  } catch (error) {
    tell({ type: 'artifact-end', isWhole: false });
    const reason = error instanceof Error ? error.message : String(error);
    // Half written, as its maker was ended: that is no evidence.
    return error instanceof Refused ? reason : `${name} is not stored: ${reason}`;
  }
}

class Refused extends Error {}

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
        ...{ path, changed: mtimeMs, kind: isTrace ? 'trace' : 'screenshot' },
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

/** A script may name a file after a secret: the stem is masked alone, since a short secret is masked only as a whole text. */
function scrubbedName(path: string, scrub: (text: string) => string): string {
  const end = extname(path);
  return scrub(basename(path, end)) + end;
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
