/** Reports what an export left out. */
import type { Terminal } from '../../../terminal/index.ts';
import type { ManifestExport } from './export-manifest.ts';

const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');

/** Lists hidden values, deleted references and unknown resources on stderr. */
export async function reportOmissions(
  terminal: Terminal,
  { hiddenValues, plainSecrets, danglingReferences, unknownResources }: Omit<ManifestExport, 'manifest'>,
): Promise<void> {
  if (hiddenValues.length > 0) {
    const lines = hiddenValues.flatMap(({ name, label }) => [`# ${label}`, `${name}=`]);
    await terminal.note(
      `Secrets are not exported, and the deployment keeps them. To set them on another deployment, fill in a file with these lines and run: sonde apply --secrets FILE\n${indent(lines)}`,
    );
  }
  if (plainSecrets.length > 0)
    await terminal.warn(
      `the export contains values that may be secrets, because the deployment shows them: ${plainSecrets.join(', ')}. Before you commit the files, write \${NAME} instead, and give the values with --secrets`,
    );
  if (danglingReferences.length > 0)
    await terminal.note(
      `Omitted because the referenced resource no longer exists:\n${indent(danglingReferences)}`,
    );
  if (unknownResources.length > 0)
    await terminal.warn(
      `the export lacks resources of types that this version of sonde does not know: ${unknownResources.join(', ')}`,
    );
}
