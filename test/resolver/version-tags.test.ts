import { test } from 'tap'
import { versionTag } from '../../src/resolver/version-tags.ts'

const find = (text: string, tags = ['v1.2.3', 'release-2.0', 'shop@3.1.0', 'rel_4_5_6', 'v5.0.0-rc.1']) => versionTag(text, ['shop'], tags)?.tag ?? null

test('a version after the project\'s name fits the tag that stands for it, however tags are spelled', async (t) => {
  t.equal(find('Shop: 1.2.3'), 'v1.2.3')
  t.equal(find('shop version 2.0 (x86)'), 'release-2.0')
  t.equal(find('at /gems/shop-3.1.0/lib/a.rb'), 'shop@3.1.0')
  t.equal(find('node_modules/shop@v4.5.6'), 'rel_4_5_6')
  t.equal(find('shop v5.0.0-rc.1\n'), 'v5.0.0-rc.1')
})

test('versions of other things, and versions without a tag, say nothing', async (t) => {
  for (const text of ['Python 1.2.3', 'shop on node 1.2.3', 'shop 1.2.4', 'shop 1.2.3.4', 'shop 11.2.3', 'shop', '1.2.3']) t.equal(find(text), null, text)
  t.equal(find('shop 1.2.3', []), null)
})
