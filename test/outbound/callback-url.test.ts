import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { checkCallbackUrl } from '../../src/outbound/callback-url.ts'

function verdict(url: string, allowPrivateHosts = false): string {
  try {
    return checkCallbackUrl(url, { allowPrivateHosts }).href
  } catch (error) {
    if (error instanceof FaultlineError) return error.code
    throw error
  }
}

const REFUSED = ['VALIDATION_FAILED', 'ADDRESS_REFUSED'] as const
const CASES: Array<[string, string, string?]> = [
  ['https://ci.example.com/hook?job=1', 'https://ci.example.com/hook?job=1'],
  ['https://ci.example.com:8443/', 'https://ci.example.com:8443/'],
  ['https://9.9.9.9/', 'https://9.9.9.9/'],
  ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  ['http://ci.example.com/', REFUSED[0], 'http://ci.example.com/'],
  ['https://localhost/', REFUSED[1], 'https://localhost/'],
  ['https://LOCALHOST./', REFUSED[1], 'https://localhost./'],
  ['https://127.0.0.1/', REFUSED[1], 'https://127.0.0.1/'],
  ['https://2130706433/', REFUSED[1], 'https://127.0.0.1/'],
  ['https://0x7f.1/', REFUSED[1], 'https://127.0.0.1/'],
  ['https://[::1]/', REFUSED[1], 'https://[::1]/'],
  ['https://[::ffff:127.0.0.1]/', REFUSED[1], 'https://[::ffff:7f00:1]/'],
  ['https://[64:ff9b::7f00:1]/', REFUSED[1], 'https://[64:ff9b::7f00:1]/'],
  ['https://10.1.2.3/', REFUSED[1], 'https://10.1.2.3/'],
  ['https://169.254.169.254/latest', REFUSED[1], 'https://169.254.169.254/latest'],
  ['https://metadata.internal/', REFUSED[1], 'https://metadata.internal/'],
  ['https://user:pass@ci.example.com/', REFUSED[0], REFUSED[0]],
  ['https://ci.example.com:22/', REFUSED[0], REFUSED[0]],
  ['file:///etc/passwd', REFUSED[0], REFUSED[0]],
  ['gopher://ci.example.com/', REFUSED[0], REFUSED[0]],
  ['javascript:alert(1)', REFUSED[0], REFUSED[0]],
  ['/relative', REFUSED[0], REFUSED[0]],
  ['', REFUSED[0], REFUSED[0]],
]

for (const [url, expected, whenAllowed = expected] of CASES) {
  test(`a callback to ${JSON.stringify(url)}: ${expected}`, async t => {
    t.equal(verdict(url), expected)
    t.equal(verdict(url, true), whenAllowed, 'with ALLOW_PRIVATE_HOSTS')
  })
}
