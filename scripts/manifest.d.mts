/** Declares the types of manifest.mjs that tests use. */
export interface CommandFile {
  readonly name: string;
  readonly file: string;
  /** The name is the one that the command declares as its alias. */
  readonly isAlias?: true;
}
export function commandFiles(): Promise<CommandFile[]>;
export function loadCommands(files: readonly CommandFile[]): Promise<{
  commands: readonly import('../src/cli/framework/types.ts').Command[];
}>;
