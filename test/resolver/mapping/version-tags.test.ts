import { test } from 'tap'
import { versionTag } from '../../../src/resolver/mapping/version-tags.ts'

const find = (text: string, tags = ['v1.2.3', 'release-2.0', 'shop@3.1.0', 'rel_4_5_6', 'v5.0.0-rc.1']) =>
  versionTag(text, name => name.toLowerCase() === 'shop', tags)?.tag ?? null

test("a version after the project's name fits the tag that stands for it, however tags are spelled", async t => {
  t.equal(find('Shop: 1.2.3'), 'v1.2.3')
  t.equal(find('shop version 2.0 (x86)'), 'release-2.0')
  t.equal(find('at /gems/shop-3.1.0/lib/a.rb'), 'shop@3.1.0')
  t.equal(find('node_modules/shop@v4.5.6'), 'rel_4_5_6')
  t.equal(find('shop v5.0.0-rc.1\n'), 'v5.0.0-rc.1')
  t.equal(find('- **Shop Version**: `v1.2.3`'), 'v1.2.3')
  t.equal(find('at a.Cart.total(Cart.java:3) ~[shop-1.2.3.jar:1.2.3]'), 'v1.2.3')
  t.equal(find('shop 1.2.3.'), 'v1.2.3')
  t.equal(find('Shop release 2.0.0'), 'release-2.0', 'a last zero may be left out')
})

test('versions of other things, and versions without a tag, say nothing', async t => {
  for (const text of [
    'Python 1.2.3',
    'shop on node 1.2.3',
    'shop 1.2.4',
    'shop 1.2.3.4',
    'shop 11.2.3',
    'shop',
    '1.2.3',
  ]) {
    t.equal(find(text), null, text)
  }
  t.equal(find('shop 1.2.3', []), null)
})

test('of a repository with several packages the tag of the package that is named counts', async t => {
  const tags = ['@acme/cart@2.1.0', '@acme/till@2.1.0', 'shelf/v3.0.0', 'till-v3.0.0', 'v4.0.0', 'till@4.0.0']
  const own = (text: string) =>
    versionTag(text, name => ['cart', '@acme/cart', 'till', 'shelf', 'shop'].includes(name), tags)?.tag ?? null
  t.equal(own('node_modules/@acme/cart@2.1.0/index.js'), '@acme/cart@2.1.0')
  t.equal(own('till 2.1.0'), '@acme/till@2.1.0')
  t.equal(own('shelf@v3.0.0'), 'shelf/v3.0.0')
  t.equal(own('cart 3.0.0'), null, 'only other packages have that version')
  t.equal(own('till 4.0.0'), 'till@4.0.0')
  t.equal(own('cart 4.0.0'), 'v4.0.0')
})

test('long texts of versions hold no tag', async t => {
  t.equal(
    versionTag('shop-1.2.3-'.repeat(300_000), () => true, ['v9.9.9']),
    null,
  )
  t.equal(
    versionTag('1.2'.repeat(1_000_000), () => true, ['v9.9.9']),
    null,
  )
  t.equal(
    versionTag(' 1.2.....'.repeat(300_000), () => true, ['v1.2']),
    null,
  )
})
