/**
 * Lists certificate authorities that browsers distrust, by the SHA-256 hashes of their keys (SubjectPublicKeyInfo). The
 * hashes are those of Chromium's blocklist (net/data/ssl/blocklist), where each authority has its reason.
 */

interface DistrustedAuthority {
  readonly name: string;
  /** Names of issuers, for a chain without the certificate of its root. */
  readonly issuers: readonly string[];
  readonly keys: readonly string[];
}

const AUTHORITIES: readonly DistrustedAuthority[] = [
  {
    name: 'CNNIC',
    issuers: ['CNNIC', 'China Internet Network Information Center'],
    keys: [
      '1f4224cec84fc99ced881ff6fcfd3e21f8c519c547aa6a5dd3de247302ce50d1',
      '9dd55fc573f546cb6a3831d1112d8710a6f4f82dc87f5fae9d3a1a028dd36e4b',
      '04dde9aa9a79f61498682325fa0870276707fb9ca95384120b46893268494fc9',
    ],
  },
  {
    name: 'DigiNotar',
    issuers: ['DigiNotar'],
    keys: [
      'a903af8c07bb91b0d9e3f3a30c6d53339fc5bd47e5d6bdb476598860c068a024',
      '455b87e96f1cea2f8b6dae0808ec24738fd92b7fd306757198bf389d755c0b6c',
      'f034f642ca1d9e88e9efeafcb15c7c937aa19e04b080f27335e1da70d1ca1201',
      'dd3eeb779bee07f9efdac382408b28d142fa842c78e8bc0e33348d57b92f0583',
      '93ca2d436cae7f68d2b4256ca175c985ce39926dc9f7eeaeecf2f8970fb97802',
      'd34b255b2fe7d1a09656cbab6409f73c796ec7d66af73653ecc39af978297310',
      '7e7058ea35ad4359654159973f560187f16d19c514b939c5055672d1d2a518ac',
    ],
  },
  {
    name: 'the National Informatics Centre of India',
    issuers: [],
    keys: [
      'fa00bec73dd99795df1162c789987004c26cbf90af4db442f66220de41354ac9',
      '9b8a93decccfbafcf4d04d3442128fb35218cfe437a3d8d0328c99f89089e450',
      'e6e136c86154f32c3e49f47cfc6b338ff2dc61ce14fc7589b3b56a1450132701',
    ],
  },
  {
    name: 'Qaznet Trust Network',
    issuers: ['Qaznet Trust Network'],
    keys: [
      'b5ba8dd7f89564c2889d3d6453c84998c77824919b64ea0835aa62986591be50',
      '8e12d0cb3b7df3ea2257579489fd8658c95603ea6cf4b73163a41eb7b7e93fee',
      'b13fa2e6131a888a01f3d62056fb0efbe999eb6b6e14927613e02ba8b8fb046e',
    ],
  },
  {
    name: 'Superfish',
    issuers: [],
    keys: ['4bb8f35ba1e126f8dde1b0c420625ed86dce61a7bddadbdea9aba578ff13145e'],
  },
  {
    name: 'Dell (eDellRoot, DSDTestProvider)',
    issuers: [],
    keys: [
      '130ad4e0633521290531b6651f5759b0bc7bc656709ff8f365c2143b0389b6f6',
      'cdee9f3305572a677e1a6c82dc1e02a35b11cae6a684338c9f37fe1ac8daec23',
    ],
  },
  {
    name: 'TrustCor',
    issuers: ['TrustCor Systems S. de R.L.'],
    keys: [
      'ea87f462deefffbd7775aa2a4b7e0fcb91c22eee6df69ed90100ccc73b311476',
      'c63d68c648a18b77641c427a669d61c9768a55f4fcd0322eac96c57700299cf1',
      '7afe4b071a2f1f46f8ba944a26d584d5960b92fb48c3ba1b7cab84905f32aacd',
    ],
  },
  {
    name: 'WoSign and StartCom',
    issuers: ['WoSign CA Limited', 'StartCom Ltd.'],
    keys: [
      'd6a18443d348db994f934ccd8e635d833a27ac1e56f8afaf7c97cb4f43eab68b',
      '9d98a1fb60538c4cc4857ff1a8c8034faf6fc592093f619994b2c813d250b864',
      '7aedddf36b18f8acb7379fe1ce183212b2350d0788abe0e82457be9badad6d54',
      'e42f24bd4d37f4aa2e56b979d83d1e65219fe0e9e3a382a1b3cb66c93955de75',
      '1528397da212890a830b0b95a59968cef234773779df5181cf10fa647534bb65',
      '381a3fc7a8b082fa28613a4d07f2c7553f4e1918ee07caa9e8b7cede5a9ca06a',
      'db15c0062b520f318a19dacfecd64f9e7a3fbe609fd586796f20ae028e8e3058',
      '36ea96128c89839fb621f8ad0e1ee0b9c2206f62ab7b4da2c6765893c9b7ced2',
      '394cff589e689312cfc071ee0bc19fe4c606216ce543429de6db62e42dbb3bc1',
    ],
  },
];

/** The names of distrusted authorities, by the hashes of their keys. */
export const DISTRUSTED_KEYS: ReadonlyMap<string, string> = new Map(
  AUTHORITIES.flatMap(({ name, keys }) => keys.map((key) => [key, name])),
);

/** The same, by the names of issuers. */
export const DISTRUSTED_ISSUERS: ReadonlyMap<string, string> = new Map(
  AUTHORITIES.flatMap(({ name, issuers }) => issuers.map((issuer) => [issuer, name])),
);
