/** Declares the options of every command that reads the files of a project. */
import { flag, text, texts } from '../framework/index.ts';

export const projectOptions = {
  secrets: text(
    'File of KEY=VALUE lines: the variables of the files, and secret values that the files leave out',
    { placeholder: 'file' },
  ),
  root: text(
    'Folder that must contain all files (default: the git repository, otherwise the folder of the path)',
    { placeholder: 'folder' },
  ),
  allowEnv: texts(
    'Variables of the environment that the files may read, such as SHOP_*; replaces the names in "variables" of the files; repeatable',
    { placeholder: 'pattern' },
  ),
};

/** The values of `projectOptions`. */
export interface ProjectChoice {
  readonly secrets: string | undefined;
  readonly root: string | undefined;
  readonly allowEnv: readonly string[];
}

/** The option of commands that delete resources of a project. */
export const massDeletion = {
  allowMassDelete: flag('Allow --prune to delete more than half of the project without a confirmation'),
};
