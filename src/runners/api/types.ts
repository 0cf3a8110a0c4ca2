/** What an API check is made of, as its runner takes it: with what its group adds, and with its scripts in their order. */
import type { Assertion } from '../assertions/types.ts';
import type { Expectations } from '../conclude.ts';
import type { IpFamily } from '../network/addresses.ts';

export interface Pair {
  readonly key: string;
  readonly value: string;
}

export interface ApiRequest {
  readonly url: string;
  /** Default GET. */
  readonly method?: string | null;
  readonly headers?: readonly Pair[] | null;
  readonly queryParameters?: readonly Pair[] | null;
  readonly body?: string | null;
  /** NONE (default), JSON, FORM, RAW, GRAPHQL. */
  readonly bodyType?: string | null;
  readonly basicAuth?: { readonly username?: string; readonly password?: string } | null;
  /** Left out: IPv4 first. */
  readonly ipFamily?: IpFamily | null;
  readonly skipSSL?: boolean | null;
  readonly followRedirects?: boolean | null;
  readonly assertions?: readonly Assertion[] | null;
}

/** A snippet or a script of the check's own. */
export interface PhaseScript {
  /** What it is called in messages. */
  readonly name: string;
  readonly script: string;
}

/** An API check with the defaults of its group merged in. */
export interface ApiCheck extends Expectations {
  readonly request: ApiRequest;
  readonly environmentVariables?: readonly Pair[] | null;
  /** In the order in which they run. */
  readonly setup?: readonly PhaseScript[] | null;
  readonly teardown?: readonly PhaseScript[] | null;
  /** Why nothing of it may run (a snippet that is there no more). */
  readonly problem?: string;
  readonly runtimeId?: string | null;
  /** Whether a test session runs it. */
  readonly isTest?: boolean;
}
