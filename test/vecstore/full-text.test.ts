import { test } from 'tap'
import fc from 'fast-check'
import { openTestStore, publish } from './fixture.ts'

const FILES = {
  'src/user_service.py': 'def load_user(user_id):\n    return repository.find(user_id)\n',
  'src/billing/invoice.py': 'class InvoiceRenderer:\n    def render(self, invoice): ...\n',
  'src/http/client.py': 'def fetchJson(url): return session.get(url, timeout=30)\n',
  'docs/user.md': 'How to call the billing client of a user, by example.\n',
}

test('identifiers are found by their parts, whole, and whatever the spelling', async (t) => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  await using reader = await store.openReader('shop')
  const first = (query: string) => reader.searchText(query, 5)[0]?.chunk.path
  t.equal(first('InvoiceRenderer'), 'src/billing/invoice.py')
  t.equal(first('invoice_renderers'), 'src/billing/invoice.py')
  t.equal(first('rendering'), 'src/billing/invoice.py')
  t.equal(first('fetch json'), 'src/http/client.py')
  t.equal(first('fetch_json'), 'src/http/client.py')
  t.equal(first('loadUser'), 'src/user_service.py')
  t.same(reader.searchText('nothing_like_it', 5), [])
})

test('a word in the path weighs more than one in the text', async (t) => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  await using reader = await store.openReader('shop')
  t.equal(reader.searchText('billing', 5)[0]?.chunk.path, 'src/billing/invoice.py')
  t.equal(reader.searchText('billing', 5).length, 2)
})

test('any text is a safe query', async (t) => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  await using reader = await store.openReader('shop')
  for (const query of ['"', "user' OR 1=1 --", 'NEAR(user client)', 'path:user', 'user*', '^user', '{words path}: user', 'AND OR NOT', '\0user', 'user"; DROP TABLE files', '', '-user', '()']) {
    t.doesNotThrow(() => reader.searchText(query, 5), JSON.stringify(query))
  }
  t.equal(reader.searchText('user"; DROP TABLE files', 5).length > 0, true)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), query => reader.searchText(query, 3).every(({ score }) => score > 0 && score < 1)))
})

test('of a very long query the telling words are searched for', async (t) => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  await using reader = await store.openReader('shop')
  const noise = Array.from({ length: 20_000 }, (_, i) => `zz${i}`).join(' ')
  t.equal(reader.searchText(`InvoiceRenderer ${noise}`, 1)[0]?.chunk.path, 'src/billing/invoice.py')
})
