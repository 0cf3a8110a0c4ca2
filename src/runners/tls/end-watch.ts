/**
 * Tells apart the two ends of a TLS connection: the server announces the first with a close_notify alert; anybody on
 * the way can cause the second. Node reports both as `end`, so this stream withholds the end of the TCP connection until
 * TLS has read all data before it.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

export class EndWatch extends Duplex {
  readonly #socket: Socket;
  #tls: TLSSocket | undefined;
  #isAnnounced = false;
  #isEnded = false;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', (bytes) => {
      if (!this.push(bytes)) socket.pause();
    });
    socket.once('end', () => setImmediate(() => this.#end()));
    socket.once('error', (error) => (this.#tls ?? this).destroy(error));
    socket.once('close', () => socket.readableEnded || this.destroy());
  }

  /** True if the connection ended with the alert. It is known when TLS ends. */
  get isAnnounced(): boolean {
    return this.#isAnnounced;
  }

  /** Names the TLS connection. Call this as soon as its handshake is complete. */
  watch(tls: TLSSocket): void {
    this.#tls = tls;
    tls.once('end', () => {
      this.#isAnnounced = !this.#isEnded && !this.destroyed;
    });
  }

  #end(): void {
    if (this.destroyed || this.#tls?.readableEnded) return;
    // Data that nobody has read yet may precede an alert.
    if (this.readableLength > 0 || (this.#tls?.readableLength ?? 0) > 0) setImmediate(() => this.#end());
    else {
      this.#isEnded = true;
      this.push(null);
    }
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
