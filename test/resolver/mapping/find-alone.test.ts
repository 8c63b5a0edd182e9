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
