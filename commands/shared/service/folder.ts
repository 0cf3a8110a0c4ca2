/** Where the embedded service keeps its data, and which process serves it now. */
import { resolve } from 'node:path';
import { dataFolders } from '../../../src/profiles/folders.ts';
import type { ServiceRecord } from '../../../src/service/record.ts';
import { type Deps, text } from '../../kernel/index.ts';

/** `--data`: the same for every command about the service. */
export const dataOption = text("The service's data folder; your data folder's sonde unless given", {
  placeholder: 'folder',
});

/** The data folder, absolute. */
export const serviceFolder = (
  { env, home, cwd }: Pick<Deps, 'env' | 'home' | 'cwd'>,
  given: string | undefined,
): string => (given === undefined ? dataFolders(env, home).data : resolve(cwd, given));

/** A service that answers as the process that its note names. */
export interface RunningService {
  readonly record: ServiceRecord;
  readonly health: Readonly<Record<string, unknown>>;
}

/** The service that runs over a data folder, or undefined where none answers. */
export async function runningService(folder: string): Promise<RunningService | undefined> {
  const { readRecord, healthOf } = await import('../../../src/service/record.ts');
  const record = await readRecord(folder);
  const health = record && (await healthOf(record));
  return record && health && { record, health };
}
