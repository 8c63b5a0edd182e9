import { test } from 'tap'
import { CODE, frame, mapOne } from './map-one.ts'

test('a path that the index has is exact', async t => {
  t.match(mapOne({ 'src/utils.py': CODE, 'utils.py': CODE }, frame('src/utils.py')), {
    path: 'src/utils.py',
    match: 'exact',
    inProject: true,
    repository: 'shop',
    codeLine: 2,
  })
  t.match(mapOne({ 'src/utils.py': CODE }, frame('./src/../src/utils.py')), { path: 'src/utils.py', match: 'exact' })
})

test('a package tells the folder where a runtime prints none', async t => {
  const java = (name: string): string => `package ${name};\nclass X {}\n${CODE}`
  const files = {
    'a/src/main/java/com/acme/shop/Cart.java': java('com.acme.shop'),
    'b/src/main/java/com/acme/till/Cart.java': java('com.acme.till'),
    'core/src/main/kotlin/dev/till/Entity.kt': 'package dev.acme.till\n',
    'Util.java': 'class Util {}\n',
  }
  t.match(mapOne(files, frame('Cart.java', { function: 'com.acme.till.Cart$Line.total' })), {
    path: 'b/src/main/java/com/acme/till/Cart.java',
    match: 'package',
    why: 'package com.acme.till is a folder below b/src/main/java/',
  })
  t.match(mapOne(files, frame('Entity.kt', { function: 'dev.acme.till.Entity$Companion.from', line: 1 })), {
    path: 'core/src/main/kotlin/dev/till/Entity.kt',
    why: /declares package/,
  })
  t.match(mapOne(files, frame('Cart.java', { function: 'org.other.Cart.total' })), {
    path: null,
    candidates: ['a/src/main/java/com/acme/shop/Cart.java', 'b/src/main/java/com/acme/till/Cart.java'],
  })
  t.match(mapOne(files, frame('Thread.java', { function: 'java.lang.Thread.run' })), { path: null })
})

test('a frame without a file is found by namespace, class and function', async t => {
  const files = {
    'Shop/Carts/Cart.cs': 'namespace Shop.Carts;\n\npublic class Cart {\n    public int Total(int x) {\n    }\n}\n',
    'Old/Cart.cs': 'namespace Old {\n}\n',
  }
  t.match(mapOne(files, frame(null, { line: null, function: 'Shop.Carts.Cart.Total(Int32 x)' })), {
    path: 'Shop/Carts/Cart.cs',
    match: 'symbol',
    codeLine: 4,
  })
  t.match(mapOne(files, frame(null, { line: null, function: 'Shop.Carts.Cart.Count()' })), {
    path: null,
    why: 'the runtime printed no file',
  })
  t.match(mapOne(files, frame(null, { line: null, function: 'System.Linq.Enumerable.First()' })), { path: null })
})

const RESOLVER = `${'// line\n'.repeat(266)}class Resolver {\n  getDebugInfo() {\n    a()\n    b()\n  }\n}\n`
const PLAIN = 'module.exports = 1\n'.repeat(300)

test('a bare name is settled by the function and its line, among however many files of the name', async t => {
  const at = frame('index.js', { line: 270, function: 'Resolver.getDebugInfo' })
  const others = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`a/${i}/index.js`, PLAIN]))
  const files = { ...others, 'index.js': PLAIN, 'z/deep/in/it/index.js': RESOLVER }
  t.match(mapOne(files, at), { path: 'z/deep/in/it/index.js', codeLine: 270, inProject: true })
  t.match(mapOne({ ...files, 'index.js': RESOLVER }, at), { path: 'index.js', match: 'exact' })
  t.match(
    mapOne({ ...others, 'index.js': PLAIN }, at),
    { path: 'index.js', match: 'exact' },
    'nothing speaks for another',
  )
})
