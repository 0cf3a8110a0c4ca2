/** Signs in to the pages of a service. */
import { get, post, tokenIn, type World } from './world.ts';

type Service = Pick<World, 'url'>;

/** Sends the form of the start page. */
export async function signInForm(
  service: Service,
  key: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const token = tokenIn(await (await get(service, '/')).text());
  return post(service, '/sign-in', { key, token, ...more });
}

/** The cookie that an answer sets, as a request sends it. */
export const cookieOf = (answer: Response): string => answer.headers.get('set-cookie')?.split(';')[0] ?? '';

export const signIn = async (service: Service, key: string): Promise<string> =>
  cookieOf(await signInForm(service, key));
