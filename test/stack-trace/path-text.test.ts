import { test } from 'tap'
import { pathAtEnd } from '../../src/stack-trace/path-text.ts'

test('a path that ends a text keeps its spaces when it begins like one', async t => {
  const paths = new Map([
    ['failed in /srv/my app/cart.rb', '/srv/my app/cart.rb'],
    ['failed in ./my app/cart.rb', './my app/cart.rb'],
    ['failed in C:\\My App\\cart.cs', 'C:\\My App\\cart.cs'],
    ['failed in \\\\host\\my app\\cart.cs', '\\\\host\\my app\\cart.cs'],
    ['see file:///srv/my app/cart.kt', 'file:///srv/my app/cart.kt'],
    ['failed (/srv/cart.rb', '/srv/cart.rb'],
    ['at "~/my app/cart.rb', '~/my app/cart.rb'],
  ])
  for (const [text, path] of paths) t.equal(pathAtEnd(text), path, text)
})

test('else the last word is the path', async t => {
  t.equal(pathAtEnd('failed in app/cart.rb'), 'app/cart.rb')
  t.equal(pathAtEnd("failed in 'app/cart.rb"), 'app/cart.rb')
  t.equal(pathAtEnd('cart.rb'), 'cart.rb')
  t.equal(pathAtEnd('cart.rb '), '')
  t.equal(pathAtEnd(''), '')
})

test('of two paths the last one counts', async t => {
  t.equal(pathAtEnd('/srv/a b.rb then /srv/c d.rb'), '/srv/c d.rb')
})
