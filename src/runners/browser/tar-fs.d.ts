/** The part of `tar-fs` that sonde and its tests use. The package has no types. */
declare module 'tar-fs' {
  import type { Readable, Writable } from 'node:stream';

  interface Header {
    name: string;
    mode: number;
    uid: number;
    gid: number;
  }
  /** Refuses entries and links that leave the folder. `chown`: whether the files get the owners of the archive. */
  export function extract(folder: string, options: { readonly chown: boolean }): Writable;
  export function pack(
    folder: string,
    options: { readonly entries: readonly string[]; readonly map: (header: Header) => Header },
  ): Readable;
}
