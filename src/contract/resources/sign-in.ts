/** Schemas of links that sign a browser in. */
import { LOCAL_PATH_PATTERN, MAX_LOCAL_PATH_LENGTH } from '../../base/local-path.ts';
import { allOptional, closed, dateTime, open, secret, string } from '../schema.ts';

export const signInLinkBody = closed(
  allOptional({
    path: string('Path of the page to open after signing in, such as /checks/<id>', {
      maxLength: MAX_LOCAL_PATH_LENGTH,
      pattern: LOCAL_PATH_PATTERN,
      default: '/',
    }),
  }),
  { title: 'SignInLinkBody' },
);

export const signInLink = open(
  {
    url: secret('once', 'Link that signs a browser in once. Treat it as a secret'),
    expiresAt: dateTime('Time when the link expires'),
  },
  { title: 'SignInLink' },
);
