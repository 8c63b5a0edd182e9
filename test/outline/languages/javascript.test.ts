import { test } from 'tap'
import { importsOf, scopesOf, spans } from '../spans.ts'

test('functions by declaration and by the name they are given', async t => {
  t.same(
    spans(
      'javascript',
      `export default async function a (x) {
  function b () { return '}' }
}
const c = (x) => {
  return x
}, d = async y =>
  y.then(z)
exports.e = function () {
}
Foo.prototype.f = function* g () {
}
const notOne = call(function () { return 1 })
const h = { i () {
}, j: () => 1, 'k-l': function () {
}, get m () { return 1 } }
`,
    ),
    [
      'function a 1-3',
      'function a/b 2-2',
      'function c 4-6',
      'function d 6-7',
      'function e 8-9',
      'function f 10-11',
      'function i 13-14',
      'function j 14-14',
      'function k-l 14-15',
      'function m 15-15',
    ],
  )
})

test('methods of classes, and no calls', async t => {
  t.same(
    spans(
      'javascript',
      `class A extends mixin({ b () {} }) {
  #x = 1
  constructor (y) { super(y) }
  static async *z (a = {}, { b } = {}) {
    if (a) { foo(b) }
    for (const c of b) { while (c) { } }
  }
  w = (v) => {
    return v
  }
}
module.exports = class extends B { q () {} }
`,
    ),
    [
      'class A 1-11',
      'function A/b 1-1',
      'function A/constructor 3-3',
      'function A/z 4-7',
      'function A/w 8-10',
      'class exports 12-12',
      'function exports/q 12-12',
    ],
  )
})

test('types, overloads and generics of TypeScript', async t => {
  t.same(
    spans(
      'typescript',
      `export interface A<T extends { x: 1 }> extends B<T> {
  f (x: number): string
}
export type C =
  | { a: 1 }
  | D
export const enum E { one }
declare namespace F.G {
  function h (): void
}
export abstract class I<T = () => void> implements J {
  private readonly k: Map<string, () => void> = new Map()
  f (x: number): string
  f (x: unknown): { y: string } | null {
    return null
  }
  protected get l (): Promise<{ a: 1 }> { return this }
}
export function m<T extends object> (x: T): x is T & { y: 1 } {
  return type < 3
}
const n: (x: number) => void = <T, >(x: T): void => {
}
`,
    ),
    [
      'interface A 1-3',
      'type C 4-6',
      'enum E 7-7',
      'module F.G 8-10',
      'class I 11-18',
      'function I/f 14-16',
      'function I/l 17-17',
      'function m 19-21',
      'function n 22-23',
    ],
  )
})

test('braces in templates, regular expressions, comments and JSX text do not count', async t => {
  t.same(
    spans(
      'javascript',
      `const a = () => \`{ \${b.map(c => \`}\${c}\`)} {\`
function d () {
  return /[/}]'/.test(x) ? a / b / "}" : /}/
} /* { */ // {
function E () {
  return <F x={() => { return '}' }} y="}">don't {z ? <G /> : <>it's</>} }</F>
}
function h () {
}
`,
    ),
    ['function a 1-1', 'function d 2-4', 'function E 5-7', 'function h 8-9'],
  )
})

test('the comment and the decorators above lead a definition', async t => {
  const scopes = scopesOf(
    'typescript',
    '/**\n * a\n */\nexport function a () {\n}\n\n@C({\n  d: 1\n})\nclass B {\n  // c\n  c () {}\n}\n',
  )
  t.same(
    scopes.map(({ name, leadLine, startLine }) => [name, leadLine, startLine]),
    [
      ['a', 1, 4],
      ['B', 7, 10],
      ['c', 11, 12],
    ],
  )
})

test('imports and calls of require, with the names that they take', async t => {
  t.same(
    importsOf(
      'typescript',
      `import a, { b as c, type d } from './a.ts'
import type { e } from 'e'
import * as f from "f"
import 'g'
export { h as i } from './h.js'
export const x = 1
const { j, k: l } = require('j'), m = require('m')
const n = await import('n')
import o = require('o')
`,
    ),
    ['1 ./a.ts {a b d}', '2 e {e}', '3 f', '4 g', '5 ./h.js {h}', '7 j {j k}', '7 m', '8 n', '9 o'],
  )
})
