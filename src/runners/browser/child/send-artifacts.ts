/** Sends the artifacts of a run to the runner: screenshots and traces without secrets, within limits, part by part. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { formatTooLarge, formatTotalExceeded } from '../../files/run-file-store.ts';
import { createScrubber } from '../../masking/scrub.ts';
import { createSecretDetector } from '../../masking/secret-detector.ts';
import { type ArtifactKind, type BrowserJob, LIMITS, type ScriptReport } from '../protocol.ts';
import { type Channel, createConsole, limitErrors } from './channel.ts';
import { scrubTrace } from './scrub-trace.ts';
import { readParts } from './zip.ts';

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};
const MAX_DEPTH = 8;
const MAX_FILES = 5000;

interface ArtifactFile {
  readonly path: string;
  readonly kind: ArtifactKind;
  readonly contentType: string;
  readonly modifiedMs: number;
}

export interface ArtifactSearch {
  readonly folders: readonly string[];
  readonly known: ReadonlySet<string>;
  readonly until: number;
}

interface ArtifactOptions extends ArtifactSearch {
  readonly secrets: readonly string[];
  /** Masks detected secrets in a text; undefined: no detection. */
  readonly detect: ((text: string) => string) | undefined;
  readonly withTraces: boolean;
}

export function startReport(
  { secrets, detectsSecrets }: Pick<BrowserJob, 'secrets' | 'detectsSecrets'>,
  channel: Channel,
) {
  const detector = detectsSecrets ? createSecretDetector() : undefined;
  const scrub = createScrubber(secrets, detector?.mask);
  const output = createConsole(channel.send, scrub);
  return {
    output,
    /** Sends the artifacts. Returns the report without secrets. */
    async finish(
      { handed, ...result }: Omit<ScriptReport, 'durationMs' | 'dropped'>,
      search: ArtifactSearch,
      durationMs?: number,
    ): Promise<ScriptReport> {
      output.end();
      const withTraces = result.outcome !== 'passed';
      const options = { ...search, secrets, detect: detector?.mask, withTraces };
      const { dropped: artifacts, lost } = await sendArtifacts(options, channel);
      const report = scrub({
        ...result,
        errors: limitErrors(result.errors, scrub),
        tests: result.tests
          .slice(0, LIMITS.tests)
          .map((test) => ({ ...test, errors: limitErrors(test.errors, scrub) })),
        durationMs: durationMs ?? output.elapsedMs(),
        dropped: { lines: output.countDropped(), artifacts },
        ...(lost.length > 0 ? { lost } : {}),
      });
      return {
        ...report,
        ...(detector && { detected: detector.detected() }),
        // The next phase needs the script's state unchanged, including secrets.
        ...(handed ? { handed } : {}),
      };
    },
  };
}

/** Sends all artifacts. An error affects only its artifact. */
async function sendArtifacts(options: ArtifactOptions, channel: Channel) {
  const { folders, known, secrets, detect, withTraces } = options;
  const scrub = createScrubber(secrets, detect);
  const files = folders.flatMap((folder) => listArtifactFiles(folder)).filter(({ path }) => !known.has(path));
  const screenshots = files.filter(({ kind }) => kind === 'screenshot');
  const traces = withTraces ? files.filter(({ kind }) => kind === 'trace') : [];
  const names = new Set<string>();
  const lost: string[] = [];
  let sentBytes = 0;
  for (const file of [...screenshots.slice(0, LIMITS.screenshots), ...traces.slice(0, LIMITS.traces)]) {
    const name = uniqueName(scrubName(file.path, scrub), names);
    const opened = openRegularFile(file.path);
    if (opened === undefined) {
      lost.push(`${name} is not a regular file`);
      continue;
    }
    const sentOrReason = await sendArtifact({ ...file, ...opened, name, sentBytes }, options, channel);
    closeSync(opened.fd);
    if (typeof sentOrReason === 'string') lost.push(sentOrReason);
    else sentBytes += sentOrReason;
  }
  const tooMany =
    Math.max(0, screenshots.length - LIMITS.screenshots) + Math.max(0, traces.length - LIMITS.traces);
  return { dropped: tooMany + lost.length, lost };
}

interface OpenFile {
  readonly fd: number;
  readonly size: number;
}

/** Opens a regular file. A script may create links, pipes and second names of other files at any time. */
function openRegularFile(path: string): OpenFile | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(fd);
    if (stats.isFile() && stats.nlink === 1) return { fd, size: stats.size };
    closeSync(fd);
  } catch {
    // The file is gone or cannot be opened safely.
  }
  return undefined;
}

type OutgoingFile = ArtifactFile & OpenFile & { readonly name: string; readonly sentBytes: number };

async function sendArtifact(
  { fd, size, kind, contentType, name, sentBytes }: OutgoingFile,
  { secrets, detect, until }: ArtifactOptions,
  { send, sendPart }: Channel,
): Promise<number | string> {
  const findRefusal = (bytes: number): string | undefined => {
    if (bytes > LIMITS.artifactBytes) return formatTooLarge(name, bytes);
    if (sentBytes + bytes > LIMITS.runBytes) return formatTotalExceeded(name, LIMITS.runBytes);
    return performance.now() > until ? `${name} is not stored: no time was left` : undefined;
  };
  const refusal = findRefusal(size);
  if (refusal !== undefined) return refusal;
  let bytes = 0;
  const isScrubbed = kind === 'trace' && (secrets.length > 0 || detect !== undefined);
  const assertAllowed = () => {
    const reason = findRefusal(bytes);
    if (reason !== undefined) throw new ArtifactRefused(reason);
  };
  const onPart = (part: Uint8Array) => {
    bytes += part.length;
    if (bytes <= LIMITS.artifactBytes) sendPart(part);
  };
  send({ type: 'artifact', kind, contentType, name });
  try {
    if (isScrubbed) await scrubTrace(fd, size, { secrets, detect, onPart, assertAllowed });
    else
      for (const part of readParts(fd, 0, size)) {
        assertAllowed();
        onPart(part);
      }
    assertAllowed();
    send({ type: 'artifact-end', isWhole: true });
    return bytes;
  } catch (error) {
    send({ type: 'artifact-end', isWhole: false });
    const reason = error instanceof Error ? error.message : String(error);
    // A trace that was interrupted while it was written is not usable.
    return error instanceof ArtifactRefused ? reason : `${name} is not stored: ${reason}`;
  }
}

class ArtifactRefused extends Error {}

function listArtifactFiles(folder: string): ArtifactFile[] {
  const files: ArtifactFile[] = [];
  let entryCount = 0;
  const visit = (current: string, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    for (const entry of readEntries(current)) {
      if (++entryCount > MAX_FILES) return;
      const path = join(current, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules') visit(path, depth + 1);
      const contentType = IMAGE_TYPES[extname(entry.name).toLowerCase()];
      const isTrace = /^trace.*\.zip$/.test(entry.name);
      if (!entry.isFile() || (contentType === undefined && !isTrace)) continue;
      const { size, mtimeMs } = lstatSync(path);
      if (size === 0) continue;
      files.push({
        path,
        modifiedMs: mtimeMs,
        kind: isTrace ? 'trace' : 'screenshot',
        contentType: contentType ?? 'application/zip',
      });
    }
  };
  visit(folder, 0);
  return files.sort((one, other) => one.modifiedMs - other.modifiedMs);
}

function readEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Masks secrets in a file name. The stem is masked separately, since a short secret is masked only as a whole text. */
function scrubName(path: string, scrub: (text: string) => string): string {
  const end = extname(path);
  return scrub(basename(path, end)) + end;
}

function uniqueName(name: string, names: Set<string>): string {
  const plain = name.replace(/[^\w.-]+/g, '-').slice(-80);
  const end = extname(plain);
  const stem = plain.slice(0, plain.length - end.length);
  let candidate = plain;
  for (let n = 2; names.has(candidate); n++) candidate = `${stem}-${n}${end}`;
  names.add(candidate);
  return candidate;
}
