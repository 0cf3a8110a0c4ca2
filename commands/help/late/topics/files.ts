/** `sonde help files`: what lies where, by the paths of whoever reads it. */
import { join } from 'node:path';
import { dataFolders, userFile } from '../../../../src/profiles/folders.ts';
import { type Block, heading, type Reader, rows, text } from '../../blocks.ts';

export const files = ({ env, home }: Reader): readonly Block[] => {
  const { state, data, cache } = dataFolders(env, home);
  return [
    heading('Yours'),
    rows(
      [
        userFile(env, home),
        'Profiles with their keys, readable by you alone (mode 0600); "sonde login" writes it',
      ],
      [
        join(state, 'previous', '*.yaml'),
        'What stood before a change; the command that puts it back is printed with the change',
      ],
      [
        join(state, 'edits', '*.yaml'),
        'What you wrote in an editor and the service does not have yet; how to send it is printed',
      ],
      [join(state, 'waiting', '*.txt'), 'Ids of sessions that a gate was left with, for a week'],
      [
        join(state, 'bugs', '*.txt'),
        'What is needed to find a bug of sonde, without keys and values; the last 10',
      ],
      [
        join(state, 'updates.json'),
        'When it was last asked for a newer version; "updates: false" beside the profiles ends that',
      ],
      [
        join(cache, 'completion.json'),
        'Recent ids and their names, for a quick answer to Tab; it may go at any time',
      ],
    ),
    heading('Of a project'),
    rows(
      [
        '.sonderc, .sonderc.yaml, .sonderc.json',
        'In the working folder or above it: the profile and the account that a project uses',
      ],
      ['package.json', 'The same under the key "sonde"'],
    ),
    text(
      'A project file may choose among your profiles. It can neither name another address for a saved key nor run a command.',
    ),
    heading('Of the service on this machine'),
    rows(
      [
        join(data, 'service.db'),
        'The store, where it is SQLite; "service start --data" names another folder',
      ],
      [join(data, 'service.log'), 'What a service in the background says'],
      [join(data, 'service.json'), 'Which process serves the folder, and where it listens'],
    ),
    text(
      'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME and XDG_CACHE_HOME name other folders: sonde help environment.',
    ),
  ];
};
