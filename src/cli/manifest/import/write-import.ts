/** Writes what an import converted, and reports what it could not convert. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { groupBy } from '../../../base/object.ts';
import { plural } from '../../../base/plural.ts';
import { isHumanReadable, type OutputOptions, render } from '../../../terminal/index.ts';
import type { Deps } from '../../framework/index.ts';
import type { ManifestFile } from '../export/declared-manifest.ts';
import { createManifestFiles } from '../export/manifest-files.ts';
import { writeManifestFiles } from '../export/write-manifest-files.ts';
import { DEFAULT_FOLDER } from '../files/read-project.ts';
import { kindOf, SECTIONS } from '../kinds.ts';
import { formatValues } from '../secrets/secrets-file.ts';
import type { ImportResult, Loss, Outcome } from './conversion.ts';
import { withoutRefused } from './refused-checks.ts';

export interface ImportOptions {
  readonly out: string;
  readonly project: string | undefined;
  readonly yes: boolean;
}

interface ImportRequest extends ImportOptions {
  /** The source as the user named it. */
  readonly source: string;
  readonly result: ImportResult;
  readonly output: OutputOptions;
}

const SECRETS_FILE = 'secrets.env';

/** Writes the files and prints the report. Throws UsageError if the source has nothing that can be converted. */
export async function writeImport(deps: Deps, request: ImportRequest): Promise<void> {
  const { source, output, out: folder, project, yes } = request;
  const result = withoutRefused(request.result, deps.clock.now());
  const { terminal } = deps;
  const { entries, losses, secrets } = result;
  if (!entries.some(({ section }) => section === 'checks')) {
    throw new UsageError(`${source} contains nothing that can be converted to a check; nothing was written`, {
      details: losses.map((loss) => ({ place: formatItem(loss), message: formatReason(loss) })),
    });
  }
  const values = [...secrets].flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const files: readonly ManifestFile[] = [
    ...(await createManifestFiles({ project, variables: [...secrets.keys()], entries })),
    ...(values.length > 0 ? [{ path: SECRETS_FILE, content: formatValues(values), isSecret: true }] : []),
  ];
  const prepare = values.length > 0 ? () => ignoreInGit(resolve(deps.cwd, folder)) : undefined;
  const { others } = await writeManifestFiles(deps, { folder, files, yes, prepare });
  const counts = SECTIONS.toReversed().flatMap((section) => {
    const count = entries.filter((entry) => entry.section === section).length;
    return count === 0 ? [] : [[section, count] as const];
  });
  const shown = counts.map(([section, count]) => plural(count, kindOf(section).noun)).join(', ');
  await terminal.note(`Wrote ${shown} to ${folder}.`);
  if (others.length > 0)
    await terminal.warn(`${folder} also contains ${others.join(', ')}, which sonde plan and apply read too`);
  await reportSecrets(deps, folder, secrets);
  await reportLosses(deps, losses);
  const words = [
    'sonde plan',
    ...(folder === DEFAULT_FOLDER ? [] : [folder]),
    ...(values.length > 0 ? ['--secrets', `${folder}/${SECRETS_FILE}`] : []),
  ];
  await terminal.note(`\nTo preview the changes, run:\n  ${words.join(' ')}`);
  if (output.format === undefined && isHumanReadable(terminal, output)) return;
  await render(terminal, {
    kind: 'item',
    data: {
      folder,
      project: project ?? null,
      files: files.map(({ path }) => path),
      resources: Object.fromEntries(counts),
      variables: [...secrets.keys()],
      losses,
    },
    output,
  });
}

/** Adds the file with the secrets to .gitignore, before the file exists. */
async function ignoreInGit(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, '.gitignore');
  const text = await readFile(path, 'utf8').catch(() => '');
  if (text.split(/\r?\n/).some((line) => line.trim() === SECRETS_FILE)) return;
  await writeFile(path, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${SECRETS_FILE}\n`);
}

async function reportSecrets(
  { terminal }: Deps,
  folder: string,
  secrets: ImportResult['secrets'],
): Promise<void> {
  const unset = [...secrets].filter(([, value]) => value === undefined).map(([name]) => name);
  if (secrets.size > unset.length)
    await terminal.note(
      `Passwords, tokens and webhook URLs are in ${folder}/${SECRETS_FILE}, which only you can read and git ignores.`,
    );
  if (unset.length > 0) await terminal.note(`Set these variables before you apply: ${unset.join(', ')}.`);
}

const HEADINGS: readonly (readonly [Outcome, string])[] = [
  ['skipped', 'Not converted'],
  ['paused', 'Paused (activated: false) until you complete them'],
  ['changed', 'Converted with a difference'],
];

const formatItem = ({ kind, name }: Loss): string => `${kind} "${name}"`;
const formatReason = ({ field, reason }: Loss): string =>
  field === undefined ? reason : `${field}: ${reason}`;

const ITEMS_AT_ONCE = 10;

/** Names every item; items with the same reason are listed together. */
async function reportLosses({ terminal }: Deps, losses: readonly Loss[]): Promise<void> {
  const { bold } = await terminal.styles('stderr');
  for (const [outcome, heading] of HEADINGS) {
    const own = losses.filter((loss) => loss.outcome === outcome);
    if (own.length === 0) continue;
    await terminal.lines('');
    await terminal.lines(`${heading} (${own.length}):`, bold);
    for (const [reason, same] of groupBy(own, formatReason)) {
      const items = same.map(formatItem);
      const [only] = items;
      if (items.length === 1) await terminal.lines(`${only}: ${reason}`, undefined, '  ', '    ');
      else await terminal.lines(`${reason}:`, undefined, '  ');
      // A terminal shows at most 20 rows of one text.
      for (let at = 0; items.length > 1 && at < items.length; at += ITEMS_AT_ONCE)
        await terminal.lines(items.slice(at, at + ITEMS_AT_ONCE).join(', '), undefined, '    ');
    }
  }
}
