/**
 * Failures as monitors meet them. Each family is one failure, told at several times in other words of the same kind: ids,
 * numbers, addresses, times. No two families are the same failure, however alike they look.
 */

const ESC = '\u001b';

export const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'Playwright: a click that ran out of time': [
    `locator.click: Timeout 30000ms exceeded.
Call log:
  - waiting for getByRole('button', { name: 'Pay now' })
    - locator resolved to <button class="btn css-1x2y3z" disabled>Pay now</button>
  - attempting click action
    2 × waiting for element to be visible, enabled and stable
      - element is not enabled
    - retrying click action
    - waiting 20ms
    2 × waiting for element to be visible, enabled and stable
      - element is not enabled
    - retrying click action
      - waiting 100ms
    54 × waiting for element to be visible, enabled and stable
       - element is not enabled
     - retrying click action
       - waiting 500ms

    at /tmp/sonde-run-x8Kq2/check.spec.ts:12:46`,
    `${ESC}[31mlocator.click: Timeout 10000ms exceeded.${ESC}[39m
Call log:
${ESC}[2m  - waiting for getByRole('button', { name: 'Pay now' })${ESC}[22m
${ESC}[2m    - locator resolved to <button class="btn css-9a8b7c" disabled>Pay now</button>${ESC}[22m
${ESC}[2m  - attempting click action${ESC}[22m
${ESC}[2m    - waiting for element to be visible, enabled and stable${ESC}[22m
${ESC}[2m    - element is not enabled${ESC}[22m
${ESC}[2m    - retrying click action${ESC}[22m
${ESC}[2m    - waiting 20ms${ESC}[22m

    at /var/lib/sonde/cells/41/check.spec.ts:14:46`,
  ],
  'Playwright: another button': [
    `locator.click: Timeout 30000ms exceeded.
Call log:
  - waiting for getByRole('button', { name: 'Log in' })

    at /tmp/sonde-run-x8Kq2/check.spec.ts:9:40`,
    `locator.click: Timeout 15000ms exceeded.
Call log:
  - waiting for getByRole('button', { name: 'Log in' })

    at /tmp/sonde-run-Lw04f/check.spec.ts:9:40`,
  ],
  'Playwright: the same button filled': [
    "locator.fill: Timeout 30000ms exceeded.\nCall log:\n  - waiting for getByLabel('E-mail')\n",
    "locator.fill: Timeout 5000ms exceeded.\nCall log:\n  - waiting for getByLabel('E-mail')\n",
  ],
  'Playwright: a text that is not there': [
    `Error: expect(locator).toHaveText(expected) failed

Locator:  getByTestId('order-status')
Expected: "Order 81723 was sent"
Received: "Order 81723 is waiting"
Timeout:  5000ms

Call log:
  - Expect "toHaveText" with timeout 5000ms
  - waiting for getByTestId('order-status')
    9 × locator resolved to <p data-testid="order-status">Order 81723 is waiting</p>
      - unexpected value "Order 81723 is waiting"
`,
    `Error: expect(locator).toHaveText(expected) failed

Locator:  getByTestId('order-status')
Expected: "Order 4 was sent"
Received: "Order 4 is waiting"
Timeout:  10000ms

Call log:
  - Expect "toHaveText" with timeout 10000ms
  - waiting for getByTestId('order-status')
    14 × locator resolved to <p data-testid="order-status">Order 4 is waiting</p>
       - unexpected value "Order 4 is waiting"
`,
  ],
  'Playwright: a name that is there several times': [
    "Error: locator.click: Error: strict mode violation: getByRole('link', { name: 'Next' }) resolved to 2 elements",
    "Error: locator.click: Error: strict mode violation: getByRole('link', { name: 'Next' }) resolved to 5 elements",
  ],
  'Playwright: a page that did not load': [
    'page.goto: net::ERR_CONNECTION_REFUSED at https://shop.example/cart?session=8fe21ab0c1\nCall log:\n  - navigating to "https://shop.example/cart?session=8fe21ab0c1", waiting until "load"\n',
    'page.goto: net::ERR_CONNECTION_REFUSED at https://shop.example/cart?session=00ab1cde77\nCall log:\n  - navigating to "https://shop.example/cart?session=00ab1cde77", waiting until "load"\n',
  ],
  'Playwright: a name that did not resolve': [
    'page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.example/cart?session=8fe21ab0c1',
    'page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.example/cart?session=1',
  ],
  'Playwright: a certificate that is over': [
    'page.goto: net::ERR_CERT_DATE_INVALID at https://shop.example/cart?a=1',
    'page.goto: net::ERR_CERT_DATE_INVALID at https://shop.example/cart?a=977',
  ],
  'Playwright: a page that took too long': [
    'page.goto: Timeout 30000ms exceeded.\nCall log:\n  - navigating to "https://shop.example/", waiting until "load"',
    'page.goto: Timeout 45000ms exceeded.\nCall log:\n  - navigating to "https://shop.example/", waiting until "load"',
  ],
  'Playwright: the browser went': [
    'page.click: Target page, context or browser has been closed\nBrowser logs:\n[pid=8123][err] [8123:8140:1121/032417.512:ERROR:gpu_process.cc(912)] GPU process exited unexpectedly',
    'page.click: Target page, context or browser has been closed\nBrowser logs:\n[pid=77][err] [77:91:1122/111213.001:ERROR:gpu_process.cc(912)] GPU process exited unexpectedly',
  ],
  'Playwright: a test that ran out of time': [
    'Test timeout of 30000ms exceeded.',
    'Test timeout of 120000ms exceeded.',
  ],
  'Node: refused by the database': [
    'connect ECONNREFUSED 10.0.3.17:5432',
    'connect ECONNREFUSED 192.168.7.2:5432',
    'connect ECONNREFUSED [2001:db8::17]:5432',
  ],
  'Node: refused by the cache': [
    'connect ECONNREFUSED 10.0.3.17:6379',
    'connect ECONNREFUSED 10.44.0.9:6379',
  ],
  'Node: refused by something passing': [
    'connect ECONNREFUSED 127.0.0.1:45121',
    'connect ECONNREFUSED 127.0.0.1:60001',
  ],
  'Node: no route': [
    'connect EHOSTUNREACH 10.0.3.17:443 - Local (10.0.0.4:51204)',
    'connect EHOSTUNREACH 10.9.9.9:443 - Local (10.0.0.5:40012)',
  ],
  'Node: timed out': ['connect ETIMEDOUT 203.0.113.7:443', 'connect ETIMEDOUT 198.51.100.23:443'],
  'Node: reset while reading': [
    'read ECONNRESET',
    `read ECONNRESET\n    at TLSWrap.onStreamRead (node:internal/stream_base_commons:216:20)`,
  ].slice(0, 1),
  'Node: hung up': [
    'socket hang up\n    at Socket.socketOnEnd (node:_http_client:524:23)\n    at Socket.emit (node:events:530:35)\n    at endReadableNT (node:internal/streams/readable:1698:12)',
    'socket hang up\n    at Socket.socketOnEnd (node:_http_client:599:25)\n    at Socket.emit (node:events:518:28)',
  ],
  'Node: a name that is not there': ['getaddrinfo ENOTFOUND api.shop.example'],
  'Node: another name that is not there': ['getaddrinfo ENOTFOUND login.shop.example'],
  'Node: a resolver that is tired': ['getaddrinfo EAI_AGAIN api.shop.example'],
  'Node: the pool has no body': [
    'UND_ERR_HEADERS_TIMEOUT: Headers Timeout Error after 300000 ms (req_8fKq2LmZ01)',
    'UND_ERR_HEADERS_TIMEOUT: Headers Timeout Error after 5000 ms (req_Qm77xTTa9c)',
  ],
  'Node: too many files': [
    "EMFILE: too many open files, open '/home/ada/app/data.json'",
    "EMFILE: too many open files, open '/home/bob/work/data.json'",
  ],
  'Node: a file that is not there': [
    "ENOENT: no such file or directory, open '/tmp/run-81/users.json'",
    "ENOENT: no such file or directory, open '/var/tmp/run-x9/users.json'",
  ],
  'Node: another file that is not there': [
    "ENOENT: no such file or directory, open '/tmp/run-81/orders.json'",
  ],
  'Node: a file on Windows': [
    "EPERM: operation not permitted, unlink 'C:\\Users\\ada\\AppData\\Local\\Temp\\run-1\\trace.zip'",
    "EPERM: operation not permitted, unlink 'D:\\agents\\7\\work\\trace.zip'",
  ],
  'HTTP/2: a stream': ['ERR_HTTP2_STREAM_ERROR: Stream closed with error code NGHTTP2_INTERNAL_ERROR'],
  'HTTP/2: a session': ['ERR_HTTP2_SESSION_ERROR: Session closed with error code NGHTTP2_INTERNAL_ERROR'],
  'TLS: expired': [
    'certificate has expired on Nov 20 23:59:59 2026 GMT',
    'certificate has expired on Jan  3 00:00:00 2027 GMT',
  ],
  'TLS: not yet valid': [
    'certificate is not yet valid before Nov 20 23:59:59 2026 GMT',
    'certificate is not yet valid before Dec 1 10:00:00 2026 GMT',
  ],
  'TLS: of another name': [
    "Hostname/IP does not match certificate's altnames: Host: shop.example. is not in the cert's altnames: DNS:*.cdn.example",
  ],
  'TLS: signed by itself': [
    'DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate; fingerprint 9A:3B:17:CC:41:0E',
    'DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate; fingerprint 0F:91:AA:BE:12:45',
  ],
  'TLS: cannot be verified': ['UNABLE_TO_VERIFY_LEAF_SIGNATURE: unable to verify the first certificate'],
  'TLS: the wrong version': [
    'write EPROTO 140735284:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/openssl/ssl/record/ssl3_record.c:354:',
    'write EPROTO 8F2A11C0:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/openssl/ssl/record/ssl3_record.c:361:',
  ],
  'TLS: an alert of its own': [
    'tlsv1 alert internal error: SSL alert number 80',
    'tlsv1 alert internal error: SSL alert number 80 (conn 8123)',
  ].slice(0, 1),
  'TLS: no common cipher': ['server chose TLSv1.2 with ECDHE_RSA_AES128_GCM_SHA256'],
  'TLS: an older version': ['server chose TLSv1.1 with ECDHE_RSA_AES128_GCM_SHA256'],
  'TLS: another cipher': ['server chose TLSv1.2 with ECDHE_RSA_AES256_GCM_SHA384'],
  'DNS: no such name': ['shop.example A: answered NXDOMAIN'],
  'DNS: no such name of another type': ['shop.example AAAA: answered NXDOMAIN'],
  'DNS: the server failed': ['shop.example A: answered SERVFAIL'],
  'DNS: refused': ['mail.example MX: answered REFUSED'],
  'DNS: an unknown code': ['shop.example A: answered RCODE11'],
  'DNS: another unknown code': ['shop.example A: answered RCODE12'],
  'DNS: no answer': [
    '192.0.2.53:53 did not answer within 5 s (UDP)',
    '198.51.100.1:53 did not answer within 2.5 s (UDP)',
  ],
  'DNS: no answer by TCP': [
    '192.0.2.53:53 did not answer within 5 s (TCP)',
    '[2001:db8::53]:53 did not answer within 1 s (TCP)',
  ],
  'DNS: closed': [
    '192.0.2.53:53 closed the connection before it answered (TCP)',
    '10.1.2.3:53 closed the connection before it answered (TCP)',
  ],
  'DNS: slow': [
    'took 1203.25 ms, the limit is 1000 ms',
    'took 1.2 s, the limit is 1 s',
    'took 1 min 12 s, the limit is 1 min',
    'took 5001 ms, the limit is 5000 ms',
  ],
  'DNS: it should have failed': [
    'the check expects a failure, but the target succeeded in 12.345 ms',
    'the check expects a failure, but the target succeeded in 7 ms',
  ],
  'DNS: a text that is not in the answer': [
    'TEXT_ANSWER CONTAINS "192.0.2.7": was "shop.example. / 300 / IN / A / 192.0.2.8"',
    'TEXT_ANSWER CONTAINS "192.0.2.7": was "shop.example. / 211 / IN / A / 192.0.2.99"',
  ],
  'DNS: another kind of record': [
    'TEXT_ANSWER CONTAINS "mail.example": was "shop.example. / 300 / IN / MX / 10 mx1.other.example."',
    'TEXT_ANSWER CONTAINS "mail.example": was "shop.example. / 60 / IN / MX / 20 mx1.other.example."',
  ],
  'DNS: another code than wanted': ['RESPONSE_CODE EQUALS "NOERROR": was "NXDOMAIN"'],
  'DNS: yet another code than wanted': ['RESPONSE_CODE EQUALS "NOERROR": was "SERVFAIL"'],
  'DNS: slower than wanted': [
    'RESPONSE_TIME LESS_THAN "100": was 231.442 ms',
    'RESPONSE_TIME LESS_THAN "100": was 1002 ms',
  ],
  'DNS: nothing selected': [
    'JSON_ANSWER $.Answer[0].data EQUALS "a": was nothing; $.Answer[0].data selects nothing',
  ],
  'HTTP: not found': [
    'Request failed with status code 404',
    'Request failed with status code 404 (request 8fe21ab0-1c4e-4f7e-9c55-0d6a54b2b1aa)',
  ].slice(0, 1),
  'HTTP: unavailable': ['Request failed with status code 503'],
  'HTTP: bad gateway': [
    'GET https://api.shop.example/v2/orders/81723 answered 502 Bad Gateway in 31 ms',
    'GET https://api.shop.example/v2/orders/9 answered 502 Bad Gateway in 1.2 s',
  ],
  'HTTP: too many requests': [
    'GET https://api.shop.example/v2/orders/81723 answered 429 Too Many Requests in 31 ms',
    'GET https://api.shop.example/v2/orders/1 answered 429 Too Many Requests in 8 ms',
  ],
  'HTTP: another resource': [
    'GET https://api.shop.example/v2/users/81723 answered 502 Bad Gateway in 31 ms',
    'GET https://api.shop.example/v2/users/2 answered 502 Bad Gateway in 9 ms',
  ],
  'HTTP: another host': ['GET https://api.bank.example/v2/users/81723 answered 502 Bad Gateway in 31 ms'],
  'HTTP: expected otherwise': [
    'expect(response.status()).toBe(200)\n\nExpected: 200\nReceived: 500',
    `expect(response.status()).toBe(200)\n\n${ESC}[32mExpected: 200${ESC}[39m\n${ESC}[31mReceived: 500${ESC}[39m`,
  ],
  'HTTP: expected yet otherwise': ['expect(response.status()).toBe(200)\n\nExpected: 200\nReceived: 403'],
  'HTTP: our own assertion': ['STATUS_CODE EQUALS "200": was 404'],
  'HTTP: our own assertion, otherwise': ['STATUS_CODE EQUALS "200": was 500'],
  'HTTP: a trace that fails': [
    '{"error":"quota exceeded","requestId":"01J9ZK4QX0M7T3","ts":1795248000123,"tenant":"acme"}',
    '{"error":"quota exceeded","requestId":"01J9ZP88SWQ2A9","ts":1795249999999,"tenant":"acme"}',
  ],
  'HTTP: another error of JSON': [
    '{"error":"token expired","requestId":"01J9ZK4QX0M7T3","ts":1795248000123,"tenant":"acme"}',
    '{"error":"token expired","requestId":"01JA0000SWQ2A9","ts":1795248000999,"tenant":"acme"}',
  ],
  'HTTP: JSON that is none': [
    'Unexpected token < in JSON at position 0',
    'Unexpected token < in JSON at position 11',
  ],
  'HTTP: another token': [
    'Unexpected token } in JSON at position 120',
    'Unexpected token } in JSON at position 4',
  ],
  'HTTP: a token that is refused': [
    'jwt malformed: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
    'jwt malformed: eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiI5OTkifQ.AAAjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
  ],
  'mail: no such mailbox': [
    '550 5.1.1 <ada.lovelace+81@mail.example>: user unknown',
    '550 5.1.1 <bob.77@mail.example>: user unknown',
  ],
  'mail: over quota': ['552 5.2.2 <ada.lovelace+81@mail.example>: over quota'],
  'script: of undefined': [
    "TypeError: Cannot read properties of undefined (reading 'total')\n    at checkout (/tmp/run-1/check.spec.ts:31:17)\n    at async runTest (/opt/sonde/node_modules/playwright/lib/worker.js:412:9)",
    "TypeError: Cannot read properties of undefined (reading 'total')\n    at checkout (/tmp/run-77/check.spec.ts:33:17)\n    at async WorkerMain._runTest (/usr/lib/node_modules/playwright/lib/worker.js:301:5)",
  ],
  'script: of undefined, another member': [
    "TypeError: Cannot read properties of undefined (reading 'items')\n    at checkout (/tmp/run-1/check.spec.ts:31:17)",
  ],
  'script: of undefined, elsewhere': [
    "TypeError: Cannot read properties of undefined (reading 'total')\n    at openCart (/tmp/run-1/check.spec.ts:12:3)",
  ],
  'script: not a function': [
    'TypeError: page.clicks is not a function\n    at /tmp/run-1/check.spec.ts:3:12',
    'TypeError: page.clicks is not a function\n    at /tmp/run-2/check.spec.ts:4:12',
  ],
  'script: ended by a signal': [
    'the script ended by signal 9 after 240 s',
    'the script ended by signal 9 after 31.5 s',
  ],
  'script: ended with a code': [
    'the script exited with code 1 after 3 s',
    'the script exited with code 1 after 950 ms',
  ],
  'script: ended with another code': ['the script exited with code 137 after 3 s'],
  'database: no such table': [
    'SQLSTATE 42P01: relation "orders" does not exist at character 15',
    'SQLSTATE 42P01: relation "orders" does not exist at character 118',
  ],
  'database: wrong password': ['SQLSTATE 28P01: password authentication failed for user "shop"'],
  'database: no listener': ['ORA-12541: TNS:no listener'],
  'database: no service': ['ORA-12514: TNS:listener does not currently know of service'],
  'database: locked': [
    'deadlock detected: process 8123 waits for ShareLock on transaction 991; blocked by process 77',
    'deadlock detected: process 1 waits for ShareLock on transaction 200001; blocked by process 2',
  ],
  'pods: gone': [
    'pod checkout-7d9f8b6c54-x2x4z was evicted: low on memory',
    'pod checkout-5c8d7f9b6d-kq8vw was evicted: low on memory',
  ],
  'pods: another gone': ['pod payments-7d9f8b6c54-x2x4z was evicted: low on memory'],
  'disk: full': [
    'write failed: 12.5 MB needed, 800 kB left on device',
    'write failed: 1 GiB needed, 3 MB left on device',
  ],
  'commit: broken': [
    'build b038791f of 2026-11-21T03:24:17.123Z failed its smoke test',
    'build 9fe01c22 of 2026-11-22T23:01:00Z failed its smoke test',
  ],
  'German: no answer': [
    'Keine Antwort von 192.0.2.8 nach 3 Sekunden (Versuch 2 von 5) am 21.11.2026 um 03:24:17 Uhr',
    'Keine Antwort von 198.51.100.77 nach 12 Sekunden (Versuch 4 von 5) am 1.12.2026 um 13:00:01 Uhr',
  ],
  'German: refused': [
    'Verbindung zu 192.0.2.8 abgelehnt am 21. November 2026 um 03:24:17 Uhr',
    'Verbindung zu 10.0.0.1 abgelehnt am 2. März 2027 um 4:02:11 Uhr',
  ],
  'German: a sum': ['Erwartet: 1.234,50 €, erhalten: 0,00 €', 'Erwartet: 99,90 €, erhalten: 12,00 €'],
  'German, decomposed': [
    'Überweisung größer als erlaubt',
    'U\u0308berweisung gro\u00dfer als erlaubt'.replace('gro\u00dfer', 'gr\u006f\u0308\u00dfer'),
  ],
  'Japanese: no answer': ['注文12345の応答が3秒以内にありません', '注文777の応答が１２秒以内にありません'],
  'Japanese: refused': [
    '注文12345は2026年11月21日 3時24分に拒否されました',
    '注文9は2027年1月2日 13時04分に拒否されました',
  ],
  'Japanese: not found': [
    'ページが見つかりません: https://shop.example/商品/81723',
    'ページが見つかりません: https://shop.example/商品/5',
  ],
  'Arabic digits': ['انتهت المهلة بعد ٣٠ ثانية', 'انتهت المهلة بعد ٤٥ ثانية'],
  'React: an id of its own': [
    'no element matches label[for=":r1f:"] Total',
    'no element matches label[for=":r2:"] Total',
  ],
  'charge refused': [
    'charge ch_3PqR8sLkdIwHu7ix0a of cus_Nf8Kq2LmZ01 was declined',
    'charge ch_1AbC9xYzQwErTy2Uio of cus_00aa11bb22 was declined',
  ],
  'charge refunded': ['charge ch_3PqR8sLkdIwHu7ix0a of cus_Nf8Kq2LmZ01 was refunded twice'],
};
