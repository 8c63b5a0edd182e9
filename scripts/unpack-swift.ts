// Unpacks Debian's Swift, an object store that speaks S3, for test/object-store/swift.test.ts
//
//   node scripts/unpack-swift.ts
//
// Nothing is installed: the packages (10 MB) are unpacked (50 MB) below node_modules/.cache/swift. On a system other
// than Debian 12 the test skips itself.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const TARGET = join(dirname(import.meta.dirname), 'node_modules/.cache/swift')
/** Swift and what it imports, without what only its services as a system need. */
const PACKAGES =
  'swift swift-account swift-container swift-object swift-proxy python3-swift liberasurecode1 ieee-data ' +
  'python3-certifi python3-cffi-backend python3-chardet python3-charset-normalizer python3-cryptography ' +
  'python3-dateutil python3-debtcollector python3-dnspython python3-eventlet python3-greenlet python3-idna ' +
  'python3-importlib-metadata python3-iso8601 python3-lxml python3-more-itertools python3-msgpack python3-netaddr ' +
  'python3-netifaces python3-oslo.config python3-oslo.context python3-oslo.i18n python3-oslo.log ' +
  'python3-oslo.serialization python3-oslo.utils python3-packaging python3-paste python3-pastedeploy ' +
  'python3-pastedeploy-tpl python3-pbr python3-pkg-resources python3-ply python3-pycparser python3-pyeclib ' +
  'python3-pyinotify python3-pyparsing python3-requests python3-rfc3986 python3-setuptools python3-six ' +
  'python3-stevedore python3-tempita python3-tz python3-urllib3 python3-wrapt python3-xattr python3-yaml python3-zipp'

if (existsSync(TARGET)) {
  console.log(`${TARGET} is there already.`)
} else {
  const draft = `${TARGET}.tmp`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(join(draft, 'root'), { recursive: true })
  execFileSync('apt-get', ['download', '-qq', ...PACKAGES.split(' ')], { cwd: draft, stdio: 'inherit' })
  for (const name of readdirSync(draft).filter(file => file.endsWith('.deb'))) {
    execFileSync('dpkg', ['-x', join(draft, name), join(draft, 'root')])
  }
  renameSync(join(draft, 'root'), TARGET)
  rmSync(draft, { recursive: true })
  console.log(`Swift lies in ${TARGET}.`)
}
