/** Endpoint of links that sign a browser in. */
import { signInLink, signInLinkBody } from '../resources/sign-in.ts';
import { define } from './define.ts';

export const createSignInLink = define({
  resource: 'account',
  name: 'createSignInLink',
  method: 'POST',
  path: '/v1/sign-in-links',
  summary: 'Create a single-use link that signs a browser in to the pages of the service',
  body: signInLinkBody,
  response: signInLink,
  status: 201,
  safeToRetry: true,
});
