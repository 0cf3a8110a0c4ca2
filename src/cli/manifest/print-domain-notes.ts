/** Prints how to verify the custom domains of the pages of a project. */
import type { JsonObject } from '../../base/object.ts';
import type { Terminal } from '../../terminal/index.ts';
import { type DomainFields, describeVerification } from '../resources/custom-domain.ts';
import type { Section } from './kinds.ts';
import type { Taint } from './taint.ts';

const COMMAND_GROUPS: Partial<Record<Section, string>> = {
  statusPages: 'status-pages',
  dashboards: 'dashboards',
};

/** `row`: the page as the service has it; undefined if it does not exist. */
export async function printDomainNotes(
  terminal: Terminal,
  taint: Taint,
  pages: readonly { readonly section: Section; readonly id: unknown; readonly row: JsonObject | undefined }[],
): Promise<void> {
  for (const { section, id, row = {} } of pages) {
    const group = COMMAND_GROUPS[section];
    const note =
      group && describeVerification(row as DomainFields, () => `sonde ${group} verify-domain ${id}`);
    if (note) await terminal.note(taint.show(note));
  }
}
