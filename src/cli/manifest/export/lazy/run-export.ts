/** Fetches resources, and prints or writes them as a manifest. Lazy-loaded by the commands that export. */
import { groupBy } from '../../../../base/object.ts';
import { plural } from '../../../../base/plural.ts';
import { isHumanReadable, isTableOnScreen, type OutputOptions, render } from '../../../../terminal/index.ts';
import { toFileYaml } from '../../../../terminal/lazy/yaml.ts';
import { quoteShellWord } from '../../../framework/format-command-line.ts';
import type { Deps } from '../../../framework/index.ts';
import { kindOf } from '../../kinds.ts';
import { fetchArchives, fetchRemoteState } from '../../remote-state.ts';
import { readStates } from '../../state/read-states.ts';
import type { DeclaredManifest } from '../declared-manifest.ts';
import { exportManifest } from '../export-manifest.ts';
import { createManifestFiles, toManifestDocument } from '../manifest-files.ts';
import { reportOmissions } from '../report-export.ts';
import { selectResources } from '../select-resources.ts';
import { unpackSuites } from '../unpack-suite.ts';
import { writeManifestFiles } from '../write-manifest-files.ts';

export interface ExportRequest {
  /** The folder to write, as the user named it. Undefined: the manifest is printed. */
  readonly out: string | undefined;
  /** Exports only what this project owns. */
  readonly project: string | undefined;
  readonly output: OutputOptions;
  /** Whether existing files may change without a question. */
  readonly yes: boolean;
}

export async function runExport(deps: Deps, { out, project, output, yes }: ExportRequest): Promise<void> {
  const remote = await fetchRemoteState(deps);
  const states = await readStates(deps, remote.snippets);
  const { resources, ownerOf } = selectResources(remote, states, project);
  const result = exportManifest(await fetchArchives(deps, resources), remote, ownerOf);
  if (out === undefined) await printManifest(deps, result.manifest, output);
  else await writeFolder(deps, result.manifest, { folder: out, yes, output });
  await reportOmissions(deps.terminal, result);
  if (out === undefined) return;
  await deps.terminal.note(
    `To compare the files with the deployment, run: sonde plan ${quoteShellWord(out)}`,
  );
}

async function printManifest(
  { terminal }: Deps,
  manifest: DeclaredManifest,
  output: OutputOptions,
): Promise<void> {
  const document = toManifestDocument(manifest);
  const isYaml = output.format === undefined || output.format === 'yaml' || isHumanReadable(terminal, output);
  if (isYaml && output.fields === undefined) return terminal.out(toFileYaml(document));
  const format = isYaml ? 'yaml' : output.format;
  return render(terminal, { kind: 'item', data: document, output: { ...output, format } });
}

interface FolderRequest {
  readonly folder: string;
  readonly yes: boolean;
  readonly output: OutputOptions;
}

async function writeFolder(
  deps: Deps,
  { project, entries }: DeclaredManifest,
  { folder, yes, output }: FolderRequest,
): Promise<void> {
  const { terminal } = deps;
  const manifest = { project, entries: unpackSuites(entries) };
  const files = await createManifestFiles(manifest);
  const { written, unchanged, others } = await writeManifestFiles(deps, { folder, files, yes });
  const counts = [...groupBy(entries, ({ section }) => section)].map(([section, own]) =>
    plural(own.length, kindOf(section).noun),
  );
  if (!isTableOnScreen(terminal, output)) {
    const rows = [
      ...written.map((path) => ({ action: 'written', path })),
      ...unchanged.map((path) => ({ action: 'unchanged', path })),
    ];
    await render(terminal, {
      kind: 'list',
      data: rows,
      output,
      columns: [{ key: 'action' }, { key: 'path' }],
    });
  }
  const resources = counts.join(', ') || 'no resources';
  await terminal.note(
    written.length === 0
      ? `${plural(unchanged.length, 'file')} in ${folder} ${unchanged.length === 1 ? 'is' : 'are'} up to date: ${resources}.`
      : `Wrote ${plural(written.length, 'file')} to ${folder}: ${resources}.`,
  );
  if (others.length > 0)
    await terminal.warn(`${folder} also contains ${others.join(', ')}, which sonde plan and apply read too`);
}
