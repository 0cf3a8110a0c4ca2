/** Writes a ZIP archive as a stream: each part is passed on immediately. */
import { once } from 'node:events';
import { constants, createDeflateRaw } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';

/** Writes one entry. */
export interface ZipEntryWriter {
  /** Resolves when the entry accepts more data. */
  write(part: Uint8Array): Promise<void>;
  /** Resolves when the entry has been passed on completely. */
  end(): Promise<void>;
}

export interface ZipWriter {
  /** Starts an entry after the previous one has ended. `isPacked`: the content is already compressed. */
  begin(name: string, isPacked: boolean): ZipEntryWriter;
  end(): void;
}

const EMPTY = new Uint8Array();

/** Compresses with a stream, because the library's own way is several times slower. */
class Deflated extends ZipPassThrough {
  readonly #deflater = createDeflateRaw({ level: constants.Z_DEFAULT_COMPRESSION });
  readonly #over: Promise<unknown>;

  constructor(name: string) {
    super(name);
    this.compression = 8;
    this.#deflater.on('data', (part: Buffer<ArrayBuffer>) => this.ondata(null, part, false));
    this.#over = once(this.#deflater, 'end').then(() => this.ondata(null, EMPTY, true));
    // `end` reports the error to its caller.
    this.#over.catch(() => {});
  }

  protected override process(part: Uint8Array, isLast: boolean): void {
    if (part.length > 0) this.#deflater.write(part);
    if (isLast) this.#deflater.end();
  }

  async drain(): Promise<void> {
    if (this.#deflater.writableNeedDrain) await once(this.#deflater, 'drain');
  }

  finished(): Promise<unknown> {
    return this.#over;
  }
}

/** Creates a writer. `onPart` receives the archive in order. */
export function createZipWriter(onPart: (part: Uint8Array) => void): ZipWriter {
  const zip = new Zip((error, part) => {
    if (error) throw error;
    if (part.length > 0) onPart(part);
  });
  return {
    begin(name, isPacked) {
      const file = isPacked ? new ZipPassThrough(name) : new Deflated(name);
      zip.add(file);
      return {
        async write(part) {
          file.push(part);
          if (file instanceof Deflated) await file.drain();
        },
        async end() {
          file.push(EMPTY, true);
          if (file instanceof Deflated) await file.finished();
        },
      };
    },
    end: () => zip.end(),
  };
}
