/** Packs project folders as published clients do: gzipped tar files. */
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

/** Returns a tar file of the entries. */
export async function tarOf(
  ...entries: readonly (readonly [header: Partial<Header> & { readonly name: string }, content?: string])[]
): Promise<Buffer> {
  const tar = pack();
  for (const [header, content] of entries) tar.entry(header, content ?? '');
  tar.finalize();
  const parts: Buffer[] = [];
  for await (const part of tar) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Returns a gzipped tar file of files by path. */
export const packProject = async (files: Readonly<Record<string, string>>): Promise<Buffer> =>
  gzipSync(await tarOf(...Object.entries(files).map(([name, content]) => [{ name }, content] as const)));
