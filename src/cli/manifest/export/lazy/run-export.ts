/** Fetches resources, and prints or writes them as a manifest. Lazy-loaded by the commands that export. */
import { UsageError } from '../../../../base/errors.ts';
import { groupBy } from '../../../../base/object.ts';
import { plural } from '../../../../base/plural.ts';
import { isHumanReadable, isTableOnScreen, type OutputOptions, render } from '../../../../terminal/index.ts';
import { toFileYaml } from '../../../../terminal/lazy/yaml.ts';
import { quoteShellWord } from '../../../framework/format-command-line.ts';
import type { Deps } from '../../../framework/index.ts';
import { kindOf } from '../../kinds.ts';
import { fetchArchives, fetchRemoteState } from '../../remote-state.ts';
import { checkSecretsFile, writeSecretsFile } from '../../secrets/secrets-file.ts';
import { readStates } from '../../state/read-states.ts';
import type { DeclaredManifest } from '../declared-manifest.ts';
import { exportManifest } from '../export-manifest.ts';
import { protectSecrets } from '../extract-secrets.ts';
import { createManifestFiles, toManifestDocument } from '../manifest-files.ts';
import { reportOmissions, reportSecrets } from '../report-export.ts';
import { selectResources } from '../select-resources.ts';
import { unpackSuites } from '../unpack-suite.ts';
import { writeManifestFiles } from '../write-manifest-files.ts';

export interface ExportRequest {
  /** The folder to write, as the user named it. Undefined: the manifest is printed. */
  readonly out: string | undefined;
  /** Exports only what this project owns. */
  readonly project: string | undefined;
  /** The file that gets the secrets, as the user named it. Undefined: the files contain them. */
  readonly extractSecrets: string | undefined;
  /** Whether that file may be replaced. */
  readonly force: boolean;
  readonly output: OutputOptions;
  /** Whether existing files may change without a question. */
  readonly yes: boolean;
}

export async function runExport(deps: Deps, request: ExportRequest): Promise<void> {
  const { out, project, extractSecrets: file, force, output, yes } = request;
  if (file !== undefined) await checkSecretsFile(deps, { file, force, folder: out });
  else if (force)
    throw new UsageError('--force needs --extract-secrets: it replaces the file of the secrets');
  const remote = await fetchRemoteState(deps);
  const states = await readStates(deps, remote.snippets);
  const { resources, ownerOf } = selectResources(remote, states, project);
  const result = exportManifest(await fetchArchives(deps, resources), remote, ownerOf);
  const raw = result.manifest.entries;
  const { entries, found, values } = protectSecrets(out === undefined ? raw : unpackSuites(raw), {
    extract: file !== undefined,
    reserved: result.hiddenValues,
  });
  const manifest = { ...result.manifest, variables: [...values.keys()], entries };
  const writeSecrets = async (): Promise<void> => {
    if (file !== undefined && values.size > 0) writeSecretsFile(deps.cwd, file, values);
  };
  if (out === undefined) {
    await writeSecrets();
    await printManifest(deps, manifest, output);
  } else await writeFolder(deps, manifest, { folder: out, yes, output, prepare: writeSecrets });
  await reportOmissions(deps.terminal, result);
  await reportSecrets(deps.terminal, found, file);
  if (out === undefined) return;
  const secrets = file === undefined || values.size === 0 ? '' : ` --secrets ${quoteShellWord(file)}`;
  await deps.terminal.note(
    `To compare the files with the deployment, run: sonde plan ${quoteShellWord(out)}${secrets}`,
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
  /** Runs before the first file is written. */
  readonly prepare: () => Promise<void>;
}

async function writeFolder(
  deps: Deps,
  manifest: DeclaredManifest,
  { folder, yes, output, prepare }: FolderRequest,
): Promise<void> {
  const { terminal } = deps;
  const files = await createManifestFiles(manifest);
  const { written, unchanged, others } = await writeManifestFiles(deps, { folder, files, yes, prepare });
  const counts = [...groupBy(manifest.entries, ({ section }) => section)].map(([section, own]) =>
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
