/** Declares the options of all import commands. */
import { text } from '../../framework/index.ts';
import { DEFAULT_FOLDER } from '../files/read-project.ts';

export const importOptions = {
  out: text('Folder to write the files to', { default: DEFAULT_FOLDER, placeholder: 'folder' }),
  project: text('Project that owns the resources; "plan --prune" and "plan --refresh-only" need one', {
    placeholder: 'name',
  }),
};
