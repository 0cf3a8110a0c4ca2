/** Defines `sonde help files`: the files of sonde, with the reader's paths. */
import { join } from 'node:path';
import { dataFolders, userFilePath } from '../../../../profiles/folders.ts';
import { type HelpBlock, type HelpReader, heading, rows, text } from '../../blocks.ts';

export const files = ({ env, home }: HelpReader): readonly HelpBlock[] => {
  const { state, data, cache } = dataFolders(env, home);
  return [
    heading('User'),
    rows(
      [
        userFilePath(env, home),
        'Profiles with their keys, readable only by you (mode 0600); written by "sonde login"',
      ],
      [
        join(state, 'previous', '*.yaml'),
        'Undo files: resources before a change; sonde prints the undo command with the change',
      ],
      [
        join(state, 'edits', '*.yaml'),
        'Edits that were not sent yet; sonde prints the command that sends them',
      ],
      [join(state, 'waiting', '*.txt'), 'IDs of sessions that a gate did not wait for, for one week'],
      [join(state, 'bugs', '*.txt'), 'The last 10 crash reports, without keys and values'],
      [
        join(state, 'updates.json'),
        'Time of the last update check; to disable it, set "updates: false" in the file of profiles',
      ],
      [join(cache, 'completion.json'), 'Recent IDs and names for shell completion; safe to delete'],
    ),
    heading('Project'),
    rows(
      [
        '.sonderc, .sonderc.yaml, .sonderc.json',
        'Profile and account of a project, in the working folder or above',
      ],
      ['package.json', 'The same settings under the key "sonde"'],
    ),
    text(
      'A project file can select one of your profiles. It cannot change the base URL of a saved key or run a command.',
    ),
    heading('Local service'),
    rows(
      [join(data, 'service.db'), 'SQLite database; "service start --data" selects another folder'],
      [join(data, 'service.log'), 'Log of a service in the background'],
      [join(data, 'service.json'), 'Process ID and address of the running service'],
    ),
    text(
      'To use other folders, set XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME or XDG_CACHE_HOME. See sonde help environment.',
    ),
  ];
};
