/** Defines API checks as their runner receives them: with the settings of their group and their scripts in order. */
import type { Assertion } from '../core/assertion.ts';
import type { Expectations } from '../core/conclude.ts';
import type { IpFamily } from '../network/addresses.ts';

export interface Pair {
  readonly key: string;
  readonly value: string;
  /** Whether the value is secret. */
  readonly locked?: boolean;
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
  /** Default: IPv4 first. */
  readonly ipFamily?: IpFamily | null;
  readonly skipSSL?: boolean | null;
  readonly followRedirects?: boolean | null;
  readonly assertions?: readonly Assertion[] | null;
}

/** A snippet or an inline script of the check. */
export interface PhaseScript {
  /** The name in messages. */
  readonly name: string;
  readonly script: string;
}

/** An API check with the defaults of its group merged in. */
export interface ApiCheck extends Expectations {
  readonly request: ApiRequest;
  readonly environmentVariables?: readonly Pair[] | null;
  /** In execution order. */
  readonly setup?: readonly PhaseScript[] | null;
  readonly teardown?: readonly PhaseScript[] | null;
  /** Why the check cannot run, for example because a snippet was deleted. */
  readonly problem?: string;
  readonly runtimeId?: string | null;
  /** Whether it runs in a test session. */
  readonly isTest?: boolean;
}
