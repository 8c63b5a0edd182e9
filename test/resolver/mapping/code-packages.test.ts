import { test } from 'tap'
import {
  declaredPackage,
  dotnetPackage,
  goImportPath,
  hexPackage,
  jvmPackage,
  phpNamespace,
} from '../../../src/resolver/mapping/code-packages.ts'

test('a JVM frame tells package and outermost class', async t => {
  const of = (printed: string | null, file: string | null = 'Cart.java') => jvmPackage({ file, function: printed })
  t.same(of('com.acme.Cart$Line.total'), { name: 'com.acme', className: 'Cart' })
  t.same(of('Cart.<init>'), { name: '', className: 'Cart' })
  t.equal(of(null), null)
  t.equal(of('total'), null)
  t.equal(of('com.acme.Cart.total', 'src/Cart.java'), null, 'a path tells the folder by itself')
  t.equal(of('com.acme.Cart.total', 'cart.py'), null)
})

test('a .NET frame without a file tells namespace and class', async t => {
  const of = (printed: string | null, file: string | null = null) => dotnetPackage({ file, function: printed })
  t.same(of('Shop.Carts.Cart.Total(Int32 count)'), { name: 'Shop.Carts', className: 'Cart' })
  t.same(of('Shop.Cart`1.Total[T](T item)'), { name: 'Shop', className: 'Cart' })
  t.same(of('Shop.Cart..ctor()'), { name: 'Shop', className: 'Cart' })
  t.same(of('Shop.Cart.<Total>d__4.MoveNext()'), { name: 'Shop', className: 'Cart' })
  t.equal(of('Shop.Cart.Total(Int32 count)', 'Cart.cs'), null)
  t.equal(of('std::vector(int)'), null)
})

test('a source declares its package near its beginning', async t => {
  for (const [text, name] of [
    ['// licence\npackage com.acme.shop;\n', 'com.acme.shop'],
    ['package com.`object`.shop\n', 'com.object.shop'],
    ['<?php\nnamespace Shop\\Cart;\n', 'Shop\\Cart'],
    ['namespace Shop.Carts;\n', 'Shop.Carts'],
    ['(ns shop.cart\n  (:require x))\n', 'shop.cart'],
    ['class Cart {}\n', null],
    [`${' '.repeat(30_000)}\npackage late\n`, null],
  ] as const) {
    t.equal(declaredPackage(text), name, JSON.stringify(text.slice(0, 30)))
  }
})

test('a PHP function tells its namespace', async t => {
  t.equal(phpNamespace({ function: 'Shop\\Cart\\Line->total' }), 'Shop\\Cart')
  t.equal(phpNamespace({ function: 'Line::total' }), null)
  t.equal(phpNamespace({ function: null }), null)
})

test('a Go function tells its import path', async t => {
  const of = (printed: string | null, file: string | null = '/go/cart.go') => goImportPath({ file, function: printed })
  t.equal(of('example.com/shop/v2/cart.(*Cart).Total(0x1, 0x2)'), 'example.com/shop/v2/cart')
  t.equal(of('gopkg.in/yaml%2ev3.Unmarshal'), 'gopkg.in/yaml.v3')
  t.equal(of('main.main()'), 'main')
  t.equal(of('main'), null)
  t.equal(of('main.main', 'cart.c'), null)
})

test('an Elixir frame tells its application', async t => {
  const of = (raw: string, file = 'lib/cart.ex') => hexPackage({ raw, file })
  t.equal(of('    (shop 1.2.0) lib/cart.ex:3: Shop.total/1'), 'shop')
  t.equal(of('(shop) lib/cart.ex:3: Shop.total/1'), 'shop')
  t.equal(of('lib/cart.ex:3: Shop.total/1'), null)
  t.equal(of('(shop 1.2.0) cart.py:3', 'cart.py'), null)
})
