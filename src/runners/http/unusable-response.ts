/** A response that browsers and curl refuse too. The message is a predicate, such as `answered 200 with …`. */
export class UnusableResponse extends Error {}

export const invalidResponse = (why: string): UnusableResponse =>
  new UnusableResponse(`sent an invalid HTTP response: ${why}`);
