/** What is used of the keyring's library. It is an optional dependency: here, so that the types hold where it is absent. */
declare module '@napi-rs/keyring' {
  export class AsyncEntry {
    constructor(
      service: string,
      user: string,
      options?: { readonly linux?: { readonly store?: 'secret-service' | 'keyutils' } },
    );
    /** Null where there is none. */
    getPassword(): Promise<string | null>;
    setPassword(password: string): Promise<void>;
    /** False where there was none. */
    deleteCredential(): Promise<boolean>;
  }
}
