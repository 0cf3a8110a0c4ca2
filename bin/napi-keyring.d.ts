/** Declares the used part of the keyring library, so that types check without this optional dependency. */
declare module '@napi-rs/keyring' {
  export class AsyncEntry {
    constructor(
      service: string,
      user: string,
      options?: { readonly linux?: { readonly store?: 'secret-service' | 'keyutils' } },
    );
    /** Null if there is none. */
    getPassword(): Promise<string | null>;
    setPassword(password: string): Promise<void>;
    /** False if there was none. */
    deleteCredential(): Promise<boolean>;
  }
}
