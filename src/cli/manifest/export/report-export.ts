/** Reports what an export left out, and the secrets that it found. */
import type { Terminal } from '../../../terminal/index.ts';
import type { ManifestExport } from './export-manifest.ts';
import type { PlacedSecret } from './extract-secrets.ts';

const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');

/** Lists hidden values, deleted references and unknown resources on stderr. */
export async function reportOmissions(
  terminal: Terminal,
  { hiddenValues, danglingReferences, unknownResources }: Omit<ManifestExport, 'manifest'>,
): Promise<void> {
  if (hiddenValues.length > 0) {
    const lines = hiddenValues.flatMap(({ name, label }) => [`# ${label}`, `${name}=`]);
    await terminal.note(
      `Secrets are not exported, and the deployment keeps them. To set them on another deployment, fill in a file with these lines and run: sonde apply --secrets FILE\n${indent(lines)}`,
    );
  }
  if (danglingReferences.length > 0)
    await terminal.note(
      `Omitted because the referenced resource no longer exists:\n${indent(danglingReferences)}`,
    );
  if (unknownResources.length > 0)
    await terminal.warn(
      `the export lacks resources of types that this version of sonde does not know: ${unknownResources.join(', ')}`,
    );
}

/** Names each secret with its place, and the file with the values if there is one. */
export async function reportSecrets(
  terminal: Terminal,
  found: readonly PlacedSecret[],
  file: string | undefined,
): Promise<void> {
  if (found.length === 0) {
    if (file !== undefined) await terminal.note(`Found no secrets in the export; ${file} was not written.`);
    return;
  }
  if (file === undefined)
    await terminal.warn(
      'the export contains values that may be secrets, because the deployment shows them. To replace them by variables before you commit the files, pass --extract-secrets FILE. They are in:',
    );
  else await terminal.note(`Moved secrets to ${file}, which only you can read:`);
  // A terminal shows at most 20 rows of one text.
  for (const { place, variable } of found)
    await terminal.lines(file === undefined ? place : `${variable}: ${place}`, undefined, '  ', '    ');
}
