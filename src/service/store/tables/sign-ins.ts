/** Defines the table of browser sessions and sign-in links. */

interface SignInRow {
  /** Hex SHA-256 of the token. */
  hash: string;
  /** The API key that it stands for. Deleting the key deletes the row. */
  key_id: string;
  kind: 'LINK' | 'SESSION';
  /** The local path that a link redirects to; null: the home page. */
  path: string | null;
  created_at: number;
  expires_at: number;
}

export interface SignInTables {
  sign_ins: SignInRow;
}
