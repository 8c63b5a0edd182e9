import { test } from 'tap'
import { checkSpans, importsOf, spans } from '../spans.ts'

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

test('a type of a function is no function', async t => {
  checkSpans(t, 'typescript', [
    ['type A = (b: C) => D\nconst e = () => {}', 'type A 1-1, function e 2-2'],
    ['type A<B = () => void> = (c: B) => () => D', 'type A 1-1'],
  ])
})

test('a readonly field has a function for a value', async t => {
  checkSpans(t, 'typescript', [
    ['class A {\n  private readonly b = () => {}\n}', 'class A 1-3, function A/b 2-2'],
    ['class A {\n  b: C\n  readonly d = (): E => {}\n}', 'class A 1-4, function A/d 3-3'],
    ['class A {\n  b: readonly C[] = () => {}\n}', 'class A 1-3, function A/b 2-2'],
  ])
})

test('TypeScript: types and what stands beside them', async t => {
  checkSpans(t, 'typescript', [
    [
      'interface A {\n  b (): void\n}\ninterface C<T> extends D<T>, E { f: () => void }',
      'interface A 1-3, interface C 4-4',
    ],
    [
      'type A = { b: () => void }\ntype C<T = D> = T extends E ? F : G\ntype H =\n  | I\n  | J\nconst k = 1',
      'type A 1-1, type C 2-2, type H 3-5',
    ],
    [
      'type A = Map<B, C>\ntype D = [E, F]\ntype G = (h: I) => J\nfunction k () {}',
      'type A 1-1, type D 2-2, type G 3-3, function k 4-4',
    ],
    ['type A = B<C,\n  D>, e = 1', 'type A 1-2'],
    ['type A = B<C, {\n  d: E\n}>\nfunction f () {}', 'type A 1-3, function f 4-4'],
    ['type A = B<C, D<E,\n  F>, (g: H) => I,\n  J>\nfunction k () {}', 'type A 1-3, function k 4-4'],
    ['type A = B<C\nlet d = 1\nfunction e () {}', 'type A 1-1, function e 3-3'],
    ['class A; b\n{ }\nfunction c () {}', 'function c 3-3'],
    ['(class A)\n{ }\nif (b) { interface A }\n{ }\ninterface C extends D;\n{ }', ''],
    ['type A = keyof typeof B\ntype C = readonly D[]\ntype E = F is G', 'type A 1-1, type C 2-2, type E 3-3'],
    ['enum A { B = 1 }\nconst enum C { D }\ndeclare enum E { F }', 'enum A 1-1, enum C 2-2, enum E 3-3'],
    [
      'namespace A { function b () {} }\nnamespace A.B.C { }\nmodule "d" { }\ndeclare module \'e\' { }\ndeclare global { }\nmodule\nf { }',
      'module A 1-1, function A/b 1-1, module A.B.C 2-2, module d 3-3, module e 4-4',
    ],
    ['type\nA = 1\ninterface\nB { }', ''],
    ['interface extends { }\ntype implements = 1', ''],
    ['function a (b: number): string\nfunction a (b: string): number {\n}', 'function a 2-3'],
    ['function a<T extends { b: C }> (d: T): { e: F } {\n}', 'function a 1-2'],
    ['function a (b: C): d is E {\n}\nfunction f (): asserts g { }', 'function a 1-2, function f 3-3'],
    ['function a (): Map<string, { b: C }> { }', 'function a 1-1'],
    ['function a (): (b: C) => D { }', 'function a 1-1'],
    ['class A<T = B> extends C<D> implements E<F>, G { h<I> (j: K): L { } }', 'class A 1-1, function A/h 1-1'],
    [
      'class A { private b (): void { }\n public c? (): D { }\n abstract e (): F\n declare g: H\n readonly i = (): J => { }\n k: () => void = () => { } }',
      'class A 1-6, function A/b 1-1, function A/c 2-2, function A/i 5-5, function A/k 6-6',
    ],
    [
      'class A { constructor (private b: C = () => { }) { } get d (): E { return f } }',
      'class A 1-1, function A/constructor 1-1, function A/d 1-1',
    ],
    ['abstract class A { abstract b (): void; c () {} }', 'class A 1-1, function A/c 1-1'],
    [
      'const a = (b: C): D => { }\nconst e = <T>(f: T): T => f\nconst g: (h: I) => J = k => l',
      'function a 1-1, function e 2-2, function g 3-3',
    ],
    ['const a = (b?: C, ...d: E[]): f is G => { }', 'function a 1-1'],
    ['const a: B<C> = (d) => e', 'function a 1-1'],
    ['let a = <B>c\nlet d = e as F\nlet g = h!\nfunction i () {}', 'function i 4-4'],
    ['const a = async <T>(b: T): Promise<T> => {\n}', 'function a 1-2'],
    ['export default interface A { }\nexport type { B } from "c"\nexport enum D { }', 'interface A 1-1, enum D 3-3'],
    ['@a({ b: () => { } }) class C { @d() e () { } }', 'function b 1-1, class C 1-1, function C/e 1-1'],
    ['const a = b satisfies C\nfunction d () {}', 'function d 2-2'],
    ['let a: { b (): void } = c\nfunction d () {}', 'function d 2-2'],
    [
      'const a = { b<T> (c: T): D { }, e: (f: G): H => { }, async i? () { } }',
      'function b 1-1, function e 1-1, function i 1-1',
    ],
    ['interface A', ''],
    ['interface A {', 'interface A 1-1'],
    ['type A', ''],
    ['type A =', 'type A 1-1'],
    ['enum A', ''],
    ['namespace A', ''],
    ['function a (): ', ''],
    ['class A<T', ''],
    ['type A = {\n  b: C\n}\n\n[d].e()', 'type A 1-5'],
  ])
  t.same(importsOf('typescript', 'export default interface A { }\nexport type { B } from "c"\nexport enum D { }'), [
    '2 c {B}',
  ])
})
