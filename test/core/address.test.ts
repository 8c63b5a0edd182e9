import { test } from 'tap'
import { isAddress, isPrivateName, isPublicAddress } from '../../src/core/address.ts'

const PUBLIC = [
  '1.1.1.1',
  '140.82.121.4',
  '2606:4700:4700::1111',
  '[2a00:1450:4001:82a::200e]',
  '::ffff:8.8.8.8',
  '64:ff9b::8c52:7904',
  '2002:808:808::1',
]

const REFUSED = [
  '0.0.0.0',
  '127.0.0.1',
  '127.255.255.254',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '::7f00:1',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '2001::1',
  '2001:db8::1',
  '2001:20::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  '::ffff:0:127.0.0.1',
  '100::1',
]

test('only global unicast addresses are public', async t => {
  for (const address of PUBLIC) t.ok(isPublicAddress(address), address)
  for (const address of REFUSED) {
    t.notOk(isPublicAddress(address), address)
    t.ok(isAddress(address), `${address} is an address`)
  }
})

test('what is no address in its usual notation is not public', async t => {
  for (const text of [
    '',
    'localhost',
    'example.com',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '1.1.1.1.',
    '1.1.1.1:443',
    'fe80::1%eth0',
    '[1.1.1.1',
    ':::',
    '1.2.3.256',
    ' 1.1.1.1',
  ]) {
    t.notOk(isPublicAddress(text), text)
    t.notOk(isAddress(text), text)
  }
})

test('names of this machine and of private networks are known without a resolver', async t => {
  for (const name of [
    'localhost',
    'localhost.',
    'a.localhost',
    'x.y.localhost.',
    'ip6-localhost',
    'metadata.google.internal',
    'metadata',
    'printer.local',
    'localhost.localdomain',
  ]) {
    t.ok(isPrivateName(name), name)
  }
  for (const name of ['example.com', 'notlocalhost', 'localhost.example.com', 'local', 'internal.example.com']) {
    t.notOk(isPrivateName(name), name)
  }
})
